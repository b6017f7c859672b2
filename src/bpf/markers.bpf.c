/* The programs that run in the kernel when a thread passes a marker of CPython.
 *
 * Each looks at as little as it must: whether the thread is inside the function that was asked for, then whether the
 * function is one of those asked for, and only then copies names and sends a record. Regular expressions cannot run
 * here; so the first event of a function is sent unjudged, user space judges it and writes the verdict into `functions`,
 * and from then on the kernel drops what nobody wants to see. User space judges again whatever arrives, so it never
 * matters how fast the verdict came.
 *
 * All state of a thread, the buffer for its record included, is in the task's own storage: the kernel may preempt
 * these programs, and another thread must not find a buffer half filled. */
#include <asm/ptrace.h>
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

#include "bpf/python_context.bpf.h"
#include "bpf/record.h"

/* The kernel lends some of its functions only to programs under its own licence: what is in this folder is offered under
 * the Apache License, like all of flametap, or the GPL, version 2. */
char LICENSE[] SEC("license") = "GPL";

/* What we need of the kernel's own types; where the fields are is settled when the program is loaded. */
struct task_struct {
  __u64 start_time;
  struct thread_struct thread;
} __attribute__((preserve_access_index));

/* Settled before the programs are loaded. */
const volatile __u8 judge_functions; /* ask `functions` */
const volatile __u8 judge_files;     /* a function is known by its file, too */
const volatile __u8 judge_threads;   /* ask `threads` */
const volatile __u8 send_calls;      /* or look at them only, to know what is within */
const volatile __u32 within_size;    /* of the name below with its final zero; 0: everywhere */
const volatile char within[FLAMETAP_KEY_NAME];
const volatile __u64 namespace_device; /* of the pid namespace in which to tell pids; 0: the machine's own */
const volatile __u64 namespace_inode;


/* Set once all programs are attached, until the first is detached: half of the markers would tell half of the truth. */
volatile __u8 watching;
__u64 lost; /* events that nobody will see */

#define SHOWN_LIMIT 4096
#define COMM_BYTES 16
#define TEXT_BYTES (FLAMETAP_TEXTS * FLAMETAP_TEXT_LIMIT)
#define RECORD_LIMIT (sizeof(struct flametap_record) + TEXT_BYTES)

struct thread {
  bool met;
  __u8 verdict;
  __u32 sequence;
  __s32 depth;
  bool inside;
  __s32 inside_depth; /* of the outermost call of `within` */
  /* The open calls that were sent, a bit for each depth, so that their ends are sent without another look. Of those that
   * are deeper the name is looked at again; there is always one that is not. */
  __u32 shown_count;
  __u64 shown[SHOWN_LIMIT / 64];
  bool unjudged; /* the outermost of them was sent only because nobody had judged it; its name is `outermost` */
  struct flametap_function outermost;
  struct flametap_counted key;
  __u64 gil; /* that it held last */
  struct flametap_record record;
  char text[TEXT_BYTES];
  struct flametap_capture capture;
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct thread);
} states SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 64 << 20);
} records SEC(".maps");

/* Verdicts, where files matter, too; */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct flametap_function);
  __type(value, __u8);
} functions SEC(".maps");

/* and where only names do. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct flametap_name);
  __type(value, __u8);
} names SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct flametap_thread_key);
  __type(value, __u8);
} threads SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct flametap_counted);
  __type(value, __u64);
} counts SEC(".maps");

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

/* Arguments are fetched only when they are needed: each costs a look into the description of the marker. */
static __always_inline __u64 argument(struct pt_regs* context, int number) {
  long value = 0;
  bpf_usdt_arg(context, number, &value);
  return value;
}

static __always_inline void count_lost(void) { __sync_fetch_and_add(&lost, 1); }

