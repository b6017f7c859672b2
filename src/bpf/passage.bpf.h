/* What the passing of a marker means, by what the interpreter's memory says of the frame that runs. */
#pragma once

#include "bpf/python_context.bpf.h"
#include "bpf/thread.bpf.h"

/* By pid, as user space sees it. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, struct flametap_python_layout);
} pythons SEC(".maps");

/* The frames of generators that run now: those that were entered at a marker and not left since. */
struct generator {
  __u64 frame;
  __u64 pid;
};
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH); /* those of processes that died inside of one make room */
  __uint(max_entries, 65536);
  __type(key, struct generator);
  __type(value, __u8);
} generators SEC(".maps");

static __always_inline struct flametap_python_layout* current_python(void) {
  __u32 pid = pid_and_tid() >> 32;
  return bpf_map_lookup_elem(&pythons, &pid);
}

static __always_inline __u64 frame_now(struct thread* thread, const struct flametap_python_layout* layout) {
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
  return current_frame(layout, current_state(layout, BPF_CORE_READ(task, thread.fsbase), &thread->gil));
}

/* Some versions pass the marker of a call when a generator is made, which runs none of its code and is left by no
 * marker; and none when an exception is thrown into it, which then leaves it by one. These are told apart by who owns
 * the frame: the thread, until the generator is made. And they pass markers in code of the interpreter's own. */
enum passage { ORDINARY, NO_CALL, THROWN };

/* `remember`: its end will be asked about, too. */
static __always_inline enum passage how_entered(struct thread* thread, bool remember) {
  struct flametap_python_layout* layout = current_python();
  if (!layout || !layout->creation_flags) return ORDINARY;
  __u64 frame = frame_now(thread, layout);
  if (!frame) return ORDINARY;
  if (read_byte(frame + layout->frame_owner) == OWNED_BY_GENERATOR) {
    if (!remember) return ORDINARY;
    struct generator generator = {.frame = frame, .pid = pid_and_tid() >> 32};
    __u8 runs = 1;
    bpf_map_update_elem(&generators, &generator, &runs, BPF_ANY);
    return ORDINARY;
  }
  __u32 flags = read_int(code_of(layout, frame) + layout->code_flags);
  return flags & (layout->creation_flags | layout->silent_flags) ? NO_CALL : ORDINARY;
}

static __always_inline enum passage how_left(struct thread* thread) {
  struct flametap_python_layout* layout = current_python();
  if (!layout || !layout->creation_flags) return ORDINARY;
  __u64 frame = frame_now(thread, layout);
  if (!frame) return ORDINARY;
  if (read_byte(frame + layout->frame_owner) != OWNED_BY_GENERATOR)
    return read_int(code_of(layout, frame) + layout->code_flags) & layout->silent_flags ? NO_CALL : ORDINARY;
  struct generator generator = {.frame = frame, .pid = pid_and_tid() >> 32};
  if (bpf_map_delete_elem(&generators, &generator) == 0) return ORDINARY;
  /* With no call open that we saw, it rather was entered before we watched. */
  return thread->depth > thread->floor ? THROWN : ORDINARY;
}

static __always_inline __s32 line_of(struct pt_regs* context) { return (__s32)argument(context, 2); }

/* Where the function begins that is entered. The marker of 3.15 says -1 where its first instruction has no line, as
 * that of a function with closures; the code object still knows the line of the `def`. */
static __always_inline __s32 first_line(struct thread* thread, struct pt_regs* context) {
  __s32 line = line_of(context);
  if (line > 0) return line;
  struct flametap_python_layout* layout = current_python();
  if (!layout) return line;
  __u64 code = code_of(layout, frame_now(thread, layout));
  __s32 first = code ? (__s32)read_int(code + layout->code_first_line) : 0;
  return first > 0 ? first : line;
}

/* The function that runs, as far as it can be told. */
static __always_inline void add_place(struct thread* thread) {
  struct flametap_python_layout* layout = current_python();
  if (!layout) return;
  __u64 code = code_of(layout, frame_now(thread, layout));
  if (!code) return;
  thread->record.line = read_int(code + layout->code_first_line);
  __u64 file = ascii_of(layout, read_word(code + layout->code_filename));
  __u64 function = ascii_of(layout, read_word(code + layout->code_name));
  if (file) add_text(thread, FLAMETAP_FILE, (void*)file);
  if (function) add_text(thread, FLAMETAP_FUNCTION, (void*)function);
}
