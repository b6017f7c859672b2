#include "native/cfi_program.h"

#include <dwarf.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

namespace flametap::native {
namespace {

bool is_harmless(const std::vector<std::uint8_t>& program) {
  return is_harmless_cfi_program(std::as_bytes(std::span(program)));
}

TEST(CfiProgram, WhatCompilersWriteIsHarmless) {
  EXPECT_TRUE(is_harmless({}));
  EXPECT_TRUE(is_harmless({DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1, DW_CFA_nop, DW_CFA_nop}));
  EXPECT_TRUE(
      is_harmless({DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2, DW_CFA_advance_loc2, 0, 1,
                   DW_CFA_remember_state, DW_CFA_def_cfa_register, 6, DW_CFA_restore_state, DW_CFA_restore | 6}));
  EXPECT_TRUE(is_harmless({DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref, DW_CFA_expression, 12, 2,
                           DW_OP_breg6, 0x70, DW_CFA_GNU_args_size, 0x10, DW_CFA_undefined, 16}));
}

// libdw would make room for all of them: 100,663,297 registers.
TEST(CfiProgram, ARegisterThatNoProcessorHas) {
  EXPECT_FALSE(is_harmless({DW_CFA_undefined, 0x80, 0x80, 0x80, 0x30}));
  EXPECT_FALSE(is_harmless({DW_CFA_same_value, 0x80, 2}));
  EXPECT_FALSE(is_harmless({DW_CFA_expression, 0xff, 0xff, 3, 1, DW_OP_lit0}));
}

TEST(CfiProgram, StatesAreRememberedOnlySoOften) {
  EXPECT_TRUE(is_harmless(std::vector<std::uint8_t>(64, DW_CFA_remember_state)));
  EXPECT_FALSE(is_harmless(std::vector<std::uint8_t>(65, DW_CFA_remember_state)));
}

TEST(CfiProgram, WhatIsCutOrUnknown) {
  EXPECT_FALSE(is_harmless({DW_CFA_def_cfa, 7}));
  EXPECT_FALSE(is_harmless({DW_CFA_def_cfa_expression, 3, DW_OP_breg6}));
  EXPECT_FALSE(is_harmless({DW_CFA_advance_loc4, 0, 0, 0}));
  EXPECT_FALSE(is_harmless({DW_CFA_set_loc, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_FALSE(is_harmless({0x3f}));
  EXPECT_FALSE(is_harmless({DW_CFA_def_cfa_offset, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}));
  EXPECT_FALSE(is_harmless(std::vector<std::uint8_t>(65 * 1024, DW_CFA_nop)));
}

}  // namespace
}  // namespace flametap::native
