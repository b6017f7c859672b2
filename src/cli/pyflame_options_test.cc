#include "cli/pyflame_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace flametap::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

auto parse(std::vector<std::string> words) {
  words.insert(words.begin(), "pyflame");
  return parse_pyflame(words);
}

PyflameOptions options(std::vector<std::string> words) {
  const auto parsed = parse(std::move(words));
  if (const auto* const answer = std::get_if<PyflameAnswer>(&parsed)) ADD_FAILURE() << answer->text;
  const auto* const understood = std::get_if<PyflameOptions>(&parsed);
  return understood == nullptr ? PyflameOptions{} : *understood;
}

// What it says instead of sampling, with the exit code in front.
std::string answer(std::vector<std::string> words) {
  const auto parsed = parse(std::move(words));
  const auto* const said = std::get_if<PyflameAnswer>(&parsed);
  return said == nullptr ? "it was understood" : std::to_string(said->exit_code) + " " + said->text;
}

TEST(PyflameOptionsTest, Defaults) {
  const PyflameOptions given = options({"-p", "7"});
  EXPECT_EQ(given.pid, 7);
  EXPECT_THAT(given.command, IsEmpty());
  EXPECT_EQ(given.seconds, 1);
  EXPECT_EQ(given.interval, 10'000'000u);
  EXPECT_EQ(given.output, "-");
  EXPECT_EQ(given.warning, "");
  EXPECT_FALSE(given.dump || given.threads || given.flamechart || given.exclude_idle);
  EXPECT_TRUE(given.line_numbers);
}

TEST(PyflameOptionsTest, EveryShortOption) {
  const PyflameOptions given = options({"-d", "-n", "-x", "-o", "out", "-p", "7", "-r", "0.5", "-s", "2.5"});
  EXPECT_TRUE(given.dump && given.exclude_idle && !given.line_numbers);
  EXPECT_EQ(given.output, "out");
  EXPECT_EQ(given.interval, 500'000'000u);
  EXPECT_EQ(given.seconds, 2.5);
}

TEST(PyflameOptionsTest, EveryLongOption) {
  const PyflameOptions given = options({"--dump", "--no-line-numbers", "--exclude-idle", "--output=out", "--pid=7",
                                        "--rate=0.5", "--seconds=2.5", "--threads", "--flamechart", "--abi=36"});
  EXPECT_TRUE(given.dump && given.exclude_idle && !given.line_numbers && given.threads && given.flamechart);
  EXPECT_EQ(given.pid, 7);
  EXPECT_EQ(given.output, "out");
  EXPECT_EQ(given.interval, 500'000'000u);
  EXPECT_EQ(given.seconds, 2.5);
}

TEST(PyflameOptionsTest, AsGetoptHasThem) {
  EXPECT_EQ(options({"-xs0", "-p7"}).seconds, 0);
  EXPECT_EQ(options({"--sec", "-1", "--pid", "7"}).seconds, -1);
  EXPECT_EQ(options({"7", "-s", "0"}).seconds, 0);
  EXPECT_EQ(options({"-s", "0", "--", "7"}).pid, 7);
}

