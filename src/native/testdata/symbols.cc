// Functions of many kinds, for the tests of symbols: what a C++ compiler does to names and to inlined calls.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace shapes {

struct Circle {
  explicit Circle(double radius);
  [[gnu::noinline]] double area() const { return 3.14 * radius_ * radius_; }
  double radius_;
};

Circle::Circle(double radius) : radius_(radius) { std::puts("circle"); }

template <typename T>
[[gnu::noinline]] T largest(const std::vector<T>& values) {
  return *std::max_element(values.begin(), values.end());
}

}  // namespace shapes

namespace {

volatile int sink = 0;

[[gnu::noinline]] int hidden(int value) {
  sink = value;
  return value + 1;
}

[[gnu::always_inline]] inline int innermost(int value) {
  sink = value * 3;
  return hidden(value) + sink;
}

[[gnu::always_inline]] inline int middle(int value) {
  int sum = 0;
  for (int i = 0; i < value; ++i) sum += innermost(i);
  return sum;
}

[[gnu::always_inline]] inline int outermost(int value) { return middle(value) + middle(value + 1); }

}  // namespace

static int local_only(int value) {
  if (value > 1000) {
    std::puts("unlikely");
    std::abort();
  }
  return outermost(value);
}

extern "C" [[gnu::noinline]] int three_deep(int value) { return outermost(value) + 1; }

extern "C" [[gnu::weak]] int __weak_name(int value) { return value + 7; }
extern "C" int weak_name(int value) __attribute__((alias("__weak_name")));

asm(".text\n"
    ".globl unsized_label\n"
    "unsized_label:\n"
    "  nop\n  nop\n  nop\n  ret\n"
    ".globl sized_function\n"
    ".type sized_function, @function\n"
    "sized_function:\n"
    "  nop\n"
    "inner_label:\n"
    "  nop\n  ret\n"
    ".size sized_function, . - sized_function\n"
    ".globl after_a_gap\n"
    ".type after_a_gap, @function\n"
    "  nop\n  nop\n  nop\n"
    "after_a_gap:\n"
    "  ret\n"
    ".size after_a_gap, . - after_a_gap\n");

int main(int count, char** words) {
  const shapes::Circle circle(count);
  const std::function<int(int)> twice = [&](int value) { return hidden(value) * 2 + count; };
  std::vector<std::string> names(words, words + count);
  std::vector<int> numbers{1, 2, 3};
  return twice(3) + local_only(count) + three_deep(count) + weak_name(1) + shapes::largest(numbers) +
         static_cast<int>(shapes::largest(names).size()) + static_cast<int>(circle.area());
}