/* As our own user space sees them. */
static __always_inline __u64 pid_and_tid(void) {
  struct bpf_pidns_info inner;
  if (namespace_inode != 0 &&
      bpf_get_ns_current_pid_tgid(namespace_device, namespace_inode, &inner, sizeof inner) == 0)
    return (__u64)inner.tgid << 32 | inner.pid;
  return bpf_get_current_pid_tgid();
}

static __always_inline void fill(struct flametap_record* record, struct thread* thread, __u8 kind) {
  __u64 ids = pid_and_tid();
  record->time = bpf_ktime_get_ns();
  record->pid = ids >> 32;
  record->tid = (__u32)ids;
  record->depth = thread->depth;
  record->line = 0;
  record->kind = kind;
  record->flags = 0;
  for (int i = 0; i < FLAMETAP_TEXTS; ++i) record->text_sizes[i] = 0;
  record->value = 0;
}

static __always_inline void begin_record(struct thread* thread, __u8 kind) { fill(&thread->record, thread, kind); }

/* Texts must be added in their order. */
static __always_inline void add_text(struct thread* thread, enum flametap_text which, const void* from) {
  __u32 start = 0;
  for (int i = 0; i < FLAMETAP_TEXTS; ++i) start += i < which ? thread->record.text_sizes[i] : 0;
  if (start > (FLAMETAP_TEXTS - 1) * FLAMETAP_TEXT_LIMIT) return;
  long size = bpf_probe_read_user_str(thread->text + start, FLAMETAP_TEXT_LIMIT, from);
  if (size > 0 && size <= FLAMETAP_TEXT_LIMIT)
    thread->record.text_sizes[which] = size - 1;
  else
    thread->record.flags |= FLAMETAP_UNREAD;
}

/* Nobody is woken: user space looks often enough, and a wake-up would cost the target more than all the rest. */
static __always_inline bool send(struct thread* thread) {
  struct flametap_record* record = &thread->record;
  record->sequence = thread->sequence++;
  __u64 size = sizeof *record;
  for (int i = 0; i < FLAMETAP_TEXTS; ++i) size += record->text_sizes[i];
  if (size > RECORD_LIMIT) return false;
  if (bpf_ringbuf_output(&records, record, size, BPF_RB_NO_WAKEUP) == 0) return true;
  count_lost();
  return false;
}

static __always_inline void introduce(struct thread* thread, struct task_struct* task) {
  begin_record(thread, FLAMETAP_THREAD);
  thread->record.value = BPF_CORE_READ(task, start_time);
  bpf_get_current_comm(thread->text, COMM_BYTES);
  __u32 size = 0;
  while (size < COMM_BYTES && thread->text[size]) ++size;
  thread->record.text_sizes[FLAMETAP_FILE] = size;
  /* If there is no room for it, the next event tries again. */
  thread->met = send(thread);
}

/* The current thread's state; introduces the thread to user space when it is met for the first time. Null if nothing is
 * watched now, and, with what happens counted as lost, if the kernel has no memory for it. */
static __always_inline struct thread* current_thread(void) {
  if (!watching) return 0;
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
  struct thread* thread = bpf_task_storage_get(&states, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!thread) {
    count_lost();
    return 0;
  }
  if (!thread->met) introduce(thread, task);
  return thread;
}

static __always_inline bool thread_is_hidden(struct thread* thread) {
  if (!judge_threads) return false;
  if (thread->verdict == FLAMETAP_UNJUDGED) {
    struct flametap_thread_key key = {};
    struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
    key.started = BPF_CORE_READ(task, start_time);
    key.tid = (__u32)pid_and_tid();
    __u8* verdict = bpf_map_lookup_elem(&threads, &key);
    if (verdict) thread->verdict = *verdict;
  }
  return thread->verdict == FLAMETAP_HIDE;
}

static __always_inline bool is_outside(struct thread* thread) { return within_size != 0 && !thread->inside; }

/* Whether no call is open that is shown, or that tells where to begin: then no others need be counted. */
static __always_inline bool is_idle(struct thread* thread) {
  return within_size != 0 ? !thread->inside : judge_functions && thread->shown_count == 0;
}

