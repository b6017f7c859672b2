#include "profile/origin.h"

#include <cstddef>

namespace flametap::profile {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether `path` goes on with a version behind "lib/python", as in "lib/python3.11/" or "lib/python311.zip/".
bool is_version_folder(std::string_view rest) {
  const std::size_t end = rest.find('/');
  if (end == std::string_view::npos || !is_digit(rest.front())) return false;
  std::string_view version = rest.substr(0, end);
  if (version.ends_with(".zip")) version.remove_suffix(4);
  if (version.ends_with('t')) version.remove_suffix(1);  // free-threaded builds: python3.13t
  for (const char c : version) {
    if (!is_digit(c) && c != '.') return false;
  }
  return true;
}

bool in_standard_library(std::string_view file) {
  if (file.starts_with("<frozen ")) return true;
  for (const std::string_view folder : {"lib/python", "lib64/python"}) {
    for (std::size_t at = file.find(folder); at != std::string_view::npos; at = file.find(folder, at + 1)) {
      const bool whole_name = at == 0 || file[at - 1] == '/';
      if (whole_name && is_version_folder(file.substr(at + folder.size()))) return true;
    }
  }
  return false;
}

}  // namespace

Origin origin_of(std::string_view file) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    if (file.find(folder) != std::string_view::npos) return Origin::library;
  }
  return in_standard_library(file) ? Origin::standard_library : Origin::own;
}

Origin origin_of(const Profile& profile, const Function& function) {
  switch (function.kind) {
    case FrameKind::marker:
      return Origin::marker;
    case FrameKind::native:
      return Origin::native;
    case FrameKind::inlined:
      return Origin::inlined;
    case FrameKind::kernel:
      return Origin::kernel;
    case FrameKind::python:
      break;
  }
  return origin_of(profile.text(function.file));
}

}  // namespace flametap::profile
