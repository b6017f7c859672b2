#include "cli/progress_line.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "format/text.h"
#include "format/utf8.h"

namespace flametap::cli {
namespace {

constexpr std::chrono::milliseconds kInterval{250};
constexpr std::size_t kUsualColumns = 80;

bool terminal_can_erase() {
  const char* const kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

// Directly, because standard error's own lock may be held by somebody who waits for the terminal.
void put(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string first_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count)
    at += std::max<std::size_t>(format::character_length(text.substr(at)), 1);
  return std::string(text.substr(0, at));
}

}  // namespace

std::string progress_text(const sampler::Progress::Now& now, Nanoseconds elapsed, std::size_t columns) {
  const double seconds = static_cast<double>(elapsed) / static_cast<double>(kSecond);
  std::string text = fmt::format("{:.1f} s  {} {}", seconds, format::with_commas(now.samples),
                                 now.samples == 1 ? "sample" : "samples");
  if (seconds > 0) text += fmt::format("  {:.0f} ticks/s", static_cast<double>(now.ticks) / seconds);
  if (now.failed > 0) text += fmt::format("  {} failed", format::with_commas(now.failed));
  if (!now.hottest.empty()) text += "  hottest: " + format::clean(now.hottest);
  return first_characters(text, columns);
}

ProgressLine::ProgressLine(const sampler::Progress& progress) : progress_(progress), start_(monotonic_now()) {
  if (!terminal_can_erase()) return;
  // Signals are for the thread that samples: they are to wake it up.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { draw_until_done(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ProgressLine::draw_until_done() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kInterval, [this] { return done_; })) {
    // One column less than there are: in the last one some terminals begin a new line.
    put("\r\x1b[K" + progress_text(progress_.get(), monotonic_now() - start_, terminal_columns() - 1));
  }
  put("\r\x1b[K");
}

}  // namespace flametap::cli