static __always_inline bool is_within(struct thread* thread, __u64 function) {
  char* name = thread->key.function.name.text;
  long size = bpf_probe_read_user_str(name, FLAMETAP_KEY_NAME, (void*)function);
  return size == within_size && bpf_strncmp(name, FLAMETAP_KEY_NAME, (const char*)within) == 0;
}

/* A text as part of a key; false if it is too long for one. A text that fills its field may be longer. */
static __always_inline bool read_key(char* field, __u32 size, __u64 text) {
  __builtin_memset(field, 0, size);
  long got = bpf_probe_read_user_str(field, size, (void*)text);
  return got > 0 && got < size;
}

static __always_inline __u8 verdict_on(const struct flametap_function* key) {
  __u8* verdict = judge_files ? bpf_map_lookup_elem(&functions, key) : bpf_map_lookup_elem(&names, &key->name);
  return verdict ? *verdict : FLAMETAP_UNJUDGED;
}

/* Leaves the name in thread->key. */
static __always_inline __u8 judge(struct thread* thread, struct pt_regs* context, __u64 function) {
  struct flametap_function* key = &thread->key.function;
  if (!read_key(key->name.text, FLAMETAP_KEY_NAME, function)) return FLAMETAP_UNJUDGED;
  if (judge_files && !read_key(key->file, FLAMETAP_KEY_FILE, argument(context, 0))) return FLAMETAP_UNJUDGED;
  return verdict_on(key);
}

static __always_inline bool function_is_hidden(struct thread* thread, struct pt_regs* context, __u64 function) {
  return judge_functions && judge(thread, context, function) == FLAMETAP_HIDE;
}

/* A call that was sent unjudged may stay open for long, and would keep the thread from being idle. */
static __always_inline void judge_outermost(struct thread* thread) {
  if (within_size != 0 || !thread->unjudged || thread->shown_count != 1) return;
  __u8 verdict = verdict_on(&thread->outermost);
  if (verdict == FLAMETAP_HIDE) {
    thread->shown_count = 0;
    thread->shown[0] &= ~1ull; /* its depth is 0: see on_call */
  }
  if (verdict != FLAMETAP_UNJUDGED) thread->unjudged = false;
}

static __always_inline void remember_shown(struct thread* thread, __s32 depth) {
  if (!judge_functions || depth < 0 || depth >= SHOWN_LIMIT) return;
  __u32 place = depth;
  __u64* bits = &thread->shown[place / 64 % (SHOWN_LIMIT / 64)];
  __u64 bit = 1ull << (place % 64);
  if (*bits & bit) return; /* the end of the one before was not told */
  *bits |= bit;
  if (thread->shown_count++ != 0) return;
  thread->unjudged = verdict_on(&thread->key.function) == FLAMETAP_UNJUDGED;
  if (thread->unjudged) thread->outermost = thread->key.function;
}

static __always_inline void send_function(struct thread* thread, struct pt_regs* context, __u8 kind, __s32 depth,
                                          __u8 flags) {
  begin_record(thread, kind);
  thread->record.depth = depth;
  thread->record.line = (__s32)argument(context, 2);
  thread->record.flags = flags;
  add_text(thread, FLAMETAP_FILE, (void*)argument(context, 0));
  add_text(thread, FLAMETAP_FUNCTION, (void*)argument(context, 1));
  send(thread);
}

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
  return thread->depth > 0 ? THROWN : ORDINARY;
}

SEC("usdt")
int on_call(struct pt_regs* context) {
  struct thread* thread = current_thread();
  if (!thread || thread_is_hidden(thread)) return 0;
  judge_outermost(thread);
  __u64 function = argument(context, 1);
  bool idle = is_idle(thread);
  if (is_outside(thread)) {
    if (!is_within(thread, function)) return 0;
  } else if (idle) {
    if (function_is_hidden(thread, context, function)) return 0;
  }
  if (how_entered(thread, true) == NO_CALL) return 0;
  if (idle) thread->depth = 0;
  __s32 depth = thread->depth++;
  if (is_outside(thread)) {
    thread->inside = true;
    thread->inside_depth = depth;
    if (function_is_hidden(thread, context, function)) return 0;
  } else if (!idle) {
    if (function_is_hidden(thread, context, function)) return 0;
  }
  if (!send_calls) return 0;
  remember_shown(thread, depth);
  send_function(thread, context, FLAMETAP_CALL, depth, 0);
  return 0;
}

