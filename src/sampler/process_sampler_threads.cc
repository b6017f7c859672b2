// Which threads there are, as they come and go: the part of ProcessSampler that keeps up with them.
#include <algorithm>
#include <utility>

#include "cpython/thread_names.h"
#include "sampler/process_sampler.h"

namespace flametap::sampler {
namespace {

using cpython::PythonThread;

constexpr int kListAttempts = 8;
constexpr int kIdAttempts = 2;
constexpr unsigned kLongestIdPatience = 1024;
constexpr Nanoseconds kNativeListInterval = 50'000'000;

}  // namespace

// The kernel's ids of the threads in it.
std::vector<cpython::KernelId> ProcessSampler::read_list() {
  std::vector<cpython::KernelId> ids;
  for (int i = 0; i < kListAttempts; ++i) {
    list_ = cpython::read_threads(memory_, interpreter_.layout, interpreter_.runtime);
    // A list that changes while it is read is cut short: threads would be missing at this tick.
    if (!list_.complete && i + 1 < kListAttempts) continue;
    ids = cpython::find_kernel_ids(process_, memory_, interpreter_.layout, list_);
    // A thread that the kernel does not know may have just ended, and its memory be another's already.
    if (i >= kIdAttempts || !has_new_strangers(ids)) break;
  }
  return ids;
}

// Readers of threads that are still there are kept: they know where the stack is.
void ProcessSampler::follow_threads() {
  const std::vector<cpython::KernelId> ids = read_list();
  const bool all_known = std::ranges::find(ids, 0, &cpython::KernelId::tid) == ids.end();
  // A list without threads is that of a program which is just starting: nobody would tell us that it has changed.
  list_is_old_ = !list_.complete || list_.threads.empty();
  cpython::find_gil(memory_, interpreter_);
  shared_.follow(interpreter_, list_);
  if (const auto alive = process_.threads()) numbers_.keep_only(*alive);
  ticks_until_ids_ = all_known ? 0 : id_patience_;
  id_patience_ = all_known ? 1 : std::min(2 * id_patience_, kLongestIdPatience);
  std::vector<Thread> now;
  none_was_known_ = !threads_.empty();
  for (std::size_t i = 0; i < list_.threads.size(); ++i) {
    if (ids[i].is_gone) continue;  // 2.7 keeps the states of all threads in a child that one of them forked
    const PythonThread& found = list_.threads[i];
    const auto known = std::ranges::find_if(threads_, [&](const Thread& thread) {
      return thread.sampler && thread.python.state == found.state && thread.python.ident == found.ident &&
             thread.sampler->tid() == ids[i].tid;
    });
    if (known != threads_.end()) {
      none_was_known_ = false;
      now.push_back({known->number, found, ids[i], std::move(known->sampler), std::move(known->along), known->state,
                     known->tick});
    } else {
      const std::uint64_t number = numbers_.number_of(ids[i].tid, list_.interpreters[found.interpreter].id);
      now.push_back({number, found, ids[i], make_sampler(found, ids[i].tid), std::make_unique<Along>(), 0, 0});
    }
    read_along(now.back());
  }
  threads_ = std::move(now);
  introduce_companions();
  next_native_list_ = 0;
}

void ProcessSampler::read_along(Thread& thread) {
  Along& along = *thread.along;
  along.segments.assign(shared_.segments().begin(), shared_.segments().end());
  along.inner_tid = thread.id.inner_tid;
  // Where the thread's state has it, it is among the words that every reading has.
  if (thread.id.place != target::kNull && thread.python.native_id != thread.id.inner_tid) {
    along.segments.push_back({thread.id.place, std::as_writable_bytes(std::span{&along.inner_tid, 1})});
  }
  thread.sampler->reader().read_along(along.segments);
}

// Whether there are threads whose kernel id is not known, and that were not there the last time.
bool ProcessSampler::has_new_strangers(const std::vector<cpython::KernelId>& ids) const {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto is_it = [&](const Thread& thread) {
      return thread.sampler->tid() == 0 && thread.python.state == list_.threads[i].state;
    };
    if (ids[i].tid == 0 && std::ranges::none_of(threads_, is_it)) return true;
  }
  return false;
}

