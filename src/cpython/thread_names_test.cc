#include "cpython/thread_names.h"

#include <gtest/gtest.h>

#include <functional>

#include "cpython/dict_reader.h"
#include "cpython/every_layout.h"
#include "cpython/fake_objects.h"

namespace flametap::cpython {
namespace {

using target::Address;

constexpr std::uint64_t kMain = 0x7f00'1234'5740;
constexpr std::uint64_t kWorker = 0x7f00'0000'1700;
constexpr std::uint64_t kForeign = 0x7f00'0000'2700;

class ThreadNamesTest : public testing::TestWithParam<const Layout*> {
 protected:
  ThreadNamesTest() {
    python_.add_thread(kMain, 1);
    python_.add_thread(kWorker, 2);
  }

  Address make_thread(Address name) { return objects_.make_object({{objects_.name_attribute(), name}}); }
  // `threading` knows both threads; gives the name objects of the worker.
  Address start() {
    const Address name = objects_.make_text("worker-7");
    objects_.set_threads({{objects_.make_integer(kMain), make_thread(objects_.make_text("MainThread"))},
                          {objects_.make_integer(kWorker), make_thread(name)}});
    return name;
  }
  ThreadNames names() {
    return read_thread_names(python_.memory(), layout_, read_threads(python_.memory(), layout_, python_.runtime()));
  }
  // Whether part of this object, which has a page of its own, is being read.
  static bool is_of(Address object, const target::FakeMemory::Stretch& stretch) {
    return to_number(stretch.from) / 4096 == to_number(object) / 4096;
  }
  // Writes the characters of a string of eight.
  void rename(Address text, std::string_view name) {
    const Offset data = layout_.text_kind == TextKind::bytes ? layout_.bytes.data : layout_.text.ascii_data;
    python_.memory().write(text + data, std::as_bytes(std::span(name.data(), name.size())));
  }
  // The worker has two names in turn, and its old one is freed whenever we look at it: the same garbage each time. Only
  // at those times when the pointer to the name is confirmed that `is_slow` tells, we see that it has changed.
  ThreadNames names_while_one_is_freed(const std::function<bool(int)>& is_slow) {
    const Address name = objects_.make_text("worker-7");
    const Address other_name = objects_.make_text("worker-8");
    const Address worker = make_thread(name);
    objects_.set_threads({{objects_.make_integer(kWorker), worker}});
    const ThreadList list = read_threads(python_.memory(), layout_, python_.runtime());
    const Attribute attribute = find_attribute(python_.memory(), layout_, worker, objects_.name_attribute());
    const Address place = attribute.trail.back().place;
    int confirmations = 0;
    python_.memory().set_hook([&](const auto& stretch, std::size_t) {
      const bool shows = stretch.from == place && stretch.size == 8 && is_slow(++confirmations);
      if (is_of(place, stretch) && !shows) {
        python_.put(place, to_number(name));
        rename(name, "worker-7");
      } else if (is_of(name, stretch)) {
        python_.put(place, to_number(other_name));
        rename(name, "garbage!");
      }
    });
    ThreadNames names = read_thread_names(python_.memory(), layout_, list);
    EXPECT_GT(confirmations, 0);
    python_.memory().set_hook({});
    return names;
  }

