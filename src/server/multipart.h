// Forms with files (multipart/form-data, RFC 7578), read strictly: a body that is not exactly one is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flametap::server {

struct FormPart {
  std::string name;
  std::string file_name;     // as the client says; empty: none
  std::string_view content;  // borrowed from the body
};

// Whether the header Content-Type says that a body is such a form.
[[nodiscard]] bool is_form(std::string_view content_type);

[[nodiscard]] Result<std::vector<FormPart>> parse_form(std::string_view content_type, std::string_view body);

// The first part of that name; null: none.
[[nodiscard]] const FormPart* find_part(const std::vector<FormPart>& parts, std::string_view name);

}  // namespace flametap::server
