/* What Python code the current thread runs, read from the interpreter's memory. Every read may fail, and gives 0 then:
 * what is not known is not told. The thread holds the GIL, as everybody does who passes a marker; so nothing changes
 * while we look. */
#pragma once

#include "bpf/python_layout.h"

#define INTERPRETER_LIMIT 32
#define SHIM_LIMIT 4
#define OWNED_BY_GENERATOR 1

static __always_inline __u64 read_word(__u64 address) {
  __u64 word = 0;
  bpf_probe_read_user(&word, sizeof word, (void*)address);
  return word;
}

static __always_inline __u32 read_int(__u64 address) {
  __u32 value = 0;
  bpf_probe_read_user(&value, sizeof value, (void*)address);
  return value;
}

static __always_inline __u8 read_byte(__u64 address) {
  __u8 value = 0;
  bpf_probe_read_user(&value, sizeof value, (void*)address);
  return value;
}

/* The state of the thread that holds this GIL, if it is the current thread; `id` is its fs base. */
static __always_inline __u64 holder_if_current(const struct flametap_python_layout* layout, __u64 gil, __u64 id) {
  __u64 holder = gil ? read_word(gil + layout->gil_holder) : 0;
  return holder && read_word(holder + layout->thread_id) == id ? holder : 0;
}

/* `known_gil` remembers which GIL the thread held last. */
static __always_inline __u64 current_state(const struct flametap_python_layout* layout, __u64 id, __u64* known_gil) {
  if (layout->current_thread) return read_word(layout->current_thread);
  if (layout->interpreter_gil == FLAMETAP_ABSENT) return 0;
  __u64 state = holder_if_current(layout, *known_gil, id);
  if (state) return state;
  __u64 interpreter = read_word(layout->runtime + layout->interpreters_head);
  for (int i = 0; i < INTERPRETER_LIMIT && interpreter; ++i) {
    __u64 gil = read_word(interpreter + layout->interpreter_gil);
    state = holder_if_current(layout, gil, id);
    if (state) {
      *known_gil = gil;
      return state;
    }
    interpreter = read_word(interpreter + layout->interpreter_next);
  }
  return 0;
}

/* The innermost frame that runs Python code, or 0. */
static __always_inline __u64 current_frame(const struct flametap_python_layout* layout, __u64 state) {
  if (!state) return 0;
  __u64 frame = read_word(state + layout->thread_frame);
  if (layout->frame_link == FLAMETAP_CFRAME && frame) frame = read_word(frame + layout->cframe_current_frame);
  for (int i = 0; i < SHIM_LIMIT && frame; ++i) {
    if (layout->frame_owner == FLAMETAP_ABSENT || read_byte(frame + layout->frame_owner) < layout->first_shim_owner)
      return frame;
    frame = read_word(frame + layout->frame_previous);
  }
  return 0;
}

static __always_inline __u64 code_of(const struct flametap_python_layout* layout, __u64 frame) {
  return frame ? read_word(frame + layout->frame_code) & ~layout->code_tag_mask : 0;
}

/* Where the characters of a string object are, if they are ASCII with a zero behind them; else 0. */
static __always_inline __u64 ascii_of(const struct flametap_python_layout* layout, __u64 text) {
  if (!text) return 0;
  __u32 state = read_int(text + layout->text_state) >> layout->text_kind_shift;
  const __u32 compact_and_ascii = 0x18;
  return (state & compact_and_ascii) == compact_and_ascii ? text + layout->text_ascii_data : 0;
}
