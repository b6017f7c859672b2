/* Objects of the target, copied while they are what they are. */
#pragma once

#include "bpf/python_context.bpf.h"
#include "bpf/thread.bpf.h"

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
