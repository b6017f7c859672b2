/* The programs that run in the kernel when a thread passes a marker of CPython.
 *
 * Each looks at as little as it must: whether the thread is inside the function that was asked for, then whether the
 * function is one of those asked for, and only then copies names and sends a record. Regular expressions cannot run
 * here; so the first event of a function is sent unjudged, user space judges it and writes the verdict into
 * `functions`, and from then on the kernel drops what nobody wants to see. User space judges again whatever arrives, so
 * it never matters how fast the verdict came.
 *
 * All state of a thread, the buffer for its record included, is in the task's own storage: the kernel may preempt
 * these programs, and another thread must not find a buffer half filled. */
#include <asm/ptrace.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <linux/bpf.h>
#include <stdbool.h>

#include "bpf/argument.bpf.h"
#include "bpf/capture.bpf.h"
#include "bpf/filter.bpf.h"
#include "bpf/passage.bpf.h"
#include "bpf/thread.bpf.h"

/* The kernel lends some of its functions only to programs under its own licence: what is in this folder is offered
 * under the Apache License, like all of flametap, or the GPL, version 2. */
char LICENSE[] SEC("license") = "GPL";

SEC("uprobe")
int on_call(struct pt_regs* context) {
  struct thread* thread = current_thread();
  if (!thread || thread_is_hidden(thread)) return 0;
  judge_outermost(thread);
  __u64 function = argument(context, 1);
  bool outside = is_outside(thread);
  bool idle = is_idle(thread);
  if (outside ? !is_within(thread, function) : idle && function_is_hidden(thread, context, function)) return 0;
  if (how_entered(thread, true) == NO_CALL) return 0;
  if (idle) thread->depth = thread->floor = 0;
  __s32 depth = thread->depth++;
  if (outside) thread->inside = true;
  bool is_judged = idle && !outside;
  if (!is_judged && function_is_hidden(thread, context, function)) return 0;
  if (!send_calls) return 0;
  remember_shown(thread, depth);
  send_function(thread, context, FLAMETAP_CALL, first_line(thread, context), depth, 0);
  return 0;
}

SEC("uprobe")
int on_call_end(struct pt_regs* context) {
  struct thread* thread = current_thread();
  if (!thread || thread_is_hidden(thread) || is_idle(thread)) return 0;
  enum passage passage = how_left(thread);
  if (passage == NO_CALL || (passage == THROWN && !send_calls)) return 0;
  if (passage == THROWN) {
    /* Never entered at a marker: nothing of what is open ends. */
    if (!function_is_hidden(thread, context, argument(context, 1)))
      send_function(thread, context, FLAMETAP_CALL_END, line_of(context), thread->depth, FLAMETAP_UNMARKED);
    return 0;
  }
  __s32 depth = --thread->depth;
  if (depth < thread->floor) thread->floor = depth;
  if (depth <= 0) thread->inside = false; /* its outermost call began at depth 0 */
  if (send_calls && !call_was_hidden(thread, context))
    send_function(thread, context, FLAMETAP_CALL_END, line_of(context), depth, 0);
  return 0;
}

SEC("uprobe")
int on_line(struct pt_regs* context) {
  struct thread* thread = current_thread();
  if (!thread || is_outside(thread) || thread_is_hidden(thread)) return 0;
  if (function_is_hidden(thread, context, argument(context, 1))) return 0;
  send_function(thread, context, FLAMETAP_LINE, line_of(context), thread->depth, 0);
  return 0;
}

/* The start of what is no call, or null if it is not to be shown. */
static __always_inline struct thread* begin_event(__u8 kind) {
  struct thread* thread = current_thread();
  if (!thread || is_outside(thread) || thread_is_hidden(thread)) return 0;
  begin_record(thread, kind);
  add_place(thread);
  return thread;
}

SEC("uprobe")
int on_gc_start(struct pt_regs* context) {
  struct thread* thread = begin_event(FLAMETAP_GC_START);
  if (!thread) return 0;
  thread->record.value = (__s64)argument(context, 0);
  send(thread);
  return 0;
}

SEC("uprobe")
int on_gc_done(struct pt_regs* context) {
  struct thread* thread = begin_event(FLAMETAP_GC_DONE);
  if (!thread) return 0;
  thread->record.value = (__s64)argument(context, 0);
  send(thread);
  return 0;
}

