#include "target/process_events.h"

#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>

#include "target/remedy.h"

namespace flametap::target {
namespace {

constexpr int kReceiveBuffer = 4 << 20;
constexpr Nanoseconds kAnswerPatience = kSecond;
constexpr std::size_t kStart = sizeof(nlmsghdr) + sizeof(cn_msg);  // of what an event or a request says

// Kinds of events; the kernel's header has moved their names about.
constexpr unsigned kAnswer = 0;
constexpr unsigned kFork = 1;
constexpr unsigned kExec = 2;
constexpr unsigned kExit = 0x8000'0000;

// Asks for events. The kernel answers with one that says whether it will send any.
Result<void> subscribe(int socket) {
  const proc_cn_mcast_op operation = PROC_CN_MCAST_LISTEN;
  std::array<std::byte, kStart + sizeof operation> request{};
  nlmsghdr header{};
  header.nlmsg_len = request.size();
  header.nlmsg_type = NLMSG_DONE;
  cn_msg message{};
  message.id = {CN_IDX_PROC, CN_VAL_PROC};
  message.len = sizeof operation;
  std::memcpy(request.data(), &header, sizeof header);
  std::memcpy(request.data() + sizeof header, &message, sizeof message);
  std::memcpy(request.data() + kStart, &operation, sizeof operation);
  if (::send(socket, request.data(), request.size(), 0) != static_cast<ssize_t>(request.size())) {
    return errno_error("ask for process events", errno);
  }
  return {};
}

std::optional<proc_event> event_in(std::span<const std::byte> datagram) {
  cn_msg message{};
  proc_event event{};
  if (datagram.size() < kStart) return std::nullopt;
  std::memcpy(&message, datagram.data() + sizeof(nlmsghdr), sizeof message);
  if (message.id.idx != CN_IDX_PROC || message.id.val != CN_VAL_PROC) return std::nullopt;
  // Events of newer kernels may be longer, those of older ones shorter: what is missing stays zero.
  std::memcpy(&event, datagram.data() + kStart, std::min(datagram.size() - kStart, sizeof event));
  return event;
}

// Threads are not told apart by the kernel: only what concerns whole processes is kept.
std::optional<ProcessEvent> process_event(const proc_event& event) {
  switch (static_cast<unsigned>(event.what)) {
    case kFork: {
      const auto& fork = event.event_data.fork;
      if (fork.child_pid != fork.child_tgid) return std::nullopt;
      return ProcessEvent{ProcessEvent::Kind::forked, fork.child_tgid, fork.parent_tgid};
    }
    case kExec:
      return ProcessEvent{ProcessEvent::Kind::executed, event.event_data.exec.process_tgid, 0};
    case kExit:
      if (event.event_data.exit.process_pid != event.event_data.exit.process_tgid) return std::nullopt;
      return ProcessEvent{ProcessEvent::Kind::exited, event.event_data.exit.process_tgid, 0};
    default:
      return std::nullopt;
  }
}

bool wait_for_input(int socket, Nanoseconds patience) {
  pollfd waiting{socket, POLLIN, 0};
  const timespec time{static_cast<time_t>(patience / kSecond), static_cast<long>(patience % kSecond)};
  return ::ppoll(&waiting, 1, &time, nullptr) > 0;
}

using Datagram = std::array<std::byte, 1024>;

// The size of the next datagram; 0: there is none now; negative: some were dropped.
ssize_t receive(int socket, Datagram& datagram) {
  for (;;) {
    const ssize_t size = ::recv(socket, datagram.data(), datagram.size(), MSG_DONTWAIT);
    if (size >= 0) return size;
    if (errno != EINTR) return errno == ENOBUFS ? -1 : 0;
  }
}

Error no_events(const std::string& reason) {
  return {Failure::not_permitted, "the kernel does not tell us about new processes: " + reason,
          remedy_for(Lack::process_events, look_around())};
}

}  // namespace

Result<ProcessEvents> ProcessEvents::open() {
  Fd socket(::socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR));
  if (!socket) return no_events(std::strerror(errno));
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = CN_IDX_PROC;
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return no_events(std::strerror(errno));
  }
  // As much as we may have: without it, a burst of forks is lost.
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer, sizeof kReceiveBuffer) != 0) {
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer);
  }
  if (const auto asked = subscribe(socket.get()); !asked) return no_events(asked.error().message);
  // In a namespace of its own a request is ignored without a word.
  Datagram datagram;
  if (!wait_for_input(socket.get(), kAnswerPatience)) return no_events("it does not answer");
  const ssize_t size = receive(socket.get(), datagram);
  const auto answer = size > 0 ? event_in(std::span(datagram).first(static_cast<std::size_t>(size))) : std::nullopt;
  if (!answer) return no_events("it does not answer");
  if (static_cast<unsigned>(answer->what) == kAnswer && answer->event_data.ack.err != 0) {
    return no_events(std::strerror(static_cast<int>(answer->event_data.ack.err)));
  }
  return ProcessEvents(std::move(socket));
}

bool ProcessEvents::wait(Nanoseconds patience, std::vector<ProcessEvent>& events) {
  if (!wait_for_input(socket_.get(), patience)) return true;
  bool all = true;
  Datagram datagram;
  while (const ssize_t size = receive(socket_.get(), datagram)) {
    if (size < 0) {
      all = false;
      continue;
    }
    const auto event = event_in(std::span(datagram).first(static_cast<std::size_t>(size)));
    if (!event) continue;
    if (const auto kept = process_event(*event)) events.push_back(*kept);
  }
  return all;
}

}  // namespace flametap::target
