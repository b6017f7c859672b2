/* The program that copies memory of a thread, in an interrupt of the CPU on which the thread runs: it stands still
 * meanwhile, wherever it was, for the few microseconds that the copy takes. User space has it run there by the test
 * facility for tracepoint programs; it is attached to nothing.
 *
 * Memory that is not there at the moment (swapped out) cannot be waited for here: the copy ends before it, or has zeros
 * for it. */
#include <linux/bpf.h>
/* The order matters. */
#include <bpf/bpf_helpers.h>

#include "bpf/ids.bpf.h"
#include "bpf/interrupt.h"

/* As in markers.bpf.c. */
char LICENSE[] SEC("license") = "GPL";

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct flametap_question);
} question SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct flametap_copy);
} copy SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct flametap_followed);
} followed SEC(".maps");

/* 0: it is not there, or was the last. A global function, which the verifier looks at once and not in every turn of a
 * loop. */
__attribute__((noinline)) int copy_piece(__u32 index) {
  __u32 only = 0;
  struct flametap_question* asked = bpf_map_lookup_elem(&question, &only);
  struct flametap_copy* to = bpf_map_lookup_elem(&copy, &only);
  if (!asked || !to || index >= FLAMETAP_PIECES || index >= asked->count) return 0;
  struct flametap_piece* piece = &asked->pieces[index];
  __u32 at = piece->at & (FLAMETAP_COPY_LIMIT - 1);
  __u32 size = piece->size & (FLAMETAP_PIECE_LIMIT - 1);
  piece->missing = bpf_probe_read_user(to->bytes + at, size, (const void*)piece->from) != 0;
  return !piece->missing || piece->optional;
}

/* How much was read: all, or what lies before the end of its page. What is as large as that at the most may end there,
 * and what was made last often has nothing behind it yet. */
static __always_inline __u32 read_up_to(void* to, __u32 most, __u64 from) {
  if (bpf_probe_read_user(to, most, (const void*)from) == 0) return most;
  __u32 rest = FLAMETAP_PAGE - (from & (FLAMETAP_PAGE - 1));
  if (rest >= most) return 0;
  asm volatile("" : "+r"(rest)); /* the verifier is to see the bound, which the compiler may have proven otherwise */
  rest &= most - 1;
  return bpf_probe_read_user(to, rest, (const void*)from) == 0 ? rest : 0;
}

/* What a code object has in tables and texts. */
static __always_inline void follow_texts(const struct flametap_trail* trail, struct flametap_trail_step* step) {
  for (__u32 i = 0; i < FLAMETAP_TRAIL_TEXTS; ++i) {
    if (i >= trail->text_count) break;
    __u64 text = *(__u64*)(step->code_bytes + (trail->texts[i] & (FLAMETAP_TRAIL_OBJECT - 8)));
    step->text_sizes[i] = read_up_to(step->text_bytes[i], FLAMETAP_TRAIL_TEXT, text);
    if (step->text_sizes[i] != 0) step->texts[i] = text;
  }
  __u64 table = *(__u64*)(step->code_bytes + (trail->table & (FLAMETAP_TRAIL_OBJECT - 8)));
  __u64 size = 0;
  if (bpf_probe_read_user(&size, sizeof size, (const void*)(table + trail->table_length)) != 0) return;
  size += trail->table_data;
  if (size > FLAMETAP_TRAIL_TABLE) return;
  if (bpf_probe_read_user(step->table_bytes, size, (const void*)table) != 0) return;
  step->table = table;
  step->table_size = size;
}

/* One step; 0: it was the last. Objects are read with the same size, whatever theirs is: what is too much does no harm,
 * and pointers of which only rubbish was read lead to what nobody will ask for. Global, too. */
