// A fake interpreter whose objects change under the reader's eyes, as the fuzzer's input says.
#pragma once

#include <cstdint>
#include <iterator>

#include "cpython/fake_interpreter.h"
#include "cpython/fake_objects.h"
#include "input.h"

namespace flametap {

class Liar {
 public:
  Liar(Input& input, cpython::FakeInterpreter& python, const cpython::FakeObjects& objects)
      : input_(input), python_(python), objects_(objects) {}

  // From now on, also in the middle of a reading.
  void begin() {
    python_.memory().reset_counts();
    python_.memory().set_hook([this](const auto&, std::size_t segments_before) {
      if (segments_before % 7 == 3 && !input_.empty()) lie();
    });
  }

  // One word of an object becomes something that a careless reader would trip over.
  void lie() {
    const std::uint64_t values[] = {0,
                                    1,
                                    ~std::uint64_t{0},
                                    std::uint64_t{1} << 60,
                                    std::uint64_t{1} << 16,
                                    0x7fff'ffff'ffff'fff8,
                                    0xdead'beef'0000,
                                    target::to_number(object()) + 8 * input_.next(32),
                                    input_.next(65536),
                                    input_.next(65536) << 28};
    // Up to the flags of a type and a little in front of an object.
    python_.put(target::Address{target::to_number(object()) - 32} + 8 * input_.next(128),
                values[input_.next(std::size(values))]);
  }

 private:
  target::Address object() { return objects_.all()[input_.next(objects_.all().size())]; }

  Input& input_;
  cpython::FakeInterpreter& python_;
  const cpython::FakeObjects& objects_;
};

}  // namespace flametap
