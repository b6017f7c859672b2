// NameFilter: which functions are to be shown, by patterns on their names and files. Remembers each verdict.
//
// One thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/pattern.h"

namespace flametap::tracer {

class NameFilter {
 public:
  // Is told each verdict once.
  using Judged = std::function<void(std::string_view file, std::string_view function, bool show)>;

  NameFilter(Pattern function, Pattern file) : function_(std::move(function)), file_(std::move(file)) {}

  void on_judged(Judged judged) { judged_ = std::move(judged); }

  // The views must show the same memory whenever they show the same text, as those of a RecordReader do.
  [[nodiscard]] bool shows(std::string_view file, std::string_view function);

  [[nodiscard]] bool shows_all() const { return function_.matches_all() && file_.matches_all(); }
  [[nodiscard]] bool looks_at_files() const { return !file_.matches_all(); }

 private:
  using Key = std::pair<const char*, const char*>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<const void*>{}(key.first) * 31 + std::hash<const void*>{}(key.second);
    }
  };

  Pattern function_;
  Pattern file_;
  std::unordered_map<Key, bool, KeyHash> verdicts_;
  Judged judged_;
};

}  // namespace flametap::tracer