__attribute__((noinline)) int follow_step(__u32 index) {
  __u32 only = 0;
  struct flametap_question* asked = bpf_map_lookup_elem(&question, &only);
  struct flametap_followed* answer = bpf_map_lookup_elem(&followed, &only);
  if (!asked || !answer || index >= FLAMETAP_TRAIL_STEPS || !answer->next) return 0;
  if (index >= asked->trail.steps) return 0;
  const struct flametap_trail* trail = &asked->trail;
  struct flametap_trail_step* step = &answer->steps[index];
  __u64 frame = answer->next;
  step->frame_size = read_up_to(step->frame_bytes, FLAMETAP_TRAIL_OBJECT, frame);
  if (step->frame_size == 0) return 0;
  step->frame = frame;
  answer->count = index + 1;
  answer->next = *(__u64*)(step->frame_bytes + (trail->next & (FLAMETAP_TRAIL_OBJECT - 8)));
  __u64 code = *(__u64*)(step->frame_bytes + (trail->code & (FLAMETAP_TRAIL_OBJECT - 8))) & trail->code_mask;
  step->code = 0;
  step->code_size = read_up_to(step->code_bytes, FLAMETAP_TRAIL_OBJECT, code);
  if (step->code_size == 0) return 1;
  step->code = code;
  step->table = 0;
  for (__u32 i = 0; i < FLAMETAP_TRAIL_TEXTS; ++i) step->texts[i] = 0;
  __u32 number = 0;
  for (__u32 i = 0; i < FLAMETAP_TRAIL_MARKS && i < trail->mark_count; ++i) {
    __u32 mark = *(__u32*)(step->code_bytes + (trail->marks[i] & (FLAMETAP_TRAIL_OBJECT - 4)));
    number = flametap_trail_number(number, mark);
  }
  __u32 known = trail->known[flametap_trail_place(code) % FLAMETAP_TRAIL_KNOWN];
  if (known == 0 || known != number) follow_texts(trail, step);
  return 1;
}

/* To where the first object is. */
static __always_inline void follow_link(const struct flametap_trail* trail, struct flametap_followed* answer) {
  __u64 place = trail->link;
  answer->first_place = 0;
  answer->around_place = 0;
  answer->next = 0;
  answer->first_size = sizeof answer->first[0];
  if (bpf_probe_read_user(answer->first, sizeof answer->first[0], (const void*)place) != 0) return;
  if (trail->indirect) {
    answer->first_size = sizeof answer->first;
    place = answer->first[0] + trail->indirect_offset;
    if (bpf_probe_read_user(answer->first, sizeof answer->first, (const void*)place) != 0) return;
    __u64 around_place = answer->first[1] + trail->indirect_offset;
    if (bpf_probe_read_user(&answer->around, sizeof answer->around, (const void*)around_place) == 0)
      answer->around_place = around_place;
  }
  answer->first_place = place;
  answer->next = answer->first[0];
}

static __always_inline void follow(const struct flametap_trail* trail, struct flametap_followed* answer) {
  __u64 home = 0;
  answer->count = 0;
  answer->home = 0;
  if (!trail->link) return;
  follow_link(trail, answer);
  if (!trail->steps) return;
  if (trail->home && bpf_probe_read_user(&home, sizeof home, (const void*)trail->home) == 0 &&
      bpf_probe_read_user(answer->home_bytes, FLAMETAP_TRAIL_HOME, (const void*)home) == 0) {
    answer->home = home;
  }
  for (__u32 i = 0; i < FLAMETAP_TRAIL_STEPS && follow_step(i); ++i) {
  }
}

SEC("raw_tp")
int on_interrupt(void* context) {
  __u32 only = 0;
  struct flametap_question* asked = bpf_map_lookup_elem(&question, &only);
  struct flametap_followed* answer = bpf_map_lookup_elem(&followed, &only);
  if (!asked || !answer || (__u32)pid_and_tid() != asked->tid) return 0;
  __u32 copied = 0;
  while (copied < FLAMETAP_PIECES && copy_piece(copied)) ++copied;
  follow(&asked->trail, answer);
  asked->copied = copied;
  asked->answered = asked->asked;
  return 0;
}
