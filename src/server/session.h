// Session: one connection of a client, from its first byte to its last: one request after the other, each read within
// limits of size and time, and answered.
//
// Lives as long as something is under way on it. Its own calls all come from the thread that runs the I/O; the work of
// requests is done in the pools.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/serializer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "server/budget.h"
#include "server/http_head.h"
#include "server/places.h"
#include "server/service.h"

namespace flametap::server {

// What all sessions share.
struct SessionContext {
  const Service& service;
  boost::asio::thread_pool& light;
  boost::asio::thread_pool& heavy;
  Budget& budget;
  Places places;
  std::atomic<std::size_t> turned_away = 0;  // connections without a place that are told so
  std::atomic<std::size_t> working = 0;      // requests that were taken and not answered yet
};

// Everything of one response that must stay where it is while it is sent.
struct Outgoing {
  boost::beast::http::response<boost::beast::http::buffer_body> message;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::buffer_body>> serializer;
  std::shared_ptr<const ByteStream> stream;
  std::uint64_t sent = 0;
  std::string piece;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::ip::tcp::socket socket, SessionContext& context);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // Serves the client; if there is no place for it, tells it so.
  void start();

 private:
  using ErrorCode = boost::beast::error_code;
  using Clock = std::chrono::steady_clock;

  void turn_away();
  void leave();
  void read_head();
  void on_head(ErrorCode error);
  void accept_body();
  void read_body();
  void on_body(ErrorCode error);
  void work();
  void end_work();
  void refuse(Response response);  // and close: the body was not read
  void send(Response response);
  void send_header(const Response& response);
  void send_next_piece();
  void send_piece(Result<std::string> piece);
  void on_sent(ErrorCode error);
  void drain();
  void close();

  boost::beast::tcp_stream stream_;
  SessionContext& context_;
  std::string peer_;
  std::optional<Places::Id> place_;
  boost::beast::flat_buffer buffer_;
  std::optional<RequestParser> parser_;
  Head head_;
  std::optional<Service::Admitted> admitted_;
  Share share_;
  Clock::time_point body_deadline_;
  std::optional<Outgoing> outgoing_;
  std::size_t drained_ = 0;
  bool keep_alive_ = true;
  bool is_working_ = false;
  bool is_turned_away_ = false;
};

}  // namespace flametap::server
