/* The program that copies memory of a thread, in an interrupt of the CPU on which the thread runs: it stands still
 * meanwhile, wherever it was, for the few microseconds that the copy takes. User space has it run there by the test
 * facility for tracepoint programs; it is attached to nothing.
 *
 * Memory that is not there at the moment (swapped out) cannot be waited for here: the copy ends before it. */
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

SEC("raw_tp")
int on_interrupt(void* context) {
  __u32 only = 0;
  struct flametap_question* asked = bpf_map_lookup_elem(&question, &only);
  struct flametap_copy* to = bpf_map_lookup_elem(&copy, &only);
  if (!asked || !to || (__u32)pid_and_tid() != asked->tid) return 0;
  __u32 copied = 0;
  for (; copied < FLAMETAP_PIECES && copied < asked->count; ++copied) {
    struct flametap_piece* piece = &asked->pieces[copied];
    __u32 at = piece->at & (FLAMETAP_COPY_LIMIT - 1);
    __u32 size = piece->size & (FLAMETAP_PIECE_LIMIT - 1);
    if (bpf_probe_read_user(to->bytes + at, size, (const void*)piece->from) != 0) break;
  }
  asked->copied = copied;
  asked->answered = asked->asked;
  return 0;
}
