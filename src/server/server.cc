#include "server/server.h"

#include <fcntl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <csignal>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "server/session.h"

namespace flametap::server {
namespace {

namespace net = boost::asio;
using net::ip::tcp;

constexpr std::size_t kThreads = 2;  // of each pool
constexpr std::chrono::milliseconds kPauseWithoutFiles{100};
constexpr std::chrono::milliseconds kPauseBeforeTheEnd{20};
constexpr std::chrono::seconds kTimeToAnswer{30};  // requests that were taken when the end is asked for

Error cannot_listen(const Server::Options& options, const boost::system::error_code& error) {
  const std::string where = options.address + ", port " + std::to_string(options.port);
  Error failed{Failure::failed, "cannot listen on " + where + ": " + error.message(), ""};
  if (error == net::error::address_in_use)
    failed.remedy = "choose another port: --listen ADDRESS:PORT (port 0: any that is free)";
  if (error == boost::system::errc::address_not_available)
    failed.remedy = "choose an address of this machine: ip address";
  if (error == net::error::access_denied) failed.remedy = "choose a port from 1024 on";
  return failed;
}

// Asio does not: a program that we start would go on to listen when we are gone.
void keep_from_children(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

}  // namespace

class Server::Impl {
 public:
  Impl(const Options& options, const Service& service)
      : options_(options),
        budget_(options.max_held_bytes),
        light_(kThreads),
        heavy_(kThreads),
        context_{service, light_, heavy_, budget_, Places(options.places)},
        acceptor_(io_),
        pause_(io_) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    io_.stop();
    light_.join();
    heavy_.join();
  }

  boost::system::error_code listen() {
    boost::system::error_code error;
    const auto address = net::ip::make_address(options_.address, error);
    if (error) return error;
    const tcp::endpoint endpoint(address, options_.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(net::socket_base::reuse_address(true), error);
    if (!error) keep_from_children(acceptor_.native_handle());
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(net::socket_base::max_listen_connections, error);
    if (!error) accept();
    return error;
  }

  [[nodiscard]] std::string url() const {
    const tcp::endpoint bound = acceptor_.local_endpoint();
    const net::ip::address address = bound.address();
    std::string host = address.is_unspecified() ? "127.0.0.1" : address.to_string();
    if (address.is_v6()) host = "[" + (address.is_unspecified() ? "::1" : address.to_string()) + "]";
    return "http://" + host + ":" + std::to_string(bound.port()) + "/";
  }

  void stop_on_signals() {
    signals_.emplace(io_, SIGINT, SIGTERM);
    signals_->async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      acceptor_.close();
      stop_when_answered(std::chrono::steady_clock::now() + kTimeToAnswer);
    });
  }

  void run() {
    while (!io_.stopped()) {
      try {
        io_.run();
      } catch (const std::exception&) {
        // The request that it was for is gone; the others go on.
      }
    }
  }
  void stop() { io_.stop(); }

 private:
  void stop_when_answered(std::chrono::steady_clock::time_point deadline) {
    if (context_.working == 0 || std::chrono::steady_clock::now() > deadline) return io_.stop();
    pause_.expires_after(kPauseBeforeTheEnd);
    pause_.async_wait([this, deadline](const boost::system::error_code&) { stop_when_answered(deadline); });
  }

  void accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
      if (error == net::error::operation_aborted) return;
      if (!error) {
        accept();  // first: whatever becomes of this one, the next is welcome
        return welcome(std::move(socket));
      }
      // No descriptor left, most likely: the connections that are there go on, and give some back.
      pause_.expires_after(kPauseWithoutFiles);
      pause_.async_wait([this](const boost::system::error_code& aborted) {
        if (!aborted) accept();
      });
    });
  }

  void welcome(tcp::socket socket) {
    keep_from_children(socket.native_handle());
    // An answer in two writes would wait for the client's word about the first, some 40 ms.
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    std::make_shared<Session>(std::move(socket), context_)->start();
  }

  Options options_;
  Budget budget_;
  net::thread_pool light_;
  net::thread_pool heavy_;
  SessionContext context_;
  net::io_context io_{1};  // below what sessions use: they end with it
  tcp::acceptor acceptor_;
  net::steady_timer pause_;
  std::optional<net::signal_set> signals_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::listen(const Options& options, const Service& service) {
  auto impl = std::make_unique<Impl>(options, service);
  if (const auto error = impl->listen()) return cannot_listen(options, error);
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::string Server::url() const { return impl_->url(); }
void Server::stop_on_signals() { impl_->stop_on_signals(); }
void Server::run() { impl_->run(); }
void Server::stop() { impl_->stop(); }

}  // namespace flametap::server
