/* What is kept of each thread that passes markers, and how records of it are sent. */
#pragma once

#include "bpf/argument.bpf.h"
#include "bpf/ids.bpf.h"
#include "bpf/record.h"

/* What we need of the kernel's own types; where the fields are is settled when the program is loaded. */
struct thread_struct {
  unsigned long fsbase;
} __attribute__((preserve_access_index));

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

/* Set once all programs are attached, until the first is detached: half of the markers would tell half of the truth. */
volatile __u8 watching;
__u64 lost; /* events that nobody will see */

#define SHOWN_LIMIT 4096
#define COMM_BYTES 16
#define TEXT_BYTES (FLAMETAP_TEXTS * FLAMETAP_TEXT_LIMIT)
#define RECORD_LIMIT (sizeof(struct flametap_record) + TEXT_BYTES)

/* A verdict never changes, so a thread may remember it: the tables cost more than all the rest of hiding a call. */
struct judged {
  struct flametap_function function;
  __u64 verdict;
};
#define JUDGED_LIMIT 16

struct thread {
  bool met;
  __u8 verdict;
  __u32 sequence;
  __s32 depth;
  __s32 floor; /* the least depth so far: no call that we saw begin is open there */
  bool inside; /* of a call of `within`; the outermost one has depth 0 */
  /* The open calls that were sent, a bit for each depth, so that their ends are sent without another look. Of those
   * that are deeper the name is looked at again; there is always one that is not. */
  __u32 shown_count;
  __u64 shown[SHOWN_LIMIT / 64];
  bool unjudged; /* the outermost of them was sent only because nobody had judged it; its name is `outermost` */
  struct flametap_function outermost;
  struct judged judged[JUDGED_LIMIT];
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

static __always_inline void count_lost(void) { __sync_fetch_and_add(&lost, 1); }

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

static __always_inline void send_function(struct thread* thread, struct pt_regs* context, __u8 kind, __s32 line,
                                          __s32 depth, __u8 flags) {
  begin_record(thread, kind);
  thread->record.depth = depth;
  thread->record.line = line;
  thread->record.flags = flags;
  add_text(thread, FLAMETAP_FILE, (void*)argument(context, 0));
  add_text(thread, FLAMETAP_FUNCTION, (void*)argument(context, 1));
  send(thread);
}
