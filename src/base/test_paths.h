// Where the tests find what belongs to the project and what was built for them. The build writes the two functions into
// a file of their own: ccache then finds the tests of a clone in another folder, too.
#pragma once

#include <string>

namespace flametap {

const char* source_folder();
const char* build_folder();

inline std::string in_source(const std::string& path) { return std::string(source_folder()) + "/" + path; }
inline std::string in_build(const std::string& path) { return std::string(build_folder()) + "/" + path; }

}  // namespace flametap
