// A target whose memory lies and changes all the time: pointers to anywhere, cycles, absurd lengths, in the middle of a
// reading too. Reading its threads and stacks must end, within bounds, whatever it says.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/bytes.h"
#include "cpython/fake_interpreter.h"
#include "cpython/layout_table.h"
#include "cpython/stack_reader.h"
#include "cpython/state_scan.h"
#include "cpython/thread_list.h"
#include "input.h"

namespace flametap::cpython {
namespace {

class LyingTarget {
 public:
  explicit LyingTarget(Input& input)
      : input_(input),
        python_(all_layouts()[input.next(all_layouts().size())]),
        thread_(python_.add_thread(0x7000, 1)) {
    for (std::uint64_t i = 0, depth = 1 + input.next(12); i < depth; ++i) {
      objects_.push_back(python_.make_code("function", "file.py", 1));
      python_.call(thread_, objects_.back());
    }
    objects_.insert(objects_.end(), thread_.frames.begin(), thread_.frames.end());
    objects_.insert(objects_.end(), {thread_.state, python_.runtime(), python_.interpreter_state()});
    if (thread_.cframe != target::kNull) objects_.push_back(thread_.cframe);
    if (thread_.chunk != target::kNull) objects_.push_back(thread_.chunk);
  }

  void lie() {
    const std::uint64_t values[] = {0,
                                    1,
                                    ~std::uint64_t{0},
                                    std::uint64_t{1} << 60,
                                    0x7fff'ffff'ffff'fff8,
                                    0xdead'beef'0000,
                                    target::to_number(object()) + 8 * input_.next(32),
                                    input_.next(65536)};
    python_.put(object() + 8 * input_.next(64), values[input_.next(std::size(values))]);
  }

  void read_everything() {
    python_.memory().reset_counts();
    python_.memory().set_hook([this](const auto&, std::size_t segments_before) {
      if (segments_before % 7 == 3 && !input_.empty()) lie();
    });
    CodeCache codes(python_.layout());
    StackReader reader(python_.memory(), python_.layout(), codes, thread_.state, {});
    while (!input_.empty()) {
      lie();
      const Reading reading = reader.read();
      if (reading == Reading::verified && reader.frames().size() > StackReader::kMaxDepth) std::abort();
      if (reading != Reading::verified || input_.next(4) == 0) reader.learn();
      if (input_.next(8) == 0) (void)read_threads(python_.memory(), python_.layout(), python_.runtime());
    }
    (void)scan_for_runtime(python_.memory(), python_.layout(), python_.runtime(), 4096);
  }

 private:
  target::Address object() { return objects_[input_.next(objects_.size())]; }

  Input& input_;
  FakeInterpreter python_;
  FakeInterpreter::Thread& thread_;
  std::vector<target::Address> objects_;
};

}  // namespace
}  // namespace flametap::cpython

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  flametap::Input input(std::as_bytes(std::span(data, size)));
  flametap::cpython::LyingTarget(input).read_everything();
  return 0;
}
