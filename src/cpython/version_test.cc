#include "cpython/version.h"

#include <gtest/gtest.h>

#include <string>

namespace flametap::cpython {
namespace {

using namespace std::string_literals;

std::optional<Version> find(const std::string& text) {
  return find_version_string(std::as_bytes(std::span(text.data(), text.size())));
}

TEST(Version, FromHex) {
  EXPECT_EQ(Version::from_hex(0x030b07f0), (Version{3, 11, 7}));
  EXPECT_EQ(to_string(Version::from_hex(0x021b12f0)), "2.27.18");
}

TEST(VersionString, OfReleases) {
  EXPECT_EQ(find("2.7.18 (default, Jul 14 2021, 08:11:37) \n[GCC 10.2.1 20210110]"), (Version{2, 7, 18}));
  EXPECT_EQ(find("\0\0\0"
                 "3.8.18 (default, May  9 2026, 07:32:57)"s),
            (Version{3, 8, 18}));
  EXPECT_EQ(find("%s (%s)\0"
                 "3.12.1 (main, May  9 2026)"s),
            (Version{3, 12, 1}));
}

TEST(VersionString, OfOtherStages) {
  EXPECT_EQ(find("3.9.2+ (heads/3.9:1a2b3c)"), (Version{3, 9, 2}));
  EXPECT_EQ(find("3.10.0rc2 (default)"), (Version{3, 10, 0}));
  EXPECT_EQ(find("3.11.0a7+ (main)"), (Version{3, 11, 0}));
  EXPECT_EQ(find("3.7.0b12 (v3.7.0b12)"), (Version{3, 7, 0}));
}

TEST(VersionString, BehindBytesThatAreNoText) {
  EXPECT_EQ(find("\xff\x80 (\x01"
                 "3.6.15 ("s),
            (Version{3, 6, 15}));
}

TEST(VersionString, OthersAreNone) {
  EXPECT_EQ(find(""), std::nullopt);
  EXPECT_EQ(find(" ("), std::nullopt);
  EXPECT_EQ(find("3.2.0"), std::nullopt);
  EXPECT_EQ(find("UnicodeData 5.2.0 (see"), std::nullopt) << "in the middle of a text";
  EXPECT_EQ(find("3.8 (default)"), std::nullopt);
  EXPECT_EQ(find("v3.8.18 (default)"), std::nullopt) << "part of another word";
  EXPECT_EQ(find("1.3.8.18 (default)"), std::nullopt);
  EXPECT_EQ(find("3.8.18(default)"), std::nullopt);
  EXPECT_EQ(find("3.8.18"), std::nullopt);
  EXPECT_EQ(find("3.8.1888 (default)"), std::nullopt);
  EXPECT_EQ(find("3..18 (default)"), std::nullopt);
  EXPECT_EQ(find(std::string(100, '9') + " ("), std::nullopt);
}

TEST(VersionFromFileName, OfInterpretersAndLibraries) {
  const auto found = [](std::string_view path) { return to_string(version_from_file_name(path).value_or(Version{})); };
  EXPECT_EQ(found("/usr/bin/python2.7"), "2.7");
  EXPECT_EQ(found("/usr/bin/python3.11-dbg"), "3.11");
  EXPECT_EQ(found("/x/lib/libpython3.6m.so.1.0"), "3.6");
  EXPECT_EQ(found("libpython3.13t.so.1.0"), "3.13");
  EXPECT_EQ(found("libpython2.7_d.so.1.0"), "2.7");
  EXPECT_EQ(found("/usr/bin/python3.9 (deleted)"), "3.9");
}

TEST(VersionFromFileName, OthersAreNone) {
  for (const char* path : {"", "/", "python", "python3", "/usr/bin/python3", "libpython3.so", "/opt/python3.8/bin/prog",
                           "ipython3.8", "python3.", "python3.x", "libfoo3.8.so"}) {
    EXPECT_EQ(version_from_file_name(path), std::nullopt) << path;
  }
}

}  // namespace
}  // namespace flametap::cpython