/* Whether the call that ends now was not sent. */
static __always_inline bool call_was_hidden(struct thread* thread, struct pt_regs* context) {
  if (!judge_functions) return false;
  __s32 depth = thread->depth;
  if (depth < 0 || depth >= SHOWN_LIMIT) return function_is_hidden(thread, context, argument(context, 1));
  __u32 place = depth;
  __u64* bits = &thread->shown[place / 64 % (SHOWN_LIMIT / 64)];
  __u64 bit = 1ull << (place % 64);
  if (!(*bits & bit)) return true;
  *bits &= ~bit;
  thread->shown_count--;
  return false;
}

SEC("usdt")
int on_call_end(struct pt_regs* context) {
  struct thread* thread = current_thread();
  if (!thread || thread_is_hidden(thread) || is_idle(thread)) return 0;
  enum passage passage = how_left(thread);
  if (passage == NO_CALL || (passage == THROWN && !send_calls)) return 0;
  if (passage == THROWN) {
    /* Never entered at a marker: nothing of what is open ends. */
    if (!function_is_hidden(thread, context, argument(context, 1)))
      send_function(thread, context, FLAMETAP_CALL_END, thread->depth, FLAMETAP_UNMARKED);
    return 0;
  }
  __s32 depth = --thread->depth;
  if (thread->inside && depth <= thread->inside_depth) thread->inside = false;
  if (send_calls && !call_was_hidden(thread, context)) send_function(thread, context, FLAMETAP_CALL_END, depth, 0);
  return 0;
}

