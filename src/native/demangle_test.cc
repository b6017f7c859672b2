#include "native/demangle.h"

#include <gtest/gtest.h>

namespace flametap::native {
namespace {

TEST(Demangle, LeavesOtherNamesAlone) {
  for (const char* const name : {"", "main", "PyEval_EvalFrameEx", "_Z", "_R", "_ZN", "foo.bar", "foo.0", ".cold"}) {
    EXPECT_EQ(demangle(name), name);
  }
}

TEST(Demangle, CppWithoutParametersAndReturnTypes) {
  EXPECT_EQ(demangle("_Z3addii"), "add");
  EXPECT_EQ(demangle("_ZN5shape6Circle4areaEv"), "shape::Circle::area");
  EXPECT_EQ(demangle("_ZNK5shape6Circle4areaEv"), "shape::Circle::area");
  EXPECT_EQ(demangle("_ZN12_GLOBAL__N_14workEi"), "(anonymous namespace)::work");
  EXPECT_EQ(demangle("_Z3maxIiET_S0_S0_"), "max<int>");
  EXPECT_EQ(demangle("_ZNSt6vectorIiSaIiEE9push_backERKi"), "std::vector<int, std::allocator<int> >::push_back");
  EXPECT_EQ(demangle("_ZZ4mainENKUlvE_clEv"), "main::{lambda()#1}::operator()");
  EXPECT_EQ(demangle("_ZL6hiddeni"), "hidden");
  EXPECT_EQ(demangle("_ZN3FooC4Ev"), "Foo::Foo");
}

TEST(Demangle, RustWithoutHash) {
  EXPECT_EQ(demangle("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
  EXPECT_EQ(
      demangle("_ZN66_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE"),
      "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop");
  EXPECT_EQ(demangle("_ZN4core3ops8function6FnOnce9call_once32_$u7b$$u7b$vtable.shim$u7d$$u7d$17h0123456789abcdefE"),
            "core::ops::function::FnOnce::call_once::{{vtable.shim}}");
  EXPECT_EQ(demangle("_RNvC6_123foo3bar"), "123foo::bar");
  EXPECT_EQ(demangle("_RNvCs15kBYyAo9fc_7mycrate7example"), "mycrate::example");
  EXPECT_EQ(demangle("_RNvMNtCs15kBYyAo9fc_7mycrate5innerNtB2_5Thing3run"), "<mycrate::inner::Thing>::run");
  EXPECT_EQ(demangle("_RINvCs15kBYyAo9fc_7mycrate7genericlE"), "mycrate::generic::<i32>");
}

TEST(Demangle, RemovesTheSuffixesOfCopiesAndParts) {
  EXPECT_EQ(demangle("_PyEval_EvalFrameDefault.cold"), "_PyEval_EvalFrameDefault");
  EXPECT_EQ(demangle("_Z3addii.constprop.0.isra.0.cold"), "add");
  EXPECT_EQ(demangle("_RNvC6_123foo3bar.llvm.9876543210"), "123foo::bar");
  EXPECT_EQ(without_clone_suffixes("_PyEval_EvalFrameDefault.part.12.lto_priv.0"), "_PyEval_EvalFrameDefault");
  EXPECT_EQ(without_clone_suffixes("f.localalias"), "f");
  EXPECT_EQ(without_clone_suffixes("f.cold.3"), "f");
  EXPECT_EQ(without_clone_suffixes("f.3"), "f.3");
  EXPECT_EQ(without_clone_suffixes("f.avx2"), "f.avx2");
  EXPECT_EQ(without_clone_suffixes(".part.0"), ".part.0");
  EXPECT_EQ(without_clone_suffixes("cold"), "cold");
}

TEST(Demangle, KeepsTheMarkOfAJumpTable) {
  EXPECT_EQ(demangle("read@plt"), "read@plt");
  EXPECT_EQ(demangle("_ZNSt6thread4joinEv@plt"), "std::thread::join@plt");
}

TEST(Demangle, TakesLongNames) {
  const std::string name = "_Z2000" + std::string(2000, 'a') + "v";
  EXPECT_EQ(demangle(name), std::string(2000, 'a'));
}

TEST(Demangle, IsBounded) {
  const std::string long_name = "_Z5000" + std::string(5000, 'a') + "v";
  EXPECT_EQ(demangle(long_name), long_name);
  // Each pair holds the pair before it twice.
  std::string bomb = "_Z1fI1pIiiES_";
  for (int i = 0; i < 30; ++i) bomb += "1pIS" + (i == 0 ? std::string("1") : std::to_string(i)) + "_S0_E";
  (void)demangle(bomb + "Evv");
  std::string pairs = "_ZN1aI1bI";
  for (int i = 0; i < 200; ++i) pairs += "1cIS_S_S0_S1_";
  (void)demangle(pairs + std::string(200, 'E') + "Ev");
  const std::string deep = "_Z1f" + std::string(4000, 'P') + "i";
  (void)demangle(deep);
}

}  // namespace
}  // namespace flametap::native
