/* Where a marker's arguments are when it is passed, as its place in the file tells. Plain C: compiled for the kernel
 * and as C++. */
#pragma once

#include <linux/types.h>

enum flametap_where {
  FLAMETAP_NOWHERE, /* it has no such argument */
  FLAMETAP_CONSTANT,
  FLAMETAP_REGISTER,
  FLAMETAP_MEMORY, /* at an address that is in a register */
};

struct flametap_argument {
  __s64 value;           /* the constant, or what to add to the address */
  __u16 register_offset; /* in struct pt_regs */
  __u8 where;
  __u8 size; /* in bytes, 1 to 8 */
  __u8 is_signed;
  __u8 reserved[3];
};

/* No marker of CPython has more. */
#define FLAMETAP_ARGUMENTS 3

struct flametap_marker {
  struct flametap_argument arguments[FLAMETAP_ARGUMENTS];
};
