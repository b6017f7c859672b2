/* What the programs in the kernel send, and what they are told. Plain C: compiled for the kernel and as C++. */
#pragma once

#include <linux/types.h>

/* Of one text of a record, with its final zero; longer ones are cut. A power of two. */
#define FLAMETAP_TEXT_LIMIT 4096

enum flametap_text { FLAMETAP_FILE, FLAMETAP_FUNCTION, FLAMETAP_NAME, FLAMETAP_TEXTS };

enum flametap_kind {
  FLAMETAP_THREAD, /* a thread's first event: `value` is when it started, its name is that in the kernel */
  FLAMETAP_CALL,
  FLAMETAP_CALL_END,
  FLAMETAP_LINE,
  FLAMETAP_GC_START,
  FLAMETAP_GC_DONE,
  FLAMETAP_IMPORT_START,
  FLAMETAP_IMPORT_DONE,
  FLAMETAP_CAPTURE, /* a flametap_capture, for the audit event that follows in the same thread */
  FLAMETAP_AUDIT,
  FLAMETAP_THREAD_END, /* it ended, or executes another program */
};

enum flametap_flags {
  FLAMETAP_UNREAD = 1,   /* the memory of a text could not be read */
  FLAMETAP_UNMARKED = 2, /* the end of a call whose beginning no marker told */
};

/* Its texts follow, without final zeros. */
struct flametap_record {
  __u64 time; /* CLOCK_MONOTONIC */
  __u32 pid;
  __u32 tid;
  __u32 sequence; /* counts what was to be sent of this thread: a gap tells how much was lost */
  __s32 depth;
  __s32 line;
  __u8 kind;
  __u8 flags;
  __u16 text_sizes[FLAMETAP_TEXTS];
  __s64 value;
};

/* A tuple and its items, as they were when the marker was passed. Only `record.value` pieces are sent. */
#define FLAMETAP_PIECES 17
#define FLAMETAP_PIECE_BYTES 512
struct flametap_piece {
  __u64 address;
  __u64 size;
  unsigned char bytes[FLAMETAP_PIECE_BYTES];
};
struct flametap_capture {
  struct flametap_record record;
  __u64 object;
  struct flametap_piece pieces[FLAMETAP_PIECES];
};

/* How a function is known when its name and file are short enough to be compared in the kernel; padded with zeros. */
#define FLAMETAP_KEY_FILE 160
#define FLAMETAP_KEY_NAME 96
struct flametap_name {
  char text[FLAMETAP_KEY_NAME];
};
struct flametap_function {
  struct flametap_name name;
  char file[FLAMETAP_KEY_FILE];
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