  FakeInterpreter python_{*GetParam()};
  FakeObjects objects_{python_};
  const Layout& layout_ = python_.layout();
};

TEST_P(ThreadNamesTest, FindsThem) {
  (void)start();
  EXPECT_EQ(names(), (ThreadNames{{kMain, "MainThread"}, {kWorker, "worker-7"}}));
}

TEST_P(ThreadNamesTest, FindsThemInInstancesOfThread) {
  if (layout_.attributes_kind == AttributesKind::dict_pointer) return;  // not before 3.11
  const Address thread =
      objects_.make_instance({{"_target", objects_.make_integer(0)}, {"_name", objects_.make_text("worker-7")}});
  objects_.set_threads({{objects_.make_integer(kWorker), thread}});
  EXPECT_EQ(names(), (ThreadNames{{kWorker, "worker-7"}}));
}

TEST_P(ThreadNamesTest, LeavesOutThreadsThatDoNotRun) {
  objects_.set_threads({{objects_.make_integer(kForeign), make_thread(objects_.make_text("long gone"))}});
  EXPECT_TRUE(names().empty());
}

TEST_P(ThreadNamesTest, LeavesOutNamesThatAreNone) {
  objects_.set_threads({{objects_.make_integer(kMain), make_thread(objects_.make_integer(5))},
                        {objects_.make_integer(kWorker), objects_.make_object({})},
                        {objects_.make_text("key"), make_thread(objects_.make_text("no ident"))},
                        {Address{0xdead'0000}, Address{0xdead'0000}}});
  EXPECT_TRUE(names().empty());
}

TEST_P(ThreadNamesTest, HasNoneBeforeThreadingIsImported) {
  EXPECT_TRUE(names().empty());
  python_.put(python_.interpreter_state() + layout_.interpreter.modules, 0xdead'0000);
  EXPECT_TRUE(names().empty());
}

TEST_P(ThreadNamesTest, HasNoneWhereTheLayoutDoesNotSayHow) {
  (void)start();
  Layout blind = layout_;
  blind.dict = {};
  EXPECT_TRUE(
      read_thread_names(python_.memory(), blind, read_threads(python_.memory(), layout_, python_.runtime())).empty());
}

TEST_P(ThreadNamesTest, LeavesOutANameThatChangesAllTheTime) {
  const Address name = start();
  const ThreadList list = read_threads(python_.memory(), layout_, python_.runtime());
  std::size_t number = 0;
  python_.memory().set_hook([&](const auto& stretch, std::size_t) {
    if (is_of(name, stretch)) rename(name, "worker-" + std::to_string(number++ % 10));
  });
  EXPECT_EQ(read_thread_names(python_.memory(), layout_, list), (ThreadNames{{kMain, "MainThread"}}));
  EXPECT_GT(number, 2u);
}

TEST_P(ThreadNamesTest, LeavesOutWhatWasFreedBeforeItWasRead) {
  // Of the two times within one call, it does not get round to changing it before the second.
  EXPECT_TRUE(names_while_one_is_freed([](int confirmation) { return confirmation % 2 == 0; }).empty());
}

TEST_P(ThreadNamesTest, LeavesOutWhatIsFreedToTheBeatOfTheReadings) {
  EXPECT_TRUE(names_while_one_is_freed([](int confirmation) { return confirmation % 10 == 0; }).empty());
}

TEST_P(ThreadNamesTest, OthersDoNotSufferForOneThatIsGone) {
  const Address name = start();
  const ThreadList list = read_threads(python_.memory(), layout_, python_.runtime());
  int readings = 0;
  python_.memory().set_hook([&](const auto& stretch, std::size_t) {
    if (is_of(name, stretch) && ++readings == 2) python_.memory().unmap(name, 64);
  });
  EXPECT_EQ(read_thread_names(python_.memory(), layout_, list), (ThreadNames{{kMain, "MainThread"}}));
}

TEST_P(ThreadNamesTest, TakesTheNewNameOfAThreadThatIsRenamedMeanwhile) {
  const Address name = start();
  const ThreadList list = read_threads(python_.memory(), layout_, python_.runtime());
  int readings = 0;
  python_.memory().set_hook([&](const auto& stretch, std::size_t) {
    if (is_of(name, stretch) && ++readings == 2) rename(name, "worker-8");
  });
  EXPECT_EQ(read_thread_names(python_.memory(), layout_, list)[kWorker], "worker-8");
}

TEST_P(ThreadNamesTest, ThreadsOfOneInterpreterAreNotNamedByAnother) {
  (void)start();
  ThreadList list = read_threads(python_.memory(), layout_, python_.runtime());
  list.interpreters.push_back({python_.interpreter_state() + 1, 1, target::kNull, target::kNull});
  for (PythonThread& thread : list.threads) thread.interpreter = 1;
  EXPECT_TRUE(read_thread_names(python_.memory(), layout_, list).empty());
}

TEST_P(ThreadNamesTest, CostsFewReads) {
  (void)start();
  const ThreadList list = read_threads(python_.memory(), layout_, python_.runtime());
  python_.memory().reset_counts();
  (void)read_thread_names(python_.memory(), layout_, list);
  EXPECT_LT(python_.memory().calls().size(), 120u);  // here every object lies on a page of its own
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, ThreadNamesTest, testing::ValuesIn(every_layout()), layout_name);

}  // namespace
}  // namespace flametap::cpython
