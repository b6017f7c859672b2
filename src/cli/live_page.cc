#include "cli/live_page.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "server/server.h"
#include "store/sqlite_store.h"
#include "viewer/page.h"

namespace flametap::cli {
namespace {

// A page asks for what is new once a second, on a busy machine less often.
constexpr Nanoseconds kLongestSilence = 10 * kSecond;
// How long the server stays after it has read the rest for one page: for the rest to arrive, and for other pages to
// ask.
constexpr Nanoseconds kLongestGoodbye = 3 * kSecond / 2;
constexpr std::chrono::milliseconds kPause{20};

// Threads that are started meanwhile get no signals: those are for the one that records.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

server::Service::Options service_options(const std::string& token) {
  return {.access = {.hosts = {"localhost", "127.0.0.1"}, .token = token},
          .page = {.html = viewer::page({.title = "flametap", .served = true}),
                   .policy = viewer::content_security_policy(true)}};
}

}  // namespace

class LivePage::Impl {
 public:
  Impl(std::unique_ptr<store::Store> store, std::string token)
      : token_(std::move(token)),
        store_(std::move(store)),
        intake_(*store_, {}),
        service_(service_options(token_), {.store = *store_, .intake = intake_, .live = live_}) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (server_) server_->stop();
    if (thread_.joinable()) thread_.join();
  }

  Result<void> listen(std::uint16_t port) {
    const WithoutSignals inherited;
    auto server = server::Server::listen({.address = "127.0.0.1", .port = port}, service_);
    if (!server) return Error{server.error().kind, server.error().message, "choose another port: --serve=PORT"};
    server_ = std::move(*server);
    thread_ = std::thread([this] { server_->run(); });
    return {};
  }

  Result<std::string> show(const std::string& path, const About& about) {
    const auto id = store::ProfileId::random();
    if (!id) return id.error();
    auto opened = server::LiveRecording::open(path, {.id = *id,
                                                     .name = about.name,
                                                     .command = about.command,
                                                     .python = about.python,
                                                     .mode = "wall",
                                                     .rate_hz = about.rate_hz,
                                                     .start_unix_ns = unix_now()});
    if (!opened) return opened.error();
    recording_ = std::move(*opened);
    live_.add(recording_);
    // What stands behind the # is not sent: the page takes the token from there.
    return server_->url() + "p/" + id->text() + "#mode=" + about.mode + "&token=" + token_;
  }

  void finish(const std::function<void()>& on_wait, const std::function<bool()>& gives_up) {
    if (!recording_) return;
    recording_->complete();
    const auto last = recording_->last_request();
    if (!last || monotonic_now() > *last + kLongestSilence) return;
    on_wait();
    const auto wait_until = [&](const auto& condition) {
      while (!condition() && !gives_up()) std::this_thread::sleep_for(kPause);
    };
    wait_until(
        [&] { return recording_->rest_was_read() || monotonic_now() > *recording_->last_request() + kLongestSilence; });
    wait_until([end = monotonic_now() + kLongestGoodbye] { return monotonic_now() > end; });
  }

 private:
  std::string token_;
  std::unique_ptr<store::Store> store_;
  server::Intake intake_;
  server::LiveRecordings live_;
  server::Service service_;
  std::shared_ptr<server::LiveRecording> recording_;
  std::unique_ptr<server::Server> server_;
  std::thread thread_;
};

Result<std::unique_ptr<LivePage>> LivePage::open(std::uint16_t port) {
  auto store = store::SqliteStore::in_memory();
  if (!store) return store.error();
  const auto token = store::ProfileId::random();
  if (!token) return token.error();
  auto impl = std::make_unique<Impl>(std::move(*store), token->text());
  if (const auto listening = impl->listen(port); !listening) return listening.error();
  return std::unique_ptr<LivePage>(new LivePage(std::move(impl)));
}

LivePage::LivePage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LivePage::~LivePage() = default;

Result<std::string> LivePage::show(const std::string& path, const About& about) { return impl_->show(path, about); }

void LivePage::finish(const std::function<void()>& on_wait, const std::function<bool()>& gives_up) {
  impl_->finish(on_wait, gives_up);
}

}  // namespace flametap::cli
