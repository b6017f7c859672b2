#include "cpython/machinery.h"

#include <algorithm>

namespace flametap::cpython {
namespace {

using stack::Role;

// A name belongs to the machinery if it begins with one of these. From the sources of 2.7 to 3.15.
constexpr std::string_view kBeginnings[] = {
    // Evaluation, and what stands around it.
    "_PyEval_", "_PyEvalFrame", "initialize_locals", "PyEval_", "_TAIL_CALL_", "run_eval_code_obj", "run_mod",
    "_PyFunction_", "function_code_fastcall",
    // Calls.
    "PyObject_Call", "_PyObject_Call", "PyObject_Vectorcall", "_PyObject_Vectorcall", "_PyObject_FastCall",
    "_PyObject_MakeTpCall", "PyVectorcall_", "_PyVectorcall_", "object_vacall", "vectorcall_", "_PyStack_",
    "callmethod", "_PyObject_Fast",
    // Objects that can be called.
    "cfunction_", "_PyCFunction_", "PyCFunction_Call", "_PyMethodDef_", "_PyMethodDescr", "method_vectorcall",
    "methoddescr_call", "method_call", "_PyMethod_Vectorcall", "function_call", "instancemethod_", "instance_call",
    "classmethoddescr_call", "wrapperdescr_call", "wrapper_call", "wrap_", "slot_", "type_call", "type_vectorcall",
    // 2.7's and 3.6's names of the same.
    "call_function", "fast_function", "_PyFunction_Fast", "do_call", "ext_do_call",
    // Generators and coroutines.
    "gen_send_ex", "gen_iternext", "gen_send", "_PyGen_", "PyGen_", "coro_wrapper_", "PyIter_Send",
    // Imports: the work is done in importlib, in Python.
    "PyImport_Import", "import_name", "import_find_and_load", "builtin___import__",
    // How the interpreter itself begins.
    "PyRun_", "_PyRun_", "pyrun_", "pymain_", "Py_RunMain", "Py_Main", "Py_BytesMain", "Py_UnixMain", "thread_run",
    "t_bootstrap", "pythread_wrapper", "thread_PyThread_start"};

constexpr std::string_view kStarts[] = {"_start",       "__libc_start_main", "__libc_start_call_main",
                                        "start_thread", "__clone",           "clone",
                                        "clone3",       "__clone3",          "_dl_start_user"};

// The compiler may split a function in parts, and clone it; they all are that function.
std::string_view without_endings(std::string_view symbol) { return symbol.substr(0, symbol.find('.', 1)); }

// Several versions of one function go by the name with a version appended.
std::string_view without_version(std::string_view symbol) { return symbol.substr(0, symbol.find('@')); }

std::string_view evaluating_function(Evaluator evaluator) {
  return evaluator == Evaluator::eval_frame_ex ? "PyEval_EvalFrameEx" : "_PyEval_EvalFrameDefault";
}

}  // namespace

Role role_of(std::string_view symbol, const Layout& layout) {
  const std::string_view name = without_endings(without_version(symbol));
  if (name == evaluating_function(layout.evaluator)) return Role::evaluates;
  const auto begins = [&](std::string_view beginning) { return name.starts_with(beginning); };
  return std::ranges::any_of(kBeginnings, begins) ? Role::machinery : Role::other;
}

bool begins_a_thread(std::string_view symbol) {
  const std::string_view name = without_endings(without_version(symbol));
  return std::ranges::find(kStarts, name) != std::end(kStarts) || name.starts_with("__libc_start_main");
}

}  // namespace flametap::cpython
