/* What a CPU is asked to read when it is interrupted, and what it answers. Plain C: compiled for the kernel and as
 * C++. */
#pragma once

#include <linux/types.h>

#define FLAMETAP_PIECES 1024
#define FLAMETAP_PIECE_LIMIT (1 << 15) /* bytes; powers of two, which the kernel's verifier understands */
#define FLAMETAP_COPY_LIMIT (1 << 21)  /* bytes of all pieces, in 0.1 ms: more would hold up the CPU too long */

struct flametap_piece {
  __u64 from;
  __u32 size;
  __u32 at; /* in the copy */
  __u32 optional;
  __u32 missing; /* the answer: it is optional, and not there; the copy has zeros */
};

/* A list of objects, each of which points to the next and to an object of another kind, which points to texts: frames
 * and what they run. Followed after the pieces are copied, as far as it is there. */
#define FLAMETAP_TRAIL_STEPS 256
#define FLAMETAP_TRAIL_TEXTS 3
#define FLAMETAP_TRAIL_OBJECT 256  /* bytes of each object */
#define FLAMETAP_TRAIL_TEXT 1024   /* bytes of each text */
#define FLAMETAP_TRAIL_TABLE 12288 /* bytes of a table, at the most */
#define FLAMETAP_TRAIL_HOME 64     /* bytes of what the objects lie in */
#define FLAMETAP_PAGE 4096

/* Of which codes the texts are not needed: at the place of each, which another one may take, a number made of its
 * marks; 0: of none. */
#define FLAMETAP_TRAIL_KNOWN 512
#define FLAMETAP_TRAIL_MARKS 3

static inline __u32 flametap_trail_place(__u64 code) { return (__u32)((code >> 4) * 0x9E3779B97F4A7C15ull >> 55); }
static inline __u32 flametap_trail_number(__u32 number, __u32 mark) { return number * 31 + mark; }

struct flametap_trail {
  __u32 steps; /* how far to follow it; 0: only to where the first object is */
  /* The first pointer may lead to something at whose `indirect_offset` the pointer to the first object is, and behind
   * that a pointer to another such thing, the one around it. */
  __u32 indirect;
  __u32 indirect_offset;
  __u32 next; /* offsets in an object: of the pointers to the next one, and to what it runs */
  __u32 code;
  __u32 text_count;
  __u32 texts[FLAMETAP_TRAIL_TEXTS]; /* offsets in what it runs */
  __u32 table;
  __u32 table_length; /* offsets in the table: of its length, and of the bytes that are so many */
  __u32 table_data;
  __u64 code_mask;
  __u64 link; /* where the first pointer is; 0: there is no trail */
  __u64 home; /* where a pointer to what the first object may lie in is; 0: nowhere */
  __u32 mark_count;
  __u32 marks[FLAMETAP_TRAIL_MARKS]; /* offsets in what it runs */
  __u32 known[FLAMETAP_TRAIL_KNOWN];
};

struct flametap_trail_step {
  __u64 frame; /* addresses; 0: is not there */
  __u64 code;
  __u64 texts[FLAMETAP_TRAIL_TEXTS];
  __u64 table;
  __u32 frame_size; /* of what was copied of each */
  __u32 code_size;
  __u32 text_sizes[FLAMETAP_TRAIL_TEXTS];
  __u32 table_size;
  __u8 frame_bytes[FLAMETAP_TRAIL_OBJECT];
  __u8 code_bytes[FLAMETAP_TRAIL_OBJECT];
  __u8 text_bytes[FLAMETAP_TRAIL_TEXTS][FLAMETAP_TRAIL_TEXT];
  __u8 table_bytes[FLAMETAP_TRAIL_TABLE];
};

struct flametap_followed {
  __u32 count;
  __u32 first_size;
  __u64 first_place;  /* where the pointer to the first object is; 0: is not there */
  __u64 first[2];     /* with what is behind it, if it was indirect */
  __u64 around_place; /* the same in what is around; 0: is not there */
  __u64 around;
  __u64 next; /* the one to follow then */
  __u64 home; /* 0: is not there */
  __u8 home_bytes[FLAMETAP_TRAIL_HOME];
  struct flametap_trail_step steps[FLAMETAP_TRAIL_STEPS];
};

struct flametap_question {
  __u32 tid; /* only if this thread is running there */
  __u32 count;
  struct flametap_piece pieces[FLAMETAP_PIECES];
  __u32 asked;    /* a number that the answer repeats */
  __u32 answered; /* it ran on that CPU, and the copy is there as far as `copied` says */
  __u32 copied;   /* how many pieces, from the first on */
  struct flametap_trail trail;
};

struct flametap_copy {
  __u8 bytes[FLAMETAP_COPY_LIMIT + FLAMETAP_PIECE_LIMIT];
};
