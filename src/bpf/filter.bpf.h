/* What is to be shown: by thread, by function, and within which calls. */
#pragma once

#include "bpf/thread.bpf.h"

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

/* Compares what is compared in the tables. */
static __always_inline bool is_same(const struct flametap_function* one, const struct flametap_function* other) {
  const __u64* words = (const __u64*)one;
  const __u64* other_words = (const __u64*)other;
  __u32 size = judge_files ? sizeof *one : sizeof one->name;
  for (__u32 i = 0; i < sizeof *one / 8; ++i) {
    if (i >= size / 8) break;
    if (words[i] != other_words[i]) return false;
  }
  return true;
}

/* Leaves the name in thread->key. A name's address chooses where the thread remembers it, but only its characters tell
 * whether it is the one. */
static __always_inline __u8 judge(struct thread* thread, struct pt_regs* context, __u64 function) {
  struct flametap_function* key = &thread->key.function;
  if (!read_key(key->name.text, FLAMETAP_KEY_NAME, function)) return FLAMETAP_UNJUDGED;
  if (judge_files && !read_key(key->file, FLAMETAP_KEY_FILE, argument(context, 0))) return FLAMETAP_UNJUDGED;
  struct judged* judged = &thread->judged[(function >> 4 ^ function >> 8) % JUDGED_LIMIT];
  if (judged->verdict != FLAMETAP_UNJUDGED && is_same(&judged->function, key)) return judged->verdict;
  __u8 verdict = verdict_on(key);
  if (verdict != FLAMETAP_UNJUDGED) *judged = (struct judged){.function = *key, .verdict = verdict};
  return verdict;
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

/* The bit of a call at this depth, for which there is one below SHOWN_LIMIT. */
static __always_inline __u64 shown_bit(__s32 depth) { return 1ull << ((__u32)depth % 64); }
static __always_inline __u64* shown_bits(struct thread* thread, __s32 depth) {
  return &thread->shown[(__u32)depth / 64 % (SHOWN_LIMIT / 64)];
}
static __always_inline bool has_shown_bit(__s32 depth) { return depth >= 0 && depth < SHOWN_LIMIT; }

static __always_inline void remember_shown(struct thread* thread, __s32 depth) {
  if (!judge_functions || !has_shown_bit(depth)) return;
  __u64* bits = shown_bits(thread, depth);
  if (*bits & shown_bit(depth)) return; /* the end of the one before was not told */
  *bits |= shown_bit(depth);
  if (thread->shown_count++ != 0) return;
  thread->unjudged = verdict_on(&thread->key.function) == FLAMETAP_UNJUDGED;
  if (thread->unjudged) thread->outermost = thread->key.function;
}

/* Whether the call at the current depth, which ends now, was not sent. */
static __always_inline bool call_was_hidden(struct thread* thread, struct pt_regs* context) {
  __s32 depth = thread->depth;
  if (!judge_functions) return false;
  if (!has_shown_bit(depth)) return function_is_hidden(thread, context, argument(context, 1));
  __u64* bits = shown_bits(thread, depth);
  if (!(*bits & shown_bit(depth))) return true;
  *bits &= ~shown_bit(depth);
  thread->shown_count--;
  return false;
}
