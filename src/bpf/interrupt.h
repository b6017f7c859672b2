/* What a CPU is asked to read when it is interrupted, and what it answers. Plain C: compiled for the kernel and as
 * C++. */
#pragma once

#include <linux/types.h>

#define FLAMETAP_PIECES 1024
#define FLAMETAP_PIECE_LIMIT (1 << 15) /* bytes; powers of two, which the kernel's verifier understands */
#define FLAMETAP_COPY_LIMIT (1 << 18)  /* bytes of all pieces together: more would hold up the CPU for too long */

struct flametap_piece {
  __u64 from;
  __u32 size;
  __u32 at; /* in the copy */
};

struct flametap_question {
  __u32 tid; /* only if this thread is running there */
  __u32 count;
  struct flametap_piece pieces[FLAMETAP_PIECES];
  __u32 asked;    /* a number that the answer repeats */
  __u32 answered; /* it ran on that CPU, and the copy is there as far as `copied` says */
  __u32 copied;   /* how many pieces, from the first on */
};

struct flametap_copy {
  __u8 bytes[FLAMETAP_COPY_LIMIT + FLAMETAP_PIECE_LIMIT];
};
