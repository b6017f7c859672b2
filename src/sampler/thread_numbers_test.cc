#include "sampler/thread_numbers.h"

#include <gtest/gtest.h>

namespace flametap::sampler {
namespace {

TEST(ThreadNumbersTest, AThreadKeepsItsNumberWhileItLives) {
  ThreadNumbers numbers;
  const std::uint64_t first = numbers.number_of(100, 0);
  EXPECT_NE(numbers.number_of(101, 0), first);
  EXPECT_EQ(numbers.number_of(100, 0), first);
  numbers.keep_only({100});
  EXPECT_EQ(numbers.number_of(100, 0), first);
  EXPECT_TRUE(numbers.has(first));
}

TEST(ThreadNumbersTest, AnIdThatIsGivenAgainIsAnotherThread) {
  ThreadNumbers numbers;
  const std::uint64_t first = numbers.number_of(100, 0);
  numbers.keep_only({101});
  EXPECT_FALSE(numbers.has(first));
  EXPECT_NE(numbers.number_of(100, 0), first);
}

TEST(ThreadNumbersTest, EachInterpreterIsAThreadOfItsOwn) {
  ThreadNumbers numbers;
  EXPECT_NE(numbers.number_of(100, 0), numbers.number_of(100, 1));
}

TEST(ThreadNumbersTest, WithoutAnIdNobodyIsKnown) {
  ThreadNumbers numbers;
  EXPECT_NE(numbers.number_of(0, 0), numbers.number_of(0, 0));
}

}  // namespace
}  // namespace flametap::sampler
