#include "format/tapset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/test_paths.h"

namespace flametap::format {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::set<std::string, std::less<>> kAllMarkers{
    "function__entry", "function__return",          "line",  "gc__start",
    "gc__done",        "import__find__load__start", "audit", "import__find__load__done"};
const std::set<std::string, std::less<>> kSince312{"gc__start", "gc__done", "import__find__load__start",
                                                   "import__find__load__done", "audit"};

std::string write_or_die(const TapsetTarget& target, TapsetLanguage language) {
  const Result<std::string> text = write_tapset(target, language);
  EXPECT_TRUE(text) << text.error().message;
  return text ? *text : "";
}

void expect_golden_script(const std::string& name, const std::string& actual) {
  const std::string path = in_source("tests/golden/" + name);
  if (std::getenv("FLAMETAP_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path;
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(actual, expected) << "FLAMETAP_REWRITE_GOLDEN=1 accepts the new text of " << name;
}

TEST(Tapset, OfAProcessWhosePythonIsItsProgram) {
  const TapsetTarget target{
      .path = "/usr/bin/python3.11", .pid = 7, .version = "3.11.2", .markers = kAllMarkers, .needs_arming = true};
  expect_golden_script("tapset-bpftrace.txt", write_or_die(target, TapsetLanguage::bpftrace));
  expect_golden_script("tapset-systemtap.txt", write_or_die(target, TapsetLanguage::systemtap));
  expect_golden_script("tapset-dtrace.txt", write_or_die(target, TapsetLanguage::dtrace));
}

TEST(Tapset, OfAProcessWhosePythonIsALibrary) {
  const TapsetTarget target{.path = "/opt/lib/libpython3.9.so.1.0",
                            .program = "/opt/bin/python3.9",
                            .pid = 7,
                            .version = "3.9.18",
                            .markers = kAllMarkers};
  EXPECT_THAT(write_or_die(target, TapsetLanguage::systemtap),
              HasSubstr("probe process(\"/opt/bin/python3.9\").library(\"/opt/lib/libpython3.9.so.1.0\")"
                        ".mark(\"function__entry\")\n"));
  EXPECT_THAT(write_or_die(target, TapsetLanguage::bpftrace),
              HasSubstr("\nusdt:/opt/lib/libpython3.9.so.1.0:python:function__entry\n"));
}

TEST(Tapset, OfAFileIsForEveryProcess) {
  const TapsetTarget target{.path = "/usr/bin/python3.9", .markers = kAllMarkers};
  const std::string text = write_or_die(target, TapsetLanguage::bpftrace);
  EXPECT_THAT(text, HasSubstr("Run: BPFTRACE_STRLEN=150 bpftrace top.bt\n"));
  EXPECT_THAT(text, HasSubstr("Run: BPFTRACE_STRLEN=150 bpftrace -c '/usr/bin/python3.9 SCRIPT' call-hierarchy.bt\n"));
  EXPECT_THAT(text, Not(HasSubstr("-p ")));
  EXPECT_THAT(text, Not(HasSubstr("3.11")));
}

TEST(Tapset, NamesWhatIsLeftOut) {
  const TapsetTarget target{.path = "/usr/bin/python3.13", .pid = 7, .version = "3.13.5", .markers = kSince312};
  for (const auto language : {TapsetLanguage::bpftrace, TapsetLanguage::systemtap, TapsetLanguage::dtrace}) {
    const std::string text = write_or_die(target, language);
    EXPECT_THAT(text, HasSubstr("This Python has no marker function__entry, function__return, line.\n"));
    // Below the comment at the top.
    EXPECT_THAT(text.substr(text.find("*/")), Not(HasSubstr("function")));
  }
  EXPECT_THAT(write_or_die(target, TapsetLanguage::bpftrace),
              HasSubstr("Left out: call-hierarchy.bt, which needs function__entry, function__return.\n"));
  EXPECT_THAT(write_or_die(target, TapsetLanguage::systemtap), HasSubstr("probe python.gc.start = "));
  EXPECT_THAT(write_or_die(target, TapsetLanguage::dtrace), HasSubstr("==== gc_pauses.d ===="));
}

// Whoever names a file must not write into a script that root runs.
TEST(Tapset, RefusesPathsThatAreNotPlain) {
  for (const char* const path :
       {"", "python3", "/a b", "/a\"b", "/a\nb", "/a*/b", "/a:b", "/a\\b", "/a'b", "/\xc3\xa4", "/$(x)"}) {
    const auto text = write_tapset({.path = path, .markers = kAllMarkers}, TapsetLanguage::systemtap);
    EXPECT_FALSE(text) << path;
    const auto library = write_tapset({.path = "/usr/lib/libpython3.9.so", .program = path, .markers = kAllMarkers},
                                      TapsetLanguage::systemtap);
    EXPECT_EQ(library.ok(), std::string_view(path).empty()) << path;
  }
  EXPECT_TRUE(
      write_tapset({.path = "/proc/7/map_files/400000-800000", .markers = kAllMarkers}, TapsetLanguage::bpftrace));
}

TEST(Tapset, LanguagesHaveNames) {
  EXPECT_EQ(tapset_language_named("bpftrace"), TapsetLanguage::bpftrace);
  EXPECT_EQ(tapset_language_named("systemtap"), TapsetLanguage::systemtap);
  EXPECT_EQ(tapset_language_named("dtrace"), TapsetLanguage::dtrace);
  EXPECT_EQ(tapset_language_named("perf"), std::nullopt);
}

}  // namespace
}  // namespace flametap::format