TEST(PyflameOptionsTest, TheIntervalIsInWholeMicroseconds) {
  EXPECT_EQ(options({"-p7", "-r0.0012345678"}).interval, 1'234'000u);
  EXPECT_EQ(options({"-p7", "-r0"}).interval, 10'000u);
}

TEST(PyflameOptionsTest, APidWithoutItsOption) {
  const PyflameOptions given = options({"7"});
  EXPECT_EQ(given.pid, 7);
  EXPECT_EQ(given.warning,
            "WARNING: Specifying a PID to trace without -p is deprecated; see Pyflame issue #99 for details.\n");
}

TEST(PyflameOptionsTest, ACommandAndItsOwnOptions) {
  for (const char* const name : {"-t", "--trace"}) {
    const PyflameOptions given = options({"-s", "5", "-x", name, "python", "-p", "7", "--", "-t", "-h"});
    EXPECT_THAT(given.command, ElementsAre("python", "-p", "7", "--", "-t", "-h"));
    EXPECT_EQ(given.pid, std::nullopt);
    EXPECT_EQ(given.seconds, -1);
    EXPECT_TRUE(given.exclude_idle);
  }
}

TEST(PyflameOptionsTest, Conflicts) {
  EXPECT_EQ(answer({"-d", "-t", "python"}), "1 Options -t and -d are not mutually compatible.\n");
  EXPECT_EQ(answer({"-p", "7", "-t", "python"}), "1 Options -t and -p are not mutually compatible.\n");
  EXPECT_THAT(answer({"-t"}), StartsWith("1 Option -t requires a command to run.\nUsage: "));
}

TEST(PyflameOptionsTest, TooFewOrTooManyPids) {
  EXPECT_THAT(answer({}), StartsWith("1 Usage: "));
  EXPECT_THAT(answer({"7", "8"}), StartsWith("1 Usage: "));
  EXPECT_THAT(answer({"-p", "7", "8"}), StartsWith("1 Usage: "));
  EXPECT_THAT(answer({"7", "-t", "python"}), StartsWith("1 Usage: "));
}

TEST(PyflameOptionsTest, NotAPid) {
  for (const std::string word : {"-1", "0", "1606938044258990275541962092341162602522202993782792835301376",
                                 "not a pid", "", "7x", "2147483648"}) {
    EXPECT_EQ(answer({"-p", word}), "1 Error: failed to parse \"" + word + "\" as a PID.\n");
  }
  EXPECT_EQ(answer({"x7"}), "1 Error: failed to parse \"x7\" as a PID.\n");
}

TEST(PyflameOptionsTest, NotANumber) {
  for (const char* const word : {"", "x", "1s", "nan", "inf", "1e300"}) {
    EXPECT_THAT(answer({"-p7", "-s", word}), AllOf(StartsWith("1 Error: failed to parse \""), HasSubstr("seconds")));
    EXPECT_THAT(answer({"-p7", "-r", word}), AllOf(StartsWith("1 Error: failed to parse \""), HasSubstr("interval")));
  }
  EXPECT_THAT(answer({"-p7", "-r", "-1"}), StartsWith("1 Error: failed to parse \"-1\" as an interval"));
}

TEST(PyflameOptionsTest, Abi) {
  for (const char* const known :
       {"26", "27", "34", "35", "36", "37", "38", "39", "310", "311", "312", "313", "314", "315"}) {
    EXPECT_EQ(options({"--abi", known, "-p7"}).pid, 7);
  }
  for (const std::string unknown : {"0", "28", "33", "316", "-1", "", "3.11"}) {
    EXPECT_EQ(answer({"--abi", unknown, "-p7"}), "1 Unknown or unsupported ABI version: " + unknown + "\n");
  }
}

TEST(PyflameOptionsTest, NativeStacks) {
  EXPECT_FALSE(options({"-p7"}).c_stack);
  for (const char* const option : {"-c", "--profile-c-stack", "--native"}) {
    EXPECT_TRUE(options({option, "-p7"}).c_stack) << option;
  }
}

TEST(PyflameOptionsTest, VersionAndHelp) {
  const char* const version = "0 pyflame 1\\.6\\.6 [^ ]+ [^ ]+ \\(ABI list: 27 36 37 .*315\\)\n";
  EXPECT_THAT(answer({"-v"}), MatchesRegex(version));
  EXPECT_EQ(answer({"--version"}), answer({"-v"}));
  EXPECT_THAT(answer({"-h"}), MatchesRegex(std::string(version) + "\nUsage: pyflame .*"));
  EXPECT_EQ(answer({"--help"}), answer({"-h"}));
}

TEST(PyflameOptionsTest, UnknownOptions) {
  EXPECT_THAT(answer({"-z", "-p7"}), StartsWith("1 pyflame: unrecognized option '-z'\nUsage: "));
  EXPECT_THAT(answer({"--nonsense", "-p7"}), StartsWith("1 pyflame: unrecognized option '--nonsense'\nUsage: "));
  EXPECT_THAT(answer({"--dump=7"}), StartsWith("1 pyflame: unrecognized option '--dump=7'\nUsage: "));
}

TEST(PyflameOptionsTest, MissingValues) {
  for (const char* const name : {"-o", "-p", "-r", "-s", "--output", "--pid", "--rate", "--seconds", "--abi"}) {
    EXPECT_THAT(answer({name}),
                StartsWith("1 pyflame: option '" + std::string(name) + "' requires an argument\nUsage: "));
  }
}

}  // namespace
}  // namespace flametap::cli
