#include "native/unwinder.h"

#include <optional>

namespace flametap::native {
namespace {

std::size_t slot_of(std::uint64_t pc, std::size_t slots) {
  // The golden ratio spreads program counters that differ only in their low bits.
  return static_cast<std::size_t>(pc * 0x9e37'79b9'7f4a'7c15 >> 32) % slots;
}

UnwindEnd end_of(Step step) {
  if (step == Step::outermost) return UnwindEnd::complete;
  return step == Step::outside_copy ? UnwindEnd::truncated : UnwindEnd::lost;
}

}  // namespace

Unwinder::Unwinder() : known_(std::make_unique<KnownTable>()) {}

UnwindEnd Unwinder::unwind(StackCopy& copy, AddressSpace& space, std::vector<Frame>& frames) {
  frames.clear();
  const UnwindEnd end = follow(copy, space, frames);
  copy.learn(end, frames);
  return end;
}

UnwindEnd Unwinder::follow(const StackCopy& copy, AddressSpace& space, std::vector<Frame>& frames) {
  const StackView stack = copy.stack();
  Registers registers = copy.registers();
  bool is_return_address = false;
  while (frames.size() < kMaxDepth) {
    // Outermost calls whose table does not say so return to nowhere.
    if (is_return_address && registers[kReturnAddress] == 0) return UnwindEnd::complete;
    const std::uint64_t pc = registers[kReturnAddress] - (is_return_address ? 1 : 0);
    const Spot spot = find(pc, space);
    if (!spot.executable && !frames.empty()) return UnwindEnd::lost;
    Frame& frame = frames.emplace_back();
    // Nothing called the kernel's way back from a handler: the address is exact, and the byte before it another's.
    const bool is_signal_frame = spot.row != nullptr && spot.row->is_signal_frame();
    frame.pc = target::Address{is_signal_frame ? registers[kReturnAddress] : pc};
    frame.begin = target::Address{registers[kStackPointer]};
    if (!spot.executable) return UnwindEnd::lost;
    const Step taken =
        spot.row != nullptr ? step(*spot.row, stack, registers, frame) : go_without_row(stack, space, registers, frame);
    if (taken != Step::caller) return end_of(taken);
    is_return_address = !is_signal_frame;
  }
  return UnwindEnd::truncated;
}

Unwinder::Spot Unwinder::find(std::uint64_t pc, AddressSpace& space) {
  Known& known = (*known_)[slot_of(pc, kKnown)];
  if (known.pc == pc && known.generation == space.generation()) return {true, known.row};
  const AddressSpace::Place place = space.find(target::Address{pc});
  if (place.kind == AddressSpace::Place::Kind::nothing) return {};
  const UnwindRow* const row = place.binary != nullptr ? place.binary->rows().find(place.address) : nullptr;
  known = {pc, space.generation(), row};
  return {true, row};
}

Step Unwinder::step(const UnwindRow& row, const StackView& stack, Registers& registers, Frame& frame) const {
  const Value cfa = row.cfa(registers, stack);
  if (cfa.status == ValueStatus::outside_copy) return Step::outside_copy;
  if (cfa.status != ValueStatus::ok) return row.is_outermost() ? Step::outermost : Step::nonsense;
  if (cfa.number <= registers[kStackPointer]) {
    // What a signal interrupted may lie on another stack than its handler; that one was not copied.
    return row.is_signal_frame() ? Step::outside_copy : Step::nonsense;
  }
  frame.end = target::Address{cfa.number};
  return row.step(cfa.number, stack, registers);
}

// Code that says nothing of itself may be about to leave, as the stubs are that compilers of just-in-time code put
// between their callers and functions. Else there is only a guess.
Step Unwinder::go_without_row(const StackView& stack, AddressSpace& space, Registers& registers, Frame& frame) {
  std::array<std::byte, kLeavingBytes> buffer{};
  const Bytes code = space.read_code(target::Address{registers[kReturnAddress]}, buffer);
  const std::optional<Registers> caller = leave(code, registers, stack);
  if (!caller) return guess(stack, space, registers, frame);
  registers = *caller;
  frame.end = target::Address{registers[kStackPointer]};
  return Step::caller;
}

// Anything may stand where a frame pointer points to that is none.
bool Unwinder::is_return_address(std::uint64_t pc, AddressSpace& space) {
  if (pc < kLongestCall || !find(pc - 1, space).executable) return false;
  std::array<std::byte, kLongestCall> buffer{};
  return may_end_with_call(space.read_code(target::Address{pc - kLongestCall}, buffer));
}

Step Unwinder::guess(const StackView& stack, AddressSpace& space, Registers& registers, Frame& frame) {
  const std::optional<Registers> caller = guess_caller(registers, stack);
  if (!caller) return Step::nonsense;
  if (!is_return_address((*caller)[kReturnAddress], space)) return Step::nonsense;
  registers = *caller;
  frame.end = target::Address{registers[kStackPointer]};
  frame.guessed = true;
  return Step::caller;
}

}  // namespace flametap::native
