/* Where one CPython keeps what the programs in the kernel look at. Plain C: compiled for the kernel and as C++.
 *
 * To find the current thread's innermost frame:
 * - The thread state. If `current_thread` is not 0, the word there points to the state of the thread that holds the
 * GIL, which whoever passes a marker does. Else follow `runtime + interpreters_head`, `interpreter_next`,
 *   `interpreter_threads_head`, `thread_next`, and compare `thread_id` with the thread's own fs base. A thread has one
 *   state for each interpreter that it ever ran. With a GIL, the one it runs with is that to which `gil_holder` of its
 *   interpreter's GIL (a pointer at `interpreter_gil`) points while the int at `gil_locked` is not 0.
 * - The word at `thread_frame`: the innermost frame, or, if `frame_link` says so, a CFrame, whose word at
 *   `cframe_current_frame` is the innermost frame.
 * - A frame whose byte at `frame_owner` is `first_shim_owner` or more has no Python code: go on to `frame_previous`.
 * - Its code object: the word at `frame_code` without the bits of `code_tag_mask`.
 *
 * A string object: bits of the 32-bit word at `text_state`, shifted right by `text_kind_shift`: three bits with the
 * bytes per character (1, 2, 4), one for "compact", one for "ASCII". Its characters begin at `text_ascii_data` (ASCII),
 * `text_compact_data` (compact), or where the word at `text_separate_data` points to. Their number is at `text_length`.
 *
 * All others are offsets in bytes. */
#pragma once

#include <linux/types.h>

/* An offset that this version has no use for. */
#define FLAMETAP_ABSENT 0xffffffffu

enum flametap_frame_link {
  FLAMETAP_FRAME_OBJECT,      /* 3.7 to 3.10: a PyFrameObject */
  FLAMETAP_CFRAME,            /* 3.11, 3.12: a CFrame, which points to an _PyInterpreterFrame */
  FLAMETAP_INTERPRETER_FRAME, /* 3.13+: an _PyInterpreterFrame */
};

struct flametap_python_layout {
  __u64 runtime;        /* address of _PyRuntime */
  __u64 current_thread; /* address of a word, or 0 */
  __u64 code_tag_mask;
  __u32 frame_link;
  __u32 first_shim_owner; /* 255: there are none */

  __u32 interpreters_head;
  __u32 interpreter_next;
  __u32 interpreter_threads_head;
  __u32 interpreter_gil; /* FLAMETAP_ABSENT wherever current_thread is not 0, and without a GIL */
  __u32 gil_holder;
  __u32 gil_locked;

  __u32 thread_next;
  __u32 thread_id;
  __u32 thread_frame;
  __u32 cframe_current_frame;

  __u32 frame_previous;
  __u32 frame_code;
  __u32 frame_instruction;
  __u32 frame_owner; /* a byte */

  __u32 code_flags; /* int, as are the next ones */
  __u32 code_first_line;
  __u32 code_unique_version; /* never the same for two code objects, unless it is 0 */
  __u32 code_name;
  __u32 code_qualname;
  __u32 code_filename;
  __u32 code_line_table;
  __u32 code_instructions;

  __u32 text_length;
  __u32 text_state;
  __u32 text_kind_shift;
  __u32 text_ascii_data;
  __u32 text_compact_data;
  __u32 text_separate_data;

  __u32 object_type;
  __u32 type_flags;
  __u32 bytes_length;
  __u32 bytes_data;
  __u32 tuple_length;
  __u32 tuple_items;
  __u32 list_length;
  __u32 list_items; /* pointer to the first one */

  /* Where a marker is passed at the creation of a generator, too: the bits of co_flags that tell such a function. */
  __u32 creation_flags;
  __u32 reserved;

  __u32 flag_tuple; /* bits of the word at type_flags */
  __u32 flag_list;
  __u32 flag_text;
  __u32 flag_bytes;
};
