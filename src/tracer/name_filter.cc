#include "tracer/name_filter.h"

namespace flametap::tracer {

bool NameFilter::shows(std::string_view file, std::string_view function) {
  if (shows_all()) return true;
  const auto [place, is_new] = verdicts_.try_emplace({file.data(), function.data()}, false);
  if (!is_new) return place->second;
  place->second = function_.matches(function) && file_.matches(file);
  if (judged_) judged_(file, function, place->second);
  return place->second;
}

}  // namespace flametap::tracer
