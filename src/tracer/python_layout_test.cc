#include "tracer/python_layout.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "cpython/every_layout.h"
#include "cpython/fake_interpreter.h"
#include "cpython/text.h"

namespace flametap::tracer {
namespace {

using cpython::GilKind;
using cpython::Layout;
using target::Address;

class PythonLayout : public testing::TestWithParam<const Layout*> {
 protected:
  bool has_events() const { return GetParam()->gil_kind != GilKind::current_thread_variable; }
  std::uint64_t word(std::uint64_t at) {
    std::uint64_t value = 0;
    EXPECT_EQ(python_.memory().read_value(Address{at}, value), target::ReadStatus::ok) << std::hex << at;
    return value;
  }
  // As python_layout.h says that it is found.
  std::uint64_t thread_state(const flametap_python_layout& layout, std::uint64_t thread_id) {
    if (layout.current_thread != 0) return word(layout.current_thread);
    std::uint64_t interpreter = word(layout.runtime + layout.interpreters_head);
    for (; interpreter != 0; interpreter = word(interpreter + layout.interpreter_next)) {
      std::uint64_t thread = word(interpreter + layout.interpreter_threads_head);
      for (; thread != 0; thread = word(thread + layout.thread_next)) {
        if (word(thread + layout.thread_id) == thread_id) return thread;
      }
    }
    return 0;
  }
  std::uint64_t innermost_code(const flametap_python_layout& layout, std::uint64_t thread) {
    std::uint64_t frame = word(thread + layout.thread_frame);
    if (layout.frame_link == FLAMETAP_CFRAME) frame = word(frame + layout.cframe_current_frame);
    while (layout.frame_owner != FLAMETAP_ABSENT &&
           (word(frame + layout.frame_owner) & 0xff) >= layout.first_shim_owner) {
      frame = word(frame + layout.frame_previous);
    }
    return word(frame + layout.frame_code) & ~layout.code_tag_mask;
  }
  std::optional<std::string> text(std::uint64_t at) {
    return cpython::read_text(python_.memory(), python_.layout(), Address{at});
  }

  cpython::FakeInterpreter python_{*GetParam()};
};

TEST_P(PythonLayout, OfVersionsWithoutEventsThereIsNone) {
  EXPECT_EQ(python_layout(python_.found()).ok(), has_events());
}

TEST_P(PythonLayout, LeadsToTheInnermostFunction) {
  if (!has_events()) GTEST_SKIP() << "no events";
  const Address code = python_.make_code("leaf", "/app/leaf.py", 12);
  static_cast<void>(python_.add_thread(1111, 11));
  auto& thread = python_.add_thread(2222, 22);
  python_.call(thread, python_.make_code("main", "/app/main.py", 1));
  python_.call(thread, code);
  python_.call_shim(thread);
  const cpython::Interpreter found = python_.found();
  python_.put(found.current_thread, to_number(thread.state));

  const Result<flametap_python_layout> layout = python_layout(found);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->current_thread != 0, GetParam()->gil_kind == GilKind::current_thread_field);
  const std::uint64_t state = thread_state(*layout, 2222);
  ASSERT_EQ(state, to_number(thread.state));
  const std::uint64_t innermost = innermost_code(*layout, state);
  ASSERT_EQ(innermost, to_number(code));
  EXPECT_EQ(text(word(innermost + layout->code_name)), "leaf");
  EXPECT_EQ(text(word(innermost + layout->code_filename)), "/app/leaf.py");
  EXPECT_EQ(static_cast<std::uint32_t>(word(innermost + layout->code_first_line)), 12u);
  EXPECT_NE(layout->code_flags, layout->code_first_line);
}

INSTANTIATE_TEST_SUITE_P(Every, PythonLayout, testing::ValuesIn(cpython::every_layout()), cpython::layout_name);

}  // namespace
}  // namespace flametap::tracer
