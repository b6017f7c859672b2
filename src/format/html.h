// One page with the viewer and the whole recording in it, for a browser without a network. See docs/formats/html.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/read_any.h"
#include "profile/profile.h"

namespace flametap::format {

[[nodiscard]] std::string write_html(const profile::Profile& profile);

// The same of a recording whose bytes are there already, in .ftap: they need not be made again. `profile` says what it
// is called after.
struct Opening {
  profile::Mode mode = profile::Mode::unknown;  // which time counts when the page opens; unknown: the viewer chooses
  bool by_thread = false;
};
[[nodiscard]] std::string html_around(std::string_view ftap, const profile::Profile& profile,
                                      const Opening& opening = {});

[[nodiscard]] bool looks_like_html(std::string_view content);

// A page that compares two recordings, under these names. Which time counts when it opens; unknown: the viewer chooses.
struct Named {
  std::string name;
  const profile::Profile& profile;
};
[[nodiscard]] std::string write_html_difference(const Named& before, const Named& after,
                                                profile::Mode mode = profile::Mode::unknown);

// What is said of a page that compares.
inline constexpr const char* kOnlyTheFirstIsRead = "this page compares two recordings; only the first one is read";
// What is said of a page that is not all there, but whose recording can be read, or a part of it.
inline constexpr const char* kIsCutOff = "the page is cut off: get the whole file again to see it in a browser";
// The first recording of a page that we wrote.
[[nodiscard]] Result<ReadProfile> read_html(std::string_view page, const ReadOptions& options = {});

// Under which name a recording is shown in a page: `shop-1234`.
[[nodiscard]] std::string recording_name(const profile::Profile& profile);

}  // namespace flametap::format
