#include "cpython/machinery.h"

#include <gtest/gtest.h>

#include "cpython/layout_table.h"

namespace flametap::cpython {
namespace {

using stack::Role;

TEST(Machinery, EvaluatesByTheFunctionOfItsVersion) {
  const Layout* const old = find_layout({2, 7, 18}, false);
  const Layout* const recent = find_layout({3, 8, 18}, false);
  ASSERT_NE(old, nullptr);
  ASSERT_NE(recent, nullptr);
  EXPECT_EQ(role_of("PyEval_EvalFrameEx", *old), Role::evaluates);
  EXPECT_EQ(role_of("PyEval_EvalFrameEx.part.0", *old), Role::evaluates);
  EXPECT_EQ(role_of("_PyEval_EvalFrameDefault", *recent), Role::evaluates);
  EXPECT_EQ(role_of("_PyEval_EvalFrameDefault.cold", *recent), Role::evaluates);
  // There it only passes the call on.
  EXPECT_EQ(role_of("PyEval_EvalFrameEx", *recent), Role::machinery);
}

TEST(Machinery, TellsCallingFromWorking) {
  const Layout& layout = all_layouts().back();
  for (const char* name :
       {"_PyObject_Vectorcall", "cfunction_call", "cfunction_vectorcall_FASTCALL.lto_priv.0", "_PyFunction_Vectorcall",
        "slot_tp_call", "gen_send_ex2", "Py_BytesMain", "pymain_run_python"}) {
    EXPECT_EQ(role_of(name, layout), Role::machinery) << name;
  }
  for (const char* name : {"list_sort_impl", "builtin_sorted", "sre_ucs1_match", "_json_scanner", "deflate", "dgemm_",
                           "gc_collect_main", "", "PyObject_GetAttr", "_PyObject_Malloc", "PyList_New"}) {
    EXPECT_EQ(role_of(name, layout), Role::other) << name;
  }
}

TEST(Machinery, KnowsWhereThreadsBegin) {
  for (const char* name : {"_start", "__libc_start_main", "__libc_start_main@@GLIBC_2.34", "__libc_start_main_impl",
                           "clone3", "start_thread"}) {
    EXPECT_TRUE(begins_a_thread(name)) << name;
  }
  for (const char* name : {"main", "start_threads", "_starts", ""}) EXPECT_FALSE(begins_a_thread(name)) << name;
}

}  // namespace
}  // namespace flametap::cpython
