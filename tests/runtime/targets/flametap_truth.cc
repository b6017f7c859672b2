// An extension module for CPython 2.7 and 3.6 to 3.15 of which every C++ stack and every share of time is known.
//
// Each function keeps its frame: none is inlined, cloned or left by a tail call, but those that ask for being inlined.
// `stand` is where targets stand still, in a system call that never ends. The other half computes, and keeps account of
// the time in each function by its own clocks (see Account). Lines that tests look for have a mark: `// line: NAME`.
//
// Only C's library is needed, so that it can be loaded by interpreters that bring one of their own.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#define KEPT [[gnu::noipa]]
#define INLINED [[gnu::always_inline]] inline

namespace truth {

// ---- Standing still ------------------------------------------------------------------------------------------------

struct Place {
  int ready;  // gets a byte from whoever has arrived
  int never;  // nobody ever writes to it
};

// syscall() is one exported frame of C's library; read() is several in newer ones.
KEPT long stand(Place place) {
  char byte = 0;
  if (syscall(SYS_write, place.ready, &byte, 1) != 1) return -1;
  const long got = syscall(SYS_read, place.never, &byte, 1);  // line: stand
  return got + byte;
}

template <typename Number>
INLINED PyObject* third(PyObject* callback, Number& sum) {
  sum += 3;
  PyObject* result = PyObject_CallFunctionObjArgs(callback, nullptr);  // line: third
  sum *= 3;
  return result;
}

template <typename Number>
INLINED PyObject* second(PyObject* callback, Number& sum) {
  sum += 2;
  PyObject* result = third(callback, sum);  // line: second
  sum *= 2;
  return result;
}

template <typename Number>
INLINED PyObject* first(PyObject* callback, Number& sum) {
  sum += 1;
  PyObject* result = second(callback, sum);  // line: first
  sum *= 5;
  return result;
}

KEPT void consume(double) {}

template <typename Number>
KEPT PyObject* outer(PyObject* callback, Number sum) {
  PyObject* result = first(callback, sum);  // line: outer
  consume(sum);
  return result;
}

// `depth` calls of itself, then Python.
KEPT PyObject* dive(PyObject* callback, long depth) {
  if (depth == 0) return PyObject_CallFunctionObjArgs(callback, nullptr);  // line: dive bottom
  PyObject* result = dive(callback, depth - 1);                            // line: dive
  consume(static_cast<double>(depth));
  return result;
}

// Takes the only reference. The macro of the same name is an inlined function in some versions.
KEPT void drop(PyObject* object) {
  Py_DecRef(object);  // line: drop
  consume(0);
}

KEPT long exhaust(PyObject* iterator) {
  long count = 0;
  while (PyObject* item = PyIter_Next(iterator)) {  // line: exhaust
    Py_DECREF(item);
    ++count;
  }
  return count;
}

// ---- Computing -----------------------------------------------------------------------------------------------------

// Wall time of functions in ns, and the words of target.py's Counters: a version that is odd while they change, the
// time of alpha, beta and delta, three words that are not used, wall and CPU time of everything.
//
// There is no clock of CPU time around the functions: reading it is a system call in which the scheduler likes to take
// the CPU away, so that on a busy machine most of the time would be spent there.
struct Account {
  std::int64_t* words = nullptr;
  std::int64_t spent[8] = {};
  std::int64_t first_wall = 0;
  std::int64_t first_cpu = 0;
};

enum Kind { kAlpha, kBeta, kDelta };

Account& account() {
  static Account only;
  return only;
}

INLINED std::int64_t now(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return time.tv_sec * std::int64_t{1000000000} + time.tv_nsec;
}

// Around one call.
class Timed {
 public:
  explicit Timed(Kind kind) : kind_(kind), begin_(now(CLOCK_MONOTONIC)) {}
  ~Timed() { account().spent[kind_] += now(CLOCK_MONOTONIC) - begin_; }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Kind kind_;
  std::int64_t begin_;
};

KEPT void publish() {
  Account& of = account();
  of.spent[6] = now(CLOCK_MONOTONIC) - of.first_wall;
  of.spent[7] = now(CLOCK_THREAD_CPUTIME_ID) - of.first_cpu;
  const std::int64_t version = __atomic_load_n(&of.words[0], __ATOMIC_RELAXED);
  __atomic_store_n(&of.words[0], version + 1, __ATOMIC_SEQ_CST);
  for (int word = 0; word < 8; ++word) __atomic_store_n(&of.words[1 + word], of.spent[word], __ATOMIC_SEQ_CST);
  __atomic_store_n(&of.words[0], version + 2, __ATOMIC_SEQ_CST);
}

bool open_account(const char* path) {
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  void* words = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (words == MAP_FAILED) return false;
  Account& of = account();
  of.words = static_cast<std::int64_t*>(words);
  of.first_wall = now(CLOCK_MONOTONIC);
  of.first_cpu = now(CLOCK_THREAD_CPUTIME_ID);
  return true;
}

template <typename Number>
INLINED Number mixed(Number word) {
  return word * 6364136223846793005u + 1442695040888963407u;
}

template <typename Number>
INLINED Number spun(Number word, long turns) {
  for (long turn = 0; turn < turns; ++turn) word = mixed(word);  // line: spun
  return word;
}

template <typename Number>
KEPT Number alpha(long turns) {
  return spun<Number>(1, turns);
}

KEPT std::uint64_t gamma(long turns) { return spun<std::uint64_t>(2, turns); }

KEPT std::uint64_t delta(long turns) { return spun<std::uint64_t>(3, turns); }

// Calls Python so many times; false: it raised.
KEPT bool beta(PyObject* callback, long times) {
  for (long time = 0; time < times; ++time) {
    PyObject* result = PyObject_CallFunctionObjArgs(callback, nullptr);
    if (result == nullptr) return false;
    Py_DECREF(result);
  }
  return true;
}

// ---- Threads that Python did not start
// -------------------------------------------------------------------------------

KEPT void* alone_stands(void* argument) {
  const Place place = *static_cast<Place*>(argument);
  free(argument);
  stand(place);  // line: alone_stands
  return nullptr;
}

KEPT void* alone_computes(void*) {
  std::uint64_t word = 1;
  for (;;) word += delta(100000);
}

KEPT void visit(PyObject* callback) {
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_XDECREF(PyObject_CallFunctionObjArgs(callback, nullptr));  // line: visit
  PyErr_Clear();
  PyGILState_Release(state);
}

KEPT void* visitor_stands(void* callback) {
  visit(static_cast<PyObject*>(callback));  // line: visitor_stands
  return nullptr;
}

KEPT void* visitor_computes(void* callback) {
  for (;;) {
    delta(1000000);
    visit(static_cast<PyObject*>(callback));
  }
}

bool started(void* (*function)(void*), void* argument) {
  pthread_t thread;
  return pthread_create(&thread, nullptr, function, argument) == 0 && pthread_detach(thread) == 0;
}

// ---- What Python calls
// -----------------------------------------------------------------------------------------------

PyObject* none() {
  Py_INCREF(Py_None);
  return Py_None;
}

PyObject* none_if(bool succeeded) {
  if (succeeded) return none();
  if (!PyErr_Occurred()) PyErr_SetFromErrno(PyExc_OSError);
  return nullptr;
}

KEPT PyObject* entry_thread_id(PyObject*, PyObject*) { return PyLong_FromLong(syscall(SYS_gettid)); }

KEPT PyObject* entry_stand(PyObject*, PyObject* arguments) {
  Place place = {};
  if (!PyArg_ParseTuple(arguments, "ii", &place.ready, &place.never)) return nullptr;
  Py_BEGIN_ALLOW_THREADS;
  stand(place);  // line: entry_stand
  Py_END_ALLOW_THREADS;
  return none();
}

KEPT PyObject* entry_outer(PyObject*, PyObject* arguments) {
  PyObject* callback = nullptr;
  if (!PyArg_ParseTuple(arguments, "O", &callback)) return nullptr;
  return outer<double>(callback, 1);  // line: entry_outer
}

KEPT PyObject* entry_dive(PyObject*, PyObject* arguments) {
  PyObject* callback = nullptr;
  long depth = 0;
  if (!PyArg_ParseTuple(arguments, "Ol", &callback, &depth)) return nullptr;
  return dive(callback, depth);  // line: entry_dive
}

// Takes the last thing out of a list, and drops it.
KEPT PyObject* entry_drop(PyObject*, PyObject* arguments) {
  PyObject* list = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!", &PyList_Type, &list)) return nullptr;
  PyObject* last = PyList_GetItem(list, PyList_Size(list) - 1);
  if (last == nullptr) return nullptr;
  Py_INCREF(last);
  if (PyList_SetSlice(list, PyList_Size(list) - 1, PyList_Size(list), nullptr) != 0) return nullptr;
  drop(last);  // line: entry_drop
  return none();
}

KEPT PyObject* entry_exhaust(PyObject*, PyObject* arguments) {
  PyObject* iterator = nullptr;
  if (!PyArg_ParseTuple(arguments, "O", &iterator)) return nullptr;
  const long count = exhaust(iterator);  // line: entry_exhaust
  return PyErr_Occurred() ? nullptr : PyLong_FromLong(count);
}

KEPT PyObject* entry_open_account(PyObject*, PyObject* arguments) {
  const char* path = nullptr;
  if (!PyArg_ParseTuple(arguments, "s", &path)) return nullptr;
  return none_if(open_account(path));
}

KEPT PyObject* entry_publish(PyObject*, PyObject*) {
  publish();
  return none();
}

KEPT PyObject* entry_alpha(PyObject*, PyObject* arguments) {
  long turns = 0;
  if (!PyArg_ParseTuple(arguments, "l", &turns)) return nullptr;
  const Timed timed(kAlpha);
  consume(static_cast<double>(alpha<unsigned long>(turns)));
  return none();
}

KEPT PyObject* entry_beta(PyObject*, PyObject* arguments) {
  PyObject* callback = nullptr;
  long times = 0;
  if (!PyArg_ParseTuple(arguments, "Ol", &callback, &times)) return nullptr;
  const Timed timed(kBeta);
  return none_if(beta(callback, times));
}

KEPT PyObject* entry_gamma(PyObject*, PyObject* arguments) {
  long turns = 0;
  if (!PyArg_ParseTuple(arguments, "l", &turns)) return nullptr;
  consume(static_cast<double>(gamma(turns)));
  return none();
}

KEPT PyObject* entry_delta(PyObject*, PyObject* arguments) {
  long turns = 0;
  if (!PyArg_ParseTuple(arguments, "l", &turns)) return nullptr;
  Py_BEGIN_ALLOW_THREADS;
  const Timed timed(kDelta);
  consume(static_cast<double>(delta(turns)));
  Py_END_ALLOW_THREADS;
  return none();
}

PyObject* start_alone_standing(PyObject*, PyObject* arguments) {
  Place place = {};
  if (!PyArg_ParseTuple(arguments, "ii", &place.ready, &place.never)) return nullptr;
  void* copy = malloc(sizeof place);
  if (copy == nullptr) return PyErr_NoMemory();
  memcpy(copy, &place, sizeof place);
  return none_if(started(alone_stands, copy));
}

PyObject* start_alone_computing(PyObject*, PyObject*) { return none_if(started(alone_computes, nullptr)); }

// The thread keeps the callback for good.
PyObject* start_visitor(PyObject* arguments, void* (*function)(void*)) {
  PyObject* callback = nullptr;
  if (!PyArg_ParseTuple(arguments, "O", &callback)) return nullptr;
#if PY_VERSION_HEX < 0x03090000
  PyEval_InitThreads();
#endif
  Py_INCREF(callback);
  return none_if(started(function, callback));
}

PyObject* start_visitor_standing(PyObject*, PyObject* arguments) { return start_visitor(arguments, visitor_stands); }

PyObject* start_visitor_computing(PyObject*, PyObject* arguments) { return start_visitor(arguments, visitor_computes); }

PyMethodDef methods[] = {
    {"thread_id", entry_thread_id, METH_NOARGS, nullptr},
    {"stand", entry_stand, METH_VARARGS, nullptr},
    {"outer", entry_outer, METH_VARARGS, nullptr},
    {"dive", entry_dive, METH_VARARGS, nullptr},
    {"drop", entry_drop, METH_VARARGS, nullptr},
    {"exhaust", entry_exhaust, METH_VARARGS, nullptr},
    {"open_account", entry_open_account, METH_VARARGS, nullptr},
    {"publish", entry_publish, METH_NOARGS, nullptr},
    {"alpha", entry_alpha, METH_VARARGS, nullptr},
    {"beta", entry_beta, METH_VARARGS, nullptr},
    {"gamma", entry_gamma, METH_VARARGS, nullptr},
    {"delta", entry_delta, METH_VARARGS, nullptr},
    {"start_alone_standing", start_alone_standing, METH_VARARGS, nullptr},
    {"start_alone_computing", start_alone_computing, METH_NOARGS, nullptr},
    {"start_visitor_standing", start_visitor_standing, METH_VARARGS, nullptr},
    {"start_visitor_computing", start_visitor_computing, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace truth

// For ctypes.
extern "C" KEPT int truth_call_back(int (*callback)(int), int value) {
  const int result = callback(value);  // line: truth_call_back
  truth::consume(result);
  return result;
}

#if PY_MAJOR_VERSION == 2
PyMODINIT_FUNC initflametap_truth() { Py_InitModule("flametap_truth", truth::methods); }
#else
PyMODINIT_FUNC PyInit_flametap_truth() {
  static PyModuleDef definition = {
      PyModuleDef_HEAD_INIT, "flametap_truth", nullptr, -1, truth::methods, nullptr, nullptr, nullptr, nullptr};
  return PyModule_Create(&definition);
}
#endif
