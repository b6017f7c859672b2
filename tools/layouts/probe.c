/* Says how one CPython lays out its structs. `generate` appends the questions and compiles this against that CPython's
 * own headers, the internal ones included; nothing of libpython is linked or called. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#if __has_include("internal/pystate.h")
#include "internal/mem.h"
#include "internal/pystate.h"
#endif
#if __has_include("internal/pycore_pystate.h")
#include "internal/pycore_pystate.h"
#endif
#if __has_include("internal/pycore_interp.h")
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#endif
#if __has_include("internal/pycore_frame.h")
#include "internal/pycore_frame.h"
#endif
#if __has_include("internal/pycore_interpframe_structs.h")
#include "internal/pycore_interpframe_structs.h"
#endif
#if __has_include("internal/pycore_dict.h")
#include "internal/pycore_dict.h"
#endif
#if __has_include("internal/pycore_object.h")
#include "internal/pycore_object.h"
#endif
#if __has_include(<longintrepr.h>)
#include <longintrepr.h>
#endif
#if __has_include("internal/pycore_stackref.h")
#include "internal/pycore_stackref.h"
#endif
#if __has_include("internal/pycore_debug_offsets.h")
#include "internal/pycore_debug_offsets.h"
#endif

#if PY_VERSION_HEX >= 0x03030000
/* A bit field has no offset: write it and look for the first bit that changed. */
static unsigned kind_shift(void) {
  PyASCIIObject text;
  unsigned bits;
  memset(&text, 0, sizeof text);
  text.state.kind = 7;
  memcpy(&bits, &text.state, sizeof bits);
  unsigned shift = 0;
  while (!(bits >> shift & 1)) shift++;
  return shift;
}
#endif

static void say(const char* name, unsigned long long value) { printf("%s %llu\n", name, value); }
