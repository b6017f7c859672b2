#include "cpython/thread_list.h"

#include <gtest/gtest.h>

#include "cpython/fake_interpreter.h"
#include "cpython/layout_table.h"
#include "cpython/shared_words.h"

namespace flametap::cpython {
namespace {

const Layout& layout_3_11() { return *find_layout({3, 11, 0}, false); }

TEST(ThreadListTest, FindsTheThreadsTheNewestFirst) {
  FakeInterpreter python(layout_3_11());
  python.add_thread(0x1000, 11);
  python.add_thread(0x2000, 12);
  const ThreadList list = read_threads(python.memory(), python.layout(), python.runtime());
  EXPECT_TRUE(list.complete);
  ASSERT_EQ(list.interpreters.size(), 1u);
  ASSERT_EQ(list.threads.size(), 2u);
  EXPECT_EQ(list.threads[0].ident, 0x2000u);
  EXPECT_EQ(list.threads[0].native_id, 12);
  EXPECT_EQ(list.threads[1].ident, 0x1000u);
}

TEST(ThreadListTest, EndsWhenTheListRunsInACircle) {
  FakeInterpreter python(layout_3_11());
  const auto& thread = python.add_thread(0x1000, 11);
  python.put(thread.state + python.layout().thread.next, target::to_number(thread.state));
  EXPECT_FALSE(read_threads(python.memory(), python.layout(), python.runtime()).complete);
}

TEST(ThreadListTest, StopsAtWhatIsNoThreadOfThisInterpreter) {
  FakeInterpreter python(layout_3_11());
  const auto& thread = python.add_thread(0x1000, 11);
  python.put(thread.state + python.layout().thread.interpreter, 0x666);
  const ThreadList list = read_threads(python.memory(), python.layout(), python.runtime());
  EXPECT_FALSE(list.complete);
  EXPECT_TRUE(list.threads.empty());
}

TEST(ThreadListTest, FindsAThreadThatIsNewerThanTheList) {
  FakeInterpreter python(layout_3_11());
  python.add_thread(0x1000, 11);
  const ThreadList list = read_threads(python.memory(), python.layout(), python.runtime());
  const auto& visitor = python.add_thread(0x2000, 12);
  const auto find = [&](std::uint64_t ident) { return find_new_thread(python.memory(), python.layout(), list, ident); };
  ASSERT_TRUE(find(0x2000));
  EXPECT_EQ(find(0x2000)->state, visitor.state);
  EXPECT_FALSE(find(0x3000));
  python.put(visitor.state + python.layout().thread.next, target::to_number(visitor.state));
  EXPECT_FALSE(find(0x3000));
}

TEST(SharedWordsTest, NoticesANewThreadAndWhoHoldsTheGil) {
  FakeInterpreter python(layout_3_11());
  python.add_thread(0x1000, 11);
  const ThreadList list = read_threads(python.memory(), python.layout(), python.runtime());
  SharedWords words;
  words.follow(python.found(), list);
  python.put(python.found().current_thread, target::to_number(list.threads[0].state));
  ASSERT_TRUE(python.memory().read(words.segments()));
  EXPECT_FALSE(words.list_changed());
  EXPECT_TRUE(words.holds_gil(list.threads[0]));
  python.add_thread(0x2000, 12);
  python.put(python.found().current_thread, 0);
  ASSERT_TRUE(python.memory().read(words.segments()));
  EXPECT_TRUE(words.list_changed());
  EXPECT_FALSE(words.holds_gil(list.threads[0]));
}

}  // namespace
}  // namespace flametap::cpython
