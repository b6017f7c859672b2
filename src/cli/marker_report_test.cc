#include "cli/marker_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace flametap::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

ListedFile python_311() {
  ListedFile listed{.file = {.path = "/usr/bin/python3.11", .open_path = "/usr/bin/python3.11"},
                    .version = cpython::Version{3, 11, 2},
                    .pids = {7, 9}};
  listed.file.markers = {
      {.name = "line",
       .location = 0x10,
       .semaphore = 0x90,
       .semaphore_offset = 0x80,
       .arguments = "8@%rax 8@%rbx -4@%ecx"},
      {.name = "function__entry", .location = 0x20, .semaphore = 0x92, .arguments = "8@%rbp 8@%r12 -4@%eax"},
      {.name = "function__entry", .location = 0x30, .semaphore = 0x92, .arguments = "8@%rbp 8@%r12 -4@%eax"},
      {.name = "function__return", .location = 0x40, .semaphore = 0x94, .arguments = "8@%rbp 8@%r12 -4@%eax"},
      {.name = "function__return", .location = 0x50, .semaphore = 0x94, .arguments = "8@%rsi 8@%r12 -4@%eax"},
      {.name = "gc__start", .location = 0x60, .arguments = "-4@112(%rsp)"},
      {.name = "strange", .location = 0x70, .arguments = "8@%rdi"},
  };
  return listed;
}

TEST(MarkerReport, TextNamesEachMarkerOnce) {
  const std::string text = to_text({.files = {python_311()}}, false);
  EXPECT_EQ(
      text,
      "/usr/bin/python3.11 (Python 3.11.2, processes 7 9)\n"
      "  MARKER                    EVENT  PLACES  SEMAPHORE  ARGUMENTS                 WHERE THEY ARE\n"
      "  function__entry           call   2       yes        filename funcname lineno  8@%rbp 8@%r12 -4@%eax\n"
      "  function__return          call   2       yes        filename funcname lineno  "
      "8@%rbp 8@%r12 -4@%eax or 8@%rsi 8@%r12 -4@%eax\n"
      "  line                      line   1       yes        filename funcname lineno  8@%rax 8@%rbx -4@%ecx\n"
      "  gc__start                 gc     1       no         generation                -4@112(%rsp)\n"
      "  strange                   -      1       no         ?                         8@%rdi\n"
      "  can be traced: --events call,line\n"
      "  call: 3.11 tells calls only while its line marker is armed, which makes the program 3 to 8 times slower\n"
      "  no gc: this build has no gc__done\n"
      "  no import: this build has no import__find__load__start and import__find__load__done\n"
      "  no audit: this build has no audit\n");
}

TEST(MarkerReport, TextFitsTheTerminal) {
  const std::string text = to_text({.files = {python_311()}}, false, 80);
  EXPECT_THAT(text, HasSubstr("  function__return          call   2       yes        filename funcname lineno\n"
                              "      8@%rbp 8@%r12 -4@%eax or 8@%rsi 8@%r12 -4@%eax\n"));
  EXPECT_THAT(text, HasSubstr("  call: 3.11 tells calls only while its line marker is armed, which makes the\n"
                              "    program 3 to 8 times slower\n"));
  EXPECT_THAT(to_text({.files = {python_311()}}, false, 200), to_text({.files = {python_311()}}, false));
}

TEST(MarkerReport, TextOfAPythonWithoutMarkers) {
  const MarkerReport report{.files = {{.file = {.path = "/opt/python3.8"}, .version = {}, .pids = {5}}}};
  EXPECT_EQ(to_text(report, false),
            "/opt/python3.8 (process 5)\n  no markers: this Python was built without markers (--with-dtrace)\n");
}

TEST(MarkerReport, TextSaysWhatWasNotSeen) {
  EXPECT_EQ(to_text(MarkerReport{}, false), "no Python is running that we can see\n");
  EXPECT_THAT(to_text({.files = {python_311()}, .unreadable = 3}, false),
              HasSubstr("\nnot looked into, for want of rights: 3 processes\n"));
}

TEST(MarkerReport, TextIsShortAndSafe) {
  ListedFile listed = python_311();
  listed.pids.clear();
  for (pid_t pid = 1; pid <= 100; ++pid) listed.pids.push_back(pid);
  listed.file.path = "/x\x1b[2J/python3.11";
  const std::string text = to_text({.files = {listed}}, false);
  EXPECT_THAT(text, HasSubstr("processes 1 2 3 4 5 6 7 8 and 92 more"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(MarkerReport, JsonHasEveryPlace) {
  ListedFile listed = python_311();
  listed.file.path = "/\xff";
  const auto json = nlohmann::json::parse(to_json({.files = {listed}, .unreadable = 3}));
  EXPECT_EQ(json["unreadable_processes"], 3);
  const auto& file = json["files"][0];
  EXPECT_EQ(file["version"], "3.11.2");
  EXPECT_EQ(file["pids"], (std::vector<int>{7, 9}));
  EXPECT_EQ(file["needs_arming"], true);
  EXPECT_EQ(file["events"]["line"]["available"], true);
  EXPECT_EQ(file["events"]["gc"]["available"], false);
  EXPECT_EQ(file["markers"].size(), 5u);
  const auto& entry = file["markers"][0];
  EXPECT_EQ(entry["name"], "function__entry");
  EXPECT_EQ(entry["event"], "call");
  EXPECT_EQ(entry["arguments"], "filename funcname lineno");
  EXPECT_EQ(entry["places"].size(), 2u);
  EXPECT_EQ(entry["places"][1]["location"], "0x30");
  EXPECT_EQ(entry["places"][1]["semaphore"], "0x92");
  EXPECT_EQ(file["markers"][4]["event"], nullptr);
}

}  // namespace
}  // namespace flametap::cli
