// The page that shows recordings in a browser: the viewer with recordings inside, which needs no request at all, or,
// served, without any, which asks its server for them.
//
// Everything that comes from outside is escaped, and the policy in the page (served: in the response's header) allows
// the viewer's own script and style and nothing else. See docs/formats/html.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flametap::viewer {

struct Embedded {
  std::string name;        // for people: "shop-123.ftap"
  std::string_view ftap;   // the bytes of the recording; borrowed
  std::string mode = {};   // which time counts at first: wall, cpu, gil or ready; empty: the viewer chooses
  bool by_thread = false;  // at first
};

struct PageOptions {
  std::string title;                      // UTF-8, as are the names
  std::vector<Embedded> recordings = {};  // one to show, two to compare: before and after
  bool served = false;
};

[[nodiscard]] std::string page(const PageOptions& options);

// For the header `Content-Security-Policy` of a page that is served; a page in a file has its own in itself.
[[nodiscard]] std::string content_security_policy(bool served);

// The bytes of the first recording in a page of ours, as far as they are there; nothing if there is none.
[[nodiscard]] std::optional<std::string> first_recording(std::string_view page);
// Whether it begins as our pages do and lacks their end, as one that was downloaded in part does.
[[nodiscard]] bool is_cut_off(std::string_view page);
// How many there are: two in a page that compares.
[[nodiscard]] std::size_t recording_count(std::string_view page);

}  // namespace flametap::viewer
