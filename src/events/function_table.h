// FunctionTable: which calls are calls of the same function.
//
// An event has the name of a function without its class, so one file may have many of a name: they differ by the line
// at which they begin. A generator, though, is "called" again at the line where it yielded. So the lines at which a
// function was left are remembered as its own: a call that begins at one of them is a call of that function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace flametap::events {

struct KnownFunction {
  std::string_view file{};
  std::string_view function{};
  std::int32_t line = 0;  // at which a call of it was first seen to begin; 0: not known
};

class FunctionTable {
 public:
  static constexpr std::size_t kMaxFunctions = 100'000;
  static constexpr std::uint32_t kOthers = 0;  // stands for all beyond that

  FunctionTable() : functions_{{.function = "(other functions)"}} {}

  // The number of the function of which a call begins here. Line 0: any one of that name. The texts must live as long
  // as the table.
  [[nodiscard]] std::uint32_t called(std::string_view file, std::string_view function, std::int32_t line);
  // A call of it was left at this line.
  void left(std::uint32_t number, std::int32_t line);

  [[nodiscard]] const KnownFunction& operator[](std::uint32_t number) const { return functions_[number]; }
  [[nodiscard]] std::size_t size() const { return functions_.size(); }

 private:
  static constexpr std::size_t kMaxPlaces = 10 * kMaxFunctions;

  struct Place {
    std::string_view file;
    std::string_view function;
    std::int32_t line;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const;
  };

  std::vector<KnownFunction> functions_;
  std::unordered_map<Place, std::uint32_t, PlaceHash> places_;
};

}  // namespace flametap::events
