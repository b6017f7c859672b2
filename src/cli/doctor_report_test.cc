#include "cli/doctor_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/text_width.h"

namespace flametap::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Diagnosis example() {
  Diagnosis diagnosis{.machine = {.version = "1.2",
                                  .kernel = "Linux 6.1",
                                  .architecture = "x86_64",
                                  .usable_cpus = {0, 1, 4},
                                  .online_cpus = 8}};
  diagnosis.machine.us.user = 4'000'001;
  diagnosis.machine.us.yama_scope = 1;
  return diagnosis;
}

InterpreterFacts stripped() {
  InterpreterFacts facts;
  facts.version = "3.6.9";
  facts.file = "/usr/lib/libpython3.6.so";
  facts.all_symbols = false;
  facts.found_by = "scan";
  facts.layout = "3.6";
  return facts;
}

TEST(DoctorReport, ListsCpus) {
  EXPECT_EQ(cpu_list({}), "");
  EXPECT_EQ(cpu_list({3}), "3");
  EXPECT_EQ(cpu_list({0, 1, 2, 4, 6, 7}), "0-2, 4, 6-7");
}

TEST(DoctorReport, OfAMachine) {
  const std::string text = to_text(example(), false);
  EXPECT_THAT(text, AllOf(HasSubstr("Linux 6.1, x86_64"), HasSubstr("3 of 8: 0-1, 4"), HasSubstr("uid 4000001")));
  EXPECT_THAT(text, AllOf(HasSubstr("why: "), HasSubstr("try: "), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(text, Not(HasSubstr("Process")));
  EXPECT_THAT(to_text(example(), true), HasSubstr("\x1b[1mThis machine\x1b[0m"));
}

TEST(DoctorReport, FitsTheTerminal) {
  std::istringstream lines(to_text(example(), false, 60));
  for (std::string line; std::getline(lines, line);) {
    // What is to be copied stays in one piece.
    if (line.starts_with("      try: ")) continue;
    EXPECT_LE(width(line), 60u) << line;
  }
}

TEST(DoctorReport, OfAStrippedInterpreter) {
  Diagnosis diagnosis = example();
  diagnosis.process.emplace().pid = 7;
  diagnosis.process->interpreter = stripped();
  const std::string text = to_text(diagnosis, false);
  EXPECT_THAT(text, AllOf(HasSubstr("Process 7"), HasSubstr("a library, stripped"), HasSubstr("from our table")));
  EXPECT_THAT(text, AllOf(HasSubstr("no symbol leads to its state"), HasSubstr("shown as idle")));
}

TEST(DoctorReport, OfANewerInterpreterWhoseFileIsGone) {
  Diagnosis diagnosis = example();
  InterpreterFacts facts = stripped();
  facts.self_described = true;
  facts.exact = false;
  facts.all_symbols = std::nullopt;
  facts.missing_file = "/usr/bin/python3.99 was deleted";
  diagnosis.process.emplace().interpreter = facts;
  const std::string text = to_text(diagnosis, false);
  EXPECT_THAT(text, AllOf(HasSubstr("newer than we know"), HasSubstr("was deleted"), Not(HasSubstr("stripped"))));
}

// The words of a process reach the terminal without its escape sequences, and JSON as valid UTF-8.
TEST(DoctorReport, OfHostileNames) {
  Diagnosis diagnosis = example();
  diagnosis.process.emplace().command = "evil\x1b[2J\n\xff";
  diagnosis.process->looked_at.assign(1000, "file\x1b\n");
  EXPECT_THAT(to_text(diagnosis, false), AllOf(Not(HasSubstr("\x1b")), HasSubstr("and 980 more")));
  EXPECT_FALSE(nlohmann::json::parse(to_json(diagnosis), nullptr, false).is_discarded());
}

TEST(DoctorReport, AsJson) {
  Diagnosis diagnosis = example();
  const auto machine = nlohmann::json::parse(to_json(diagnosis));
  EXPECT_EQ(machine["machine"]["ptrace_scope"], 1);
  EXPECT_EQ(machine["machine"]["usable_cpus"], (std::vector{0, 1, 4}));
  EXPECT_TRUE(machine["process"].is_null());
  EXPECT_EQ(machine["abilities"].size(), 7u);
  diagnosis.process.emplace().error = Error{Failure::not_permitted, "no", "sudo"};
  const auto process = nlohmann::json::parse(to_json(diagnosis))["process"];
  EXPECT_EQ(process["error"]["exit_code"], 3);
  EXPECT_TRUE(process["python"].is_null());
}

}  // namespace
}  // namespace flametap::cli