SEC("usdt")
int on_line(struct pt_regs* context) {
  struct thread* thread = current_thread();
  if (!thread || is_outside(thread) || thread_is_hidden(thread)) return 0;
  if (function_is_hidden(thread, context, argument(context, 1))) return 0;
  send_function(thread, context, FLAMETAP_LINE, thread->depth, 0);
  return 0;
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

/* The start of what is no call, or null if it is not to be shown. */
static __always_inline struct thread* begin_event(__u8 kind) {
  struct thread* thread = current_thread();
  if (!thread || is_outside(thread) || thread_is_hidden(thread)) return 0;
  begin_record(thread, kind);
  add_place(thread);
  return thread;
}

SEC("usdt")
int BPF_USDT(on_gc_start, int generation) {
  struct thread* thread = begin_event(FLAMETAP_GC_START);
  if (!thread) return 0;
  thread->record.value = generation;
  send(thread);
  return 0;
}

SEC("usdt")
int BPF_USDT(on_gc_done, long collected) {
  struct thread* thread = begin_event(FLAMETAP_GC_DONE);
  if (!thread) return 0;
  thread->record.value = collected;
  send(thread);
  return 0;
}

SEC("usdt")
int BPF_USDT(on_import_start, void* module) {
  struct thread* thread = begin_event(FLAMETAP_IMPORT_START);
  if (!thread) return 0;
  add_text(thread, FLAMETAP_NAME, module);
  send(thread);
  return 0;
}

SEC("usdt")
int BPF_USDT(on_import_done, void* module, int found) {
  struct thread* thread = begin_event(FLAMETAP_IMPORT_DONE);
  if (!thread) return 0;
  thread->record.value = found;
  add_text(thread, FLAMETAP_NAME, module);
  send(thread);
  return 0;
}

/* As much of an object as there is: what lies behind it may not be mapped. */
static __always_inline void capture_piece(struct flametap_piece* piece, __u64 object) {
  piece->address = object;
  piece->size = 0;
  if (!object) return;
  if (bpf_probe_read_user(piece->bytes, FLAMETAP_PIECE_BYTES, (void*)object) == 0)
    piece->size = FLAMETAP_PIECE_BYTES;
  else if (bpf_probe_read_user(piece->bytes, 64, (void*)object) == 0)
    piece->size = 64;
}

/* Goes through captured objects, and captures the items of those that are tuples. */
struct capturing {
  struct flametap_capture* capture;
  const struct flametap_python_layout* layout;
  __u64 tuple_type;
  __u32 at;   /* the object that is looked at */
  __u32 item; /* of it, the next */
  __u32 count;
};

static long capture_next(__u32 step, struct capturing* state) {
  __u32 at = state->at;
  __u32 count = state->count;
  if (at >= count || at >= FLAMETAP_PIECES || count >= FLAMETAP_PIECES) return 1;
  const struct flametap_python_layout* layout = state->layout;
  __u64 object = state->capture->pieces[at].address;
  bool has_more = read_word(object + layout->object_type) == state->tuple_type &&
                  state->item < read_word(object + layout->tuple_length);
  if (!has_more) {
    state->at++;
    state->item = 0;
    return 0;
  }
  capture_piece(&state->capture->pieces[count], read_word(object + layout->tuple_items + 8 * state->item));
  state->item++;
  state->count++;
  return 0;
}

/* A tuple, its items, and the items of those that are tuples themselves, as far as there is room. */
static __always_inline void send_capture(struct thread* thread, const struct flametap_python_layout* layout,
                                         __u64 tuple) {
  struct flametap_capture* capture = &thread->capture;
  fill(&capture->record, thread, FLAMETAP_CAPTURE);
  capture->object = tuple;
  capture_piece(&capture->pieces[0], tuple);
  struct capturing state = {.capture = capture, .layout = layout, .count = 1};
  state.tuple_type = read_word(tuple + layout->object_type);
  bpf_loop(3 * FLAMETAP_PIECES, capture_next, &state, 0);
  capture->record.value = state.count;
  capture->record.sequence = thread->sequence++;
  __u64 size = __builtin_offsetof(struct flametap_capture, pieces) + (__u64)state.count * sizeof(struct flametap_piece);
  if (size > sizeof *capture) return;
  if (bpf_ringbuf_output(&records, capture, size, BPF_RB_NO_WAKEUP) != 0) count_lost();
}

SEC("usdt")
int BPF_USDT(on_audit, void* event, void* arguments) {
  struct thread* thread = current_thread();
  if (!thread || is_outside(thread) || thread_is_hidden(thread)) return 0;
  struct flametap_python_layout* layout = current_python();
  if (layout && arguments) send_capture(thread, layout, (__u64)arguments);
  begin_record(thread, FLAMETAP_AUDIT);
  add_place(thread);
  /* A constant of the program that nobody may have looked at yet, so that it is not in memory: user space can get it. */
  thread->record.value = (__s64)event;
  add_text(thread, FLAMETAP_NAME, event);
  send(thread);
  return 0;
}

/* For a table of the functions that are called most: only counts. */
SEC("usdt")
int count_call(struct pt_regs* context) {
  struct thread* thread = current_thread();
  if (!thread || how_entered(thread, false) == NO_CALL) return 0;
  struct flametap_counted* key = &thread->key;
  if (!read_key(key->function.name.text, FLAMETAP_KEY_NAME, argument(context, 1)) ||
      !read_key(key->function.file, FLAMETAP_KEY_FILE, argument(context, 0))) {
    send_function(thread, context, FLAMETAP_CALL, 0, 0);
    return 0;
  }
  key->pid = pid_and_tid() >> 32;
  /* At the end of a call the line is that of where it is left. */
  key->line = bpf_usdt_cookie(context) == FLAMETAP_AT_END ? 0 : (__s32)argument(context, 2);
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
  thread->depth = 0;
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
