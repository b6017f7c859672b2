#include "server/views.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "format/html.h"
#include "format/read_any.h"
#include "format/text.h"
#include "profile/filter.h"
#include "server/intake.h"

namespace flametap::server {
namespace {

constexpr std::uint64_t kMaxViewBytes = std::uint64_t{1} << 28;
constexpr const char* kRemedy = "download the recording as ftap and convert it with flametap report";
constexpr std::uint64_t kBytesPerFrame = 12;  // a number and what stands around it

// How many bytes the stacks of all samples take, each one in full.
std::uint64_t unfolded_bytes(const profile::Profile& profile, bool with_names) {
  std::vector<std::uint64_t> bytes(profile.stack_count(), 0);
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    const profile::Stack& stack = profile.stack(profile::StackId(i));
    const profile::FrameId frame = stack.frame;
    const std::uint64_t names = with_names ? profile.name(frame).size() + profile.file(frame).size() : 0;
    bytes[i] = std::min(bytes[static_cast<std::size_t>(stack.parent)] + kBytesPerFrame + names, kMaxViewBytes);
  }
  std::uint64_t sum = 0;
  for (const profile::Sample& sample : profile.samples()) {
    sum += bytes[static_cast<std::size_t>(sample.stack)];
    if (sum > kMaxViewBytes) return sum;
  }
  return sum;
}

bool writes_stacks_in_full(format::Format format) {
  using format::Format;
  return format == Format::folded || format == Format::speedscope || format == Format::pprof ||
         format == Format::chrome;
}

}  // namespace

Result<std::string> make_view(format::Format format, std::string_view ftap) {
  if (format == format::Format::ftap) return std::string(ftap);
  const auto read = format::read_any_text(ftap, {.keep_time = format::keeps_time(format), .max_rows = kMaxRows});
  if (!read) return Error{Failure::failed, read.error().message, kRemedy};
  if (format == format::Format::html) return format::html_around(ftap, read->profile);
  const bool whole = format::keeps_everything(format) || read->profile.recording.mode != profile::Mode::wall;
  const auto shown =
      whole ? profile::filter(read->profile, {}) : profile::filter(read->profile, {.mode = profile::Mode::cpu});
  if (!shown) return shown.error();
  if (writes_stacks_in_full(format) && unfolded_bytes(*shown, format == format::Format::folded) > kMaxViewBytes) {
    return Error{Failure::failed, "as " + std::string(format::name(format)) + " it would take more than 256 MiB",
                 kRemedy};
  }
  return format::write(format, *shown);
}

}  // namespace flametap::server
