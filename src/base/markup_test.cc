#include "base/markup.h"

#include <gtest/gtest.h>

namespace flametap {
namespace {

TEST(Markup, IsTextAndNothingElse) {
  EXPECT_EQ(escaped_markup("<script a='1' b=\"2\">&amp;"), "&lt;script a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;amp;");
  EXPECT_EQ(escaped_markup(std::string_view("a\0b", 3)),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(escaped_markup("Gr\xc3\xbc\xc3\x9f"
                           "e"),
            "Gr\xc3\xbc\xc3\x9f"
            "e");
}

}  // namespace
}  // namespace flametap
