/* Who is running here, as our own user space sees it. */
#pragma once

const volatile __u64 namespace_device; /* of the pid namespace in which to tell pids; 0: the machine's own */
const volatile __u64 namespace_inode;

static __always_inline __u64 pid_and_tid(void) {
  struct bpf_pidns_info inner;
  if (namespace_inode != 0 && bpf_get_ns_current_pid_tgid(namespace_device, namespace_inode, &inner, sizeof inner) == 0)
    return (__u64)inner.tgid << 32 | inner.pid;
  return bpf_get_current_pid_tgid();
}
