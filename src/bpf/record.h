/* What the programs in the kernel send, and what they are told. Plain C: compiled for the kernel and as C++. */
#pragma once

#include <linux/types.h>

/* Longer texts are cut. A power of two, and the kernel's limit for one text of a record with its final zero. */
#define FLAMETAP_TEXT_LIMIT 4096

enum flametap_kind {
  FLAMETAP_THREAD, /* a thread's first event: `value` is when it started, the first text is its name in the kernel */
  FLAMETAP_CALL,
  FLAMETAP_CALL_END,
  FLAMETAP_LINE,
  FLAMETAP_GC_START,
  FLAMETAP_GC_DONE,
  FLAMETAP_IMPORT_START,
  FLAMETAP_IMPORT_DONE,
  FLAMETAP_AUDIT,
  FLAMETAP_THREAD_END, /* it ended, or executes another program */
};

enum flametap_flags {
  FLAMETAP_FIRST_TEXT_UNREAD = 1, /* its memory could not be read */
  FLAMETAP_SECOND_TEXT_UNREAD = 2,
  FLAMETAP_UNMARKED = 4, /* the end of a call whose beginning no marker told */
};

/* Two texts follow, without final zeros, and behind them the captured memory: see flametap_piece. */
struct flametap_record {
  __u64 time; /* CLOCK_MONOTONIC */
  __u32 pid;
  __u32 tid;
  __u32 sequence; /* counts what was to be sent of this thread: a gap tells how much was lost */
  __s32 depth;
  __s32 line;
  __u8 kind;
  __u8 flags;
  __u16 first_size;  /* file, module or audit event */
  __u16 second_size; /* function */
  __u16 pieces;
  __u32 reserved;
  __s64 value;
};

/* How a function is known when its name and file are short enough to be compared in the kernel; padded with zeros. */
#define FLAMETAP_KEY_FILE 160
#define FLAMETAP_KEY_FUNCTION 96
struct flametap_function {
  char file[FLAMETAP_KEY_FILE];
  char function[FLAMETAP_KEY_FUNCTION];
};

struct flametap_thread_key {
  __u64 started; /* so that another thread under the same number is another one */
  __u32 tid;
  __u32 reserved;
};

enum flametap_verdict { FLAMETAP_UNJUDGED, FLAMETAP_SHOW, FLAMETAP_HIDE };

/* A function of a process, for counting its calls. */
struct flametap_counted {
  struct flametap_function function;
  __u32 pid;
  __s32 line;
};