void ProcessSampler::introduce_companions() {
  for (Thread& thread : threads_) {
    ThreadSampler::Companions companions;
    for (const Thread& other : threads_) {
      const bool shares_it = other.sampler->tid() == thread.sampler->tid() && thread.sampler->tid() != 0;
      if (&other != &thread && shares_it) companions.others.push_back(other.sampler.get());
    }
    // Threads are numbered once and for all, but stand elsewhere when the list was read anew.
    companions.is_innermost = [this, number = thread.number] {
      const auto self = std::ranges::find(threads_, number, &Thread::number);
      return self != threads_.end() && (shared_.holds_gil(self->python) || is_foremost(*self));
    };
    thread.sampler->set_companions(std::move(companions));
  }
}

// Nobody tells when such a thread begins.
void ProcessSampler::follow_native_threads() {
  next_native_list_ = monotonic_now() + kNativeListInterval;
  const auto tids = process_.threads();
  if (!tids || std::ranges::any_of(threads_, [](const Thread& thread) { return thread.sampler->tid() == 0; })) {
    native_threads_.clear();  // those of Python cannot be told from the others
    return;
  }
  // A thread that calls Python now and then does so in the main interpreter.
  const std::int64_t main = list_.interpreters.empty() ? 0 : list_.interpreters.back().id;
  std::vector<NativeThread> now;
  for (const pid_t tid : *tids) {
    if (is_python_thread(tid)) continue;
    const auto known = std::ranges::find_if(
        native_threads_, [&](const NativeThread& thread) { return thread.sampler && thread.sampler->tid() == tid; });
    if (known != native_threads_.end()) {
      now.push_back(std::move(*known));
    } else {
      native_->forget(tid);  // what is known of that id is another thread's
      now.push_back({numbers_.number_of(tid, main),
                     std::make_unique<NativeThreadSampler>(KernelView::open(process_.pid(), tid), tid)});
    }
  }
  native_threads_ = std::move(now);
}

bool ProcessSampler::list_has_changed() {
  return memory_.read(shared_.segments()).status != target::ReadStatus::ok || shared_.list_changed();
}

std::map<std::uint64_t, std::string> ProcessSampler::thread_names(std::span<const std::uint64_t> threads) {
  // An ident is given again to the next thread: names are those of the threads in the list as it is now, and still is
  // afterwards. The next thread may have taken the memory of the one before, too: then the list looks the same, but the
  // kernel's id is another.
  if (list_is_old_ || list_has_changed()) follow_threads();
  const auto is_wanted = [&](const Thread& thread) {
    return std::ranges::find(threads, thread.number) != threads.end();
  };
  cpython::ThreadList wanted{list_.interpreters, {}, list_.complete};
  for (const Thread& thread : threads_) {
    if (is_wanted(thread)) wanted.threads.push_back(thread.python);
  }
  const cpython::ThreadNames by_ident = cpython::read_thread_names(memory_, interpreter_.layout, wanted);
  const auto alive = process_.threads();
  if (!alive || list_has_changed()) {
    list_is_old_ = true;
    return {};
  }
  const bool has_ids = std::ranges::any_of(threads_, [](const Thread& thread) { return thread.id.tid != 0; });
  std::map<std::uint64_t, std::string> names;
  for (const Thread& thread : threads_) {
    const auto name = by_ident.find(thread.python.ident);
    if (name == by_ident.end() || !is_wanted(thread)) continue;
    const bool is_known = std::ranges::find(*alive, thread.id.tid) != alive->end();
    if (has_ids && !(is_known && cpython::still_stands(memory_, thread.id))) continue;
    names.emplace(thread.number, name->second);
  }
  return names;
}

bool ProcessSampler::has_thread(std::uint64_t number) const {
  return numbers_.has(number) || std::ranges::find(threads_, number, &Thread::number) != threads_.end();
}

// Memory of a thread that has ended may be another thread's by now.
bool ProcessSampler::same_thread(const Thread& thread) const {
  const cpython::Layout& layout = interpreter_.layout;
  const Bytes words = thread.sampler->reader().thread_words();
  const auto word = [&](cpython::Offset offset) { return load<std::uint64_t>(words, offset).value_or(0); };
  if (thread.along->inner_tid != thread.id.inner_tid) return false;
  if (const auto& id = thread.python.native_id) {
    if (load<std::int32_t>(words, layout.thread.native_thread_id) != id) return false;
  }
  return word(layout.thread.interpreter) == target::to_number(list_.interpreters[thread.python.interpreter].state) &&
         word(layout.thread.thread_id) == thread.python.ident;
}

target::Address ProcessSampler::next_of(const Thread& thread) const {
  const Bytes words = thread.sampler->reader().thread_words();
  return target::Address{load<std::uint64_t>(words, interpreter_.layout.thread.next).value_or(0)};
}

}  // namespace flametap::sampler
