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
  std::string text =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n";
  text += options.served ? fmt::format("<meta name=\"flametap-server\" content=\"{}\">\n", FLAMETAP_VERSION)
                         : fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n",
                                       content_security_policy(false));
  text += fmt::format("<title>{}</title>\n<style>{}</style></head>\n<body><div id=\"app\"></div>\n",
                      escaped_markup(options.title), viewer.style.text);
  for (const Embedded& recording : options.recordings) append_recording(recording, text);
  text += fmt::format("<script>{}</script></body></html>\n", viewer.script.text);
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

std::size_t recording_count(std::string_view page) {
  std::size_t count = 0;
  for (std::size_t at = page.find(kRecordingStart); at != std::string_view::npos;
       at = page.find(kRecordingStart, at + 1))
    ++count;
  return count;
}

}  // namespace flametap::viewer
