#include "profile/origin.h"

#include <gtest/gtest.h>

namespace flametap::profile {
namespace {

TEST(Origin, IsToldByTheFile) {
  EXPECT_EQ(origin_of("/srv/app/main.py"), Origin::own);
  EXPECT_EQ(origin_of("<string>"), Origin::own);
  EXPECT_EQ(origin_of(""), Origin::own);
  EXPECT_EQ(origin_of("/usr/lib/python3.11/json/decoder.py"), Origin::standard_library);
  EXPECT_EQ(origin_of("/usr/lib64/python2.7/threading.py"), Origin::standard_library);
  EXPECT_EQ(origin_of("/opt/lib/python3.13t/ast.py"), Origin::standard_library);
  EXPECT_EQ(origin_of("/usr/lib/python311.zip/ast.py"), Origin::standard_library);
  EXPECT_EQ(origin_of("<frozen importlib._bootstrap>"), Origin::standard_library);
  EXPECT_EQ(origin_of("/usr/lib/python3/dist-packages/apt/cache.py"), Origin::library);
  EXPECT_EQ(origin_of("/venv/lib/python3.12/site-packages/flask/app.py"), Origin::library);
}

TEST(Origin, OfTheCStackIsToldByTheKind) {
  Profile profile;
  const auto origin = [&](FrameKind kind) {
    const StringId file = profile.intern("/usr/lib/python3.11/lib-dynload/zlib.so");
    return origin_of(profile, Function{profile.intern("f"), file, 0, kind, file});
  };
  EXPECT_EQ(origin(FrameKind::python), Origin::standard_library);
  EXPECT_EQ(origin(FrameKind::native), Origin::native);
  EXPECT_EQ(origin(FrameKind::inlined), Origin::inlined);
  EXPECT_EQ(origin(FrameKind::kernel), Origin::kernel);
}

TEST(Origin, IsNotFooledBySimilarNames) {
  EXPECT_EQ(origin_of("/srv/mylib/python3.11/a.py"), Origin::own);
  EXPECT_EQ(origin_of("/srv/lib/pythonic/a.py"), Origin::own);
  EXPECT_EQ(origin_of("/srv/lib/python3.x/a.py"), Origin::own);
  EXPECT_EQ(origin_of("/srv/lib/python"), Origin::own);
  EXPECT_EQ(origin_of("/srv/lib/python/a.py"), Origin::own);
}

}  // namespace
}  // namespace flametap::profile
