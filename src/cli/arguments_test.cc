#include "cli/arguments.h"

#include <gtest/gtest.h>

namespace flametap::cli {
namespace {

TEST(Arguments, RateIsSamplesPerSecond) {
  EXPECT_EQ(*parse_rate("1000"), 1000);
  EXPECT_EQ(*parse_rate("0.5"), 0.5);
  EXPECT_EQ(*parse_rate("100000"), 100000);
}

TEST(Arguments, RateMaxIsAsFastAsPossible) { EXPECT_EQ(*parse_rate("max"), 0); }

TEST(Arguments, RateThatNobodyCanMean) {
  for (const char* word : {"", "0", "-1", "-0.0", "1000000", "100001", "nan", "inf", "x", "1000x", " 1", "1 ", "1e9"}) {
    const auto rate = parse_rate(word);
    ASSERT_FALSE(rate.ok()) << word;
    EXPECT_EQ(rate.error().kind, Failure::usage);
    EXPECT_NE(rate.error().message.find("'" + std::string(word) + "'"), std::string::npos);
  }
}

TEST(Arguments, Seconds) {
  EXPECT_EQ(*parse_seconds("10"), 10 * kSecond);
  EXPECT_EQ(*parse_seconds("0.25"), kSecond / 4);
  EXPECT_GT(*parse_seconds("1e-12"), 0u);
  for (const char* word : {"", "0", "-1", "nan", "inf", "x", "1s", "1e300"})
    EXPECT_FALSE(parse_seconds(word).ok()) << word;
}

TEST(Arguments, Pids) {
  EXPECT_EQ(*parse_pids({"7"}), std::vector<pid_t>{7});
  EXPECT_EQ(*parse_pids({"1", "2"}), (std::vector<pid_t>{1, 2}));
  EXPECT_EQ(*parse_pids({"1,2", "3"}), (std::vector<pid_t>{1, 2, 3}));
  EXPECT_EQ(*parse_pids({"2,1", "2"}), (std::vector<pid_t>{2, 1}));
  EXPECT_TRUE(parse_pids({})->empty());
}

TEST(Arguments, NotAPid) {
  for (const char* word : {"", "0", "-1", "x", "1.5", "99999999999999999999", "1,", ",1", "1,,2", "+1"}) {
    const auto pids = parse_pids({word});
    ASSERT_FALSE(pids.ok()) << word;
    EXPECT_EQ(pids.error().kind, Failure::usage);
  }
}

TEST(Arguments, Cpu) {
  EXPECT_EQ(*parse_cpu("0"), 0);
  EXPECT_FALSE(parse_cpu("-1").ok());
  EXPECT_FALSE(parse_cpu("x").ok());
}

TEST(Arguments, Mode) {
  EXPECT_EQ(*parse_mode("wall"), profile::Mode::wall);
  EXPECT_EQ(*parse_mode("gil"), profile::Mode::gil);
  EXPECT_FALSE(parse_mode("unknown").ok());
  EXPECT_FALSE(parse_mode("").ok());
}

TEST(Arguments, Port) {
  EXPECT_EQ(parse_port("--serve", "0").value(), 0);
  EXPECT_EQ(parse_port("--serve", "65535").value(), 65535);
  for (const char* const word : {"", "-1", "65536", "http", "80x"}) EXPECT_FALSE(parse_port("--serve", word)) << word;
}

}  // namespace
}  // namespace flametap::cli
