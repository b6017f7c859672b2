// A program that is not Python but has one inside: runs the script that its argument names.
#include <Python.h>

int main(int argc, char** argv) {
  FILE* script = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (!script) return 1;
  Py_Initialize();
  return PyRun_SimpleFileEx(script, argv[1], 1);
}
