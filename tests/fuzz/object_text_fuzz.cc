// A target whose objects lie and change all the time: pointers to anywhere, cycles, absurd lengths, in the middle of a
// reading too. Writing them down must end, within bounds, and give valid text, whatever they say.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/bytes.h"
#include "cpython/fake_objects.h"
#include "cpython/layout_table.h"
#include "cpython/text.h"
#include "input.h"
#include "liar.h"
#include "tracer/object_text.h"

namespace flametap::tracer {
namespace {

constexpr std::size_t kLongest = 64 << 10;

class LyingTarget {
 public:
  explicit LyingTarget(Input& input)
      : input_(input),
        python_(cpython::all_layouts()[input.next(cpython::all_layouts().size())]),
        objects_(python_),
        types_(python_.memory(), python_.layout()) {
    const target::Address inner = objects_.make_list({objects_.make_text("text"), objects_.make_negative(1)});
    root_ = objects_.make_tuple({inner, objects_.make_bytes("bytes"), objects_.make_float(2.5), objects_.make_none(),
                                 objects_.make_boolean(true), objects_.make_of_class("module", "Class")});
  }

  void write_everything() {
    liar_.begin();
    while (!input_.empty()) {
      liar_.lie();
      const std::string text = object_text(python_.memory(), types_, python_.layout(), root_);
      if (text.empty() || text.size() > kLongest) std::abort();
      // Only what is no UTF-8 is changed by this.
      if (cpython::utf8_from_bytes(std::as_bytes(std::span(text))) != text) std::abort();
    }
  }

 private:
  Input& input_;
  cpython::FakeInterpreter python_;
  cpython::FakeObjects objects_;
  Liar liar_{input_, python_, objects_};
  TypeNames types_;
  target::Address root_ = target::kNull;
};

}  // namespace
}  // namespace flametap::tracer

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  flametap::Input input(std::as_bytes(std::span(data, size)));
  flametap::tracer::LyingTarget(input).write_everything();
  return 0;
}
