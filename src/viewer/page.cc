#include "viewer/page.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/markup.h"
#include "viewer/base64.h"
#include "viewer/bundle.h"

namespace flametap::viewer {
namespace {

// What a recording in a page begins with. It cannot stand in a name or a title, where `<` is escaped; the script that
// looks for it comes later.
constexpr std::string_view kRecordingStart = "<script type=\"application/x-flametap\"";

// Stands where the viewer will draw. The viewer is the last thing in the page, so that of a file that is cut off a
// browser shows this and nothing else. It comes before the style sheet, so that it also shows where that one is cut.
constexpr std::string_view kCutOff =
    "<main class=\"notice cut-off\"><h1>This page is not complete</h1>\n"
    "<p>If it does not go on loading, its file is cut off, for example because a download was interrupted. Get "
    "the whole file again.</p>\n"
    "<p>To see what is left in this one: <code>flametap report FILE</code></p></main>";

constexpr std::string_view kStart =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n";
constexpr std::string_view kEnd = "</body></html>";

void append_recording(const Embedded& recording, std::string& page) {
  page += fmt::format("{} data-name=\"{}\"", kRecordingStart, escaped_markup(recording.name));
  if (!recording.mode.empty()) page += fmt::format(" data-mode=\"{}\"", escaped_markup(recording.mode));
  if (recording.by_thread) page += " data-by-thread";
  page += '>';
  append_base64(recording.ftap, page);
  page += "</script>\n";
}

}  // namespace

std::string page(const PageOptions& options) {
  const Bundle viewer = bundle();
  std::string text(kStart);
  text += options.served ? fmt::format("<meta name=\"flametap-server\" content=\"{}\">\n", FLAMETAP_VERSION)
                         : fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n",
                                       content_security_policy(false));
  text += fmt::format("<title>{}</title></head>\n<body><div id=\"app\">{}</div>\n<style>{}</style>\n",
                      escaped_markup(options.title), options.served ? "" : kCutOff, viewer.style.text);
  for (const Embedded& recording : options.recordings) append_recording(recording, text);
  text += fmt::format("<script>{}</script>{}\n", viewer.script.text, kEnd);
  return text;
}

std::string content_security_policy(bool served) {
  const Bundle viewer = bundle();
  std::string policy = fmt::format(
      "default-src 'none'; script-src '{}'; style-src '{}'; img-src data: blob:; base-uri 'none'; form-action 'none'",
      viewer.script.hash, viewer.style.hash);
  // Neither can be said in a page itself; one from a file has nobody to connect to.
  if (served) policy += "; connect-src 'self'; frame-ancestors 'none'";
  return policy;
}

std::optional<std::string> first_recording(std::string_view page) {
  const std::size_t start = page.find(kRecordingStart);
  if (start == std::string_view::npos) return std::nullopt;
  const std::size_t content = page.find('>', start);
  if (content == std::string_view::npos) return std::string();
  return decode_base64(page.substr(content + 1));  // ends at the `<` of the closing tag
}

bool is_cut_off(std::string_view page) {
  if (page.substr(0, kStart.size()) != kStart.substr(0, page.size())) return false;
  return !page.substr(0, page.find_last_not_of(" \t\r\n") + 1).ends_with(kEnd);
}

std::size_t recording_count(std::string_view page) {
  std::size_t count = 0;
  for (std::size_t at = page.find(kRecordingStart); at != std::string_view::npos;
       at = page.find(kRecordingStart, at + 1))
    ++count;
  return count;
}

}  // namespace flametap::viewer
