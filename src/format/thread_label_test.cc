#include "format/thread_label.h"

#include <gtest/gtest.h>

#include "profile/filter.h"

namespace flametap::format {
namespace {

void expect(std::string_view text, std::int32_t pid, std::uint64_t id, std::string_view name) {
  const ThreadParts parts = parse_thread_label(text);
  EXPECT_EQ(parts.pid, pid) << text;
  EXPECT_EQ(parts.id, id) << text;
  EXPECT_EQ(parts.name, name) << text;
}

TEST(ThreadLabel, IsTheReverseOfOurs) {
  for (const profile::Thread& thread :
       {profile::Thread{{}, 7, "MainThread"}, profile::Thread{{}, 0, "a (b)"}, profile::Thread{{}, 7, ""}}) {
    expect(profile::thread_label(thread), 0, thread.id, thread.name);
    const profile::Process process{5, "python a.py (1) thread x", "3.11"};
    expect(profile::process_label(process) + " " + profile::thread_label(thread), 5, thread.id, thread.name);
  }
}

TEST(ThreadLabel, OfPySpy) {
  expect("Thread 31205 \"MainThread\"", 0, 31205, "MainThread");
  expect("Thread 0x7F10", 0, 0x7f10, "");
  expect("Process 12 Thread 31205 \"w\"", 12, 31205, "w");
}

TEST(ThreadLabel, OfOthersIsAName) {
  for (const std::string_view text : {"", "main", "Thread", "Thread x", "Thread 7 x", "threads", "process x thread"}) {
    expect(text, 0, 0, text);
  }
}

}  // namespace
}  // namespace flametap::format
