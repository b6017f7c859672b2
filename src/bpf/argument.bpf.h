/* The arguments of the marker that is passed. */
#pragma once

#include "bpf/marker.h"

/* A program knows the marker that it is attached to by its number here, which is given to it as its cookie. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 4096);
  __type(key, __u32);
  __type(value, struct flametap_marker);
} markers SEC(".maps");

/* Arguments are fetched only when they are needed. */
static __always_inline __u64 argument(struct pt_regs* context, __u32 number) {
  __u32 place = bpf_get_attach_cookie(context);
  const struct flametap_marker* marker = bpf_map_lookup_elem(&markers, &place);
  if (!marker) return 0;
  const struct flametap_argument* argument = &marker->arguments[number];
  if (argument->where == FLAMETAP_NOWHERE) return 0;
  if (argument->where == FLAMETAP_CONSTANT) return argument->value;
  __u64 value = 0;
  bpf_probe_read_kernel(&value, sizeof value, (void*)context + argument->register_offset);
  if (argument->where == FLAMETAP_MEMORY) {
    __u64 address = value + argument->value;
    value = 0;
    bpf_probe_read_user(&value, sizeof value, (void*)address);
  }
  __u32 unused_bits = 64 - 8 * (argument->size & 15);
  value <<= unused_bits & 63;
  return argument->is_signed ? (__u64)((__s64)value >> (unused_bits & 63)) : value >> (unused_bits & 63);
}
