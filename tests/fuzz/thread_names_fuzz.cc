// A target whose dictionaries and objects lie and change all the time: pointers to anywhere, cycles, absurd lengths, in
// the middle of a reading too. Reading the names of its threads must end, within bounds, whatever it says.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/bytes.h"
#include "cpython/fake_objects.h"
#include "cpython/layout_table.h"
#include "cpython/thread_names.h"
#include "input.h"
#include "liar.h"

namespace flametap::cpython {
namespace {

constexpr std::uint64_t kIdent = 0x7f00'0000'1700;

class LyingTarget {
 public:
  explicit LyingTarget(Input& input)
      : input_(input), python_(all_layouts()[input.next(all_layouts().size())]), objects_(python_) {
    const Layout& layout = python_.layout();
    const FakeObjects::Attributes attributes = {{"_target", objects_.make_integer(1)},
                                                {objects_.name_attribute(), objects_.make_text("worker-7")}};
    std::vector<target::Address> threads = {objects_.make_object(attributes)};
    if (layout.attributes_kind != AttributesKind::dict_pointer) {
      threads.push_back(objects_.make_instance(attributes));
      threads.push_back(objects_.make_instance_with_dict(objects_.make_split_dict(attributes)));
    }
    FakeObjects::Items active;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      python_.add_thread(kIdent + i, static_cast<std::int32_t>(1 + i));
      active.emplace_back(objects_.make_integer(kIdent + i), threads[i]);
    }
    objects_.set_threads(active);
    list_ = read_threads(python_.memory(), layout, python_.runtime());
    if (read_thread_names(python_.memory(), layout, list_).size() != threads.size()) std::abort();
  }

  void read_everything() {
    liar_.begin();
    while (!input_.empty()) {
      liar_.lie();
      const ThreadNames names = read_thread_names(python_.memory(), python_.layout(), list_);
      if (names.size() > list_.threads.size()) std::abort();
    }
  }

 private:
  Input& input_;
  FakeInterpreter python_;
  FakeObjects objects_;
  Liar liar_{input_, python_, objects_};
  ThreadList list_;
};

}  // namespace
}  // namespace flametap::cpython

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  flametap::Input input(std::as_bytes(std::span(data, size)));
  flametap::cpython::LyingTarget(input).read_everything();
  return 0;
}