SEC("uprobe")
int on_import_start(struct pt_regs* context) {
  struct thread* thread = begin_event(FLAMETAP_IMPORT_START);
  if (!thread) return 0;
  add_text(thread, FLAMETAP_NAME, (void*)argument(context, 0));
  send(thread);
  return 0;
}

SEC("uprobe")
int on_import_done(struct pt_regs* context) {
  struct thread* thread = begin_event(FLAMETAP_IMPORT_DONE);
  if (!thread) return 0;
  thread->record.value = (__s64)argument(context, 1);
  add_text(thread, FLAMETAP_NAME, (void*)argument(context, 0));
  send(thread);
  return 0;
}

SEC("uprobe")
int on_audit(struct pt_regs* context) {
  struct thread* thread = current_thread();
  if (!thread || is_outside(thread) || thread_is_hidden(thread)) return 0;
  struct flametap_python_layout* layout = current_python();
  __u64 arguments = argument(context, 1);
  if (layout && arguments) send_capture(thread, layout, arguments);
  begin_record(thread, FLAMETAP_AUDIT);
  add_place(thread);
  /* A constant of the program that nobody may have looked at yet, so that it is not in memory: user space can get it.
   */
  __u64 event = argument(context, 0);
  thread->record.value = (__s64)event;
  add_text(thread, FLAMETAP_NAME, (void*)event);
  send(thread);
  return 0;
}

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct flametap_counted);
  __type(value, __u64);
} counts SEC(".maps");

/* At the end of a call the line is that of where it is left. */
static __always_inline int count(struct pt_regs* context, bool at_end) {
  struct thread* thread = current_thread();
  if (!thread || how_entered(thread, false) == NO_CALL) return 0;
  struct flametap_counted* key = &thread->key;
  if (!read_key(key->function.name.text, FLAMETAP_KEY_NAME, argument(context, 1)) ||
      !read_key(key->function.file, FLAMETAP_KEY_FILE, argument(context, 0))) {
    send_function(thread, context, FLAMETAP_CALL, at_end ? line_of(context) : first_line(thread, context), 0, 0);
    return 0;
  }
  key->pid = pid_and_tid() >> 32;
  key->line = at_end ? 0 : first_line(thread, context);
  __u64* count = bpf_map_lookup_elem(&counts, key);
  if (!count) {
    __u64 none = 0;
    bpf_map_update_elem(&counts, key, &none, BPF_NOEXIST);
    count = bpf_map_lookup_elem(&counts, key);
  }
  if (count)
    __sync_fetch_and_add(count, 1);
  else
    count_lost();
  return 0;
}

/* For a table of the functions that are called most: only count. */
SEC("uprobe")
int count_call(struct pt_regs* context) { return count(context, false); }

SEC("uprobe")
int count_call_end(struct pt_regs* context) { return count(context, true); }

static __always_inline void end_thread(struct thread* thread) {
  begin_record(thread, FLAMETAP_THREAD_END);
  send(thread);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_thread_exit, struct task_struct* task) {
  struct thread* thread = bpf_task_storage_get(&states, task, 0, 0);
  if (!thread) return 0;
  end_thread(thread);
  __u64 ids = pid_and_tid();
  __u32 pid = ids >> 32;
  if (pid == (__u32)ids) bpf_map_delete_elem(&pythons, &pid);
  return 0;
}

/* Another program, perhaps with another Python: nothing of what was open is left. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct* task) {
  struct thread* thread = bpf_task_storage_get(&states, task, 0, 0);
  if (!thread) return 0;
  end_thread(thread);
  thread->met = false;
  thread->verdict = FLAMETAP_UNJUDGED;
  thread->depth = thread->floor = 0;
  thread->inside = false;
  thread->shown_count = 0;
  __builtin_memset(thread->shown, 0, sizeof thread->shown);
  thread->gil = 0;
  __u32 pid = pid_and_tid() >> 32;
  bpf_map_delete_elem(&pythons, &pid);
  return 0;
}

/* Attached to an instruction that never runs: to hold up a semaphore. */
SEC("uprobe")
int nothing(struct pt_regs* context) { return 0; }
