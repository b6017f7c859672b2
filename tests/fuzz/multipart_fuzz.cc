// Whatever the bytes, parse_form gives an error or parts that lie inside the body, in their order.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "server/multipart.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flametap;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line = input.find('\n');  // the type, then the body
  if (line == std::string_view::npos) return 0;
  const std::string_view body = input.substr(line + 1);
  const auto parts = server::parse_form(input.substr(0, line), body);
  if (!parts) return 0;
  const char* end = body.data();
  for (const server::FormPart& part : *parts) {
    if (part.content.data() < end || part.content.data() + part.content.size() > body.data() + body.size())
      std::abort();
    end = part.content.data() + part.content.size();
  }
  return 0;
}
