// ProfileId: the name of a stored profile in addresses: 16 lowercase base32 characters, 80 random bits, so that nobody
// can guess one or walk from one to the next.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace flametap::store {

class ProfileId {
 public:
  static constexpr std::size_t kLength = 16;

  [[nodiscard]] static Result<ProfileId> random();
  // Nothing if the text is no such name.
  [[nodiscard]] static std::optional<ProfileId> parse(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  auto operator<=>(const ProfileId&) const = default;

 private:
  explicit ProfileId(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace flametap::store
