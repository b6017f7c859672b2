#include "store/profile_id.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

namespace flametap::store {
namespace {

constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";

}  // namespace

Result<ProfileId> ProfileId::random() {
  std::array<std::uint8_t, kLength> bytes{};
  // So few bytes come whole or not at all.
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return errno_error("getrandom", errno);
  std::string text;
  for (const std::uint8_t byte : bytes) text += kAlphabet[byte % kAlphabet.size()];  // 256 is a multiple of 32
  return ProfileId(std::move(text));
}

std::optional<ProfileId> ProfileId::parse(std::string_view text) {
  const auto known = [](char character) { return kAlphabet.find(character) != std::string_view::npos; };
  if (text.size() != kLength || !std::ranges::all_of(text, known)) return std::nullopt;
  return ProfileId(std::string(text));
}

}  // namespace flametap::store
