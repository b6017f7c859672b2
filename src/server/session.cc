#include "server/session.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/none.hpp>
#include <new>
#include <utility>

namespace flametap::server {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using std::chrono::seconds;

constexpr std::size_t kMaxBuffer = 128 << 10;
constexpr std::size_t kPieceBytes = 256 << 10;
constexpr std::size_t kMaxDrained = 16 << 20;
// A client that is slower than this is cut off, so that nobody can hold all connections by doing nothing.
constexpr seconds kHeadTime{10};
constexpr seconds kSilence{20};  // between two parts of a body, and for one piece of a response
constexpr std::uint64_t kSlowestBytesPerSecond = 32 << 10;
constexpr seconds kDrainTime{5};
constexpr std::size_t kMaxTurnedAway = 64;

std::string address_of(const net::ip::tcp::socket& socket) {
  boost::system::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  return error ? "" : endpoint.address().to_string();
}

std::shared_ptr<const ByteStream> stream_of(std::string body) {
  auto kept = std::make_shared<const std::string>(std::move(body));
  return std::make_shared<const ByteStream>(
      ByteStream{kept->size(), [kept](std::uint64_t from, std::size_t max) -> Result<std::string> {
                   return kept->substr(static_cast<std::size_t>(from), max);
                 }});
}

Result<std::string> next_piece(const ByteStream& stream, std::uint64_t from) {
  try {
    return stream.read(from, static_cast<std::size_t>(std::min<std::uint64_t>(stream.size - from, kPieceBytes)));
  } catch (const std::bad_alloc&) {
    return Error{Failure::failed, "there is not enough memory", ""};
  }
}

Response broken_head(const beast::error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return failure(431, "the head of the request is too large");
  return failure(400, "this is no HTTP request");
}

}  // namespace

Session::Session(net::ip::tcp::socket socket, SessionContext& context)
    : stream_(std::move(socket)),
      context_(context),
      peer_(address_of(stream_.socket())),
      buffer_(kMaxBuffer),
      share_(context.budget) {}

Session::~Session() {
  end_work();
  leave();
}

void Session::start() {
  place_ = context_.places.enter(network_of(peer_), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->close();
  });
  place_ ? read_head() : turn_away();
}

void Session::leave() {
  if (place_) context_.places.leave(*place_);
  if (std::exchange(is_turned_away_, false)) --context_.turned_away;
}

void Session::turn_away() {
  if (context_.turned_away >= kMaxTurnedAway) return close();
  is_turned_away_ = true;
  ++context_.turned_away;
  Response response = failure(503, "there are too many connections", "try again later");
  response.headers.emplace_back("Retry-After", "1");
  refuse(std::move(response));
}

void Session::read_head() {
  share_.clear();
  head_ = {};
  admitted_.reset();
  parser_.emplace();
  parser_->header_limit(kMaxHeadBytes);
  parser_->body_limit(boost::none);  // decided by the head
  stream_.expires_after(kHeadTime);
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_head(error); });
}

void Session::on_head(ErrorCode error) {
  if (error) {
    const bool is_malformed = error.category() == http::make_error_code(http::error::bad_method).category() &&
                              error != http::error::end_of_stream && error != http::error::partial_message;
    return is_malformed ? refuse(broken_head(error)) : close();
  }
  if (!stream_.socket().is_open()) return;  // it gave way when its head had just come
  context_.places.set(*place_, Places::Standing::spare);
  auto head = head_of(*parser_, peer_);
  if (!head) return refuse(failure(400, head.error().message));
  head_ = std::move(*head);
  auto admitted = context_.service.admit(head_);
  if (auto* const refused = std::get_if<Response>(&admitted)) {
    // Without a body the connection is as good as before.
    if (!parser_->is_done()) return refuse(std::move(*refused));
    keep_alive_ = parser_->keep_alive();
    return send(std::move(*refused));
  }
  admitted_ = std::move(std::get<Service::Admitted>(admitted));
  if (admitted_->match.route->guard == Guard::token) context_.places.set(*place_, Places::Standing::busy);
  accept_body();
}

void Session::accept_body() {
  keep_alive_ = parser_->keep_alive();
  if (parser_->is_done()) return work();
  parser_->body_limit(admitted_->max_body);
  const std::uint64_t bytes = head_.content_length.value_or(admitted_->max_body);
  body_deadline_ = Clock::now() + kSilence + seconds(bytes / kSlowestBytesPerSecond);
  if (!beast::iequals(parser_->get()[http::field::expect], "100-continue")) return read_body();
  static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
  stream_.expires_after(kSilence);
  net::async_write(stream_, net::buffer(kGoOn), [self = shared_from_this()](ErrorCode error, std::size_t) {
    error ? self->close() : self->read_body();
  });
}

void Session::read_body() {
  stream_.expires_at(std::min(body_deadline_, Clock::now() + kSilence));
  http::async_read_some(stream_, buffer_, *parser_,
                        [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_body(error); });
}

void Session::on_body(ErrorCode error) {
  if (error == http::error::body_limit)
    return refuse(failure(413, "the body is larger than " + std::to_string(admitted_->max_body) + " bytes"));
  if (error && error != http::error::need_buffer) return close();
  if (!share_.grow_to(parser_->get().body().size())) {
    Response response = failure(503, "the server has too many uploads at once", "try again later");
    response.headers.emplace_back("Retry-After", "1");
    return refuse(std::move(response));
  }
  return parser_->is_done() ? work() : read_body();
}

void Session::end_work() {
  if (std::exchange(is_working_, false)) --context_.working;
}

void Session::work() {
  is_working_ = true;
  ++context_.working;
  stream_.expires_never();
  net::thread_pool& pool = admitted_->match.route->work == Work::heavy ? context_.heavy : context_.light;
  net::post(pool, [self = shared_from_this()] {
    Response response =
        self->context_.service.answer(self->head_, *self->admitted_, std::move(self->parser_->get().body()));
    net::post(self->stream_.get_executor(),
              [self, response = std::move(response)]() mutable { self->send(std::move(response)); });
  });
}

void Session::refuse(Response response) {
  keep_alive_ = false;
  send(std::move(response));
}

void Session::send(Response response) {
  share_.clear();  // the request's body is gone
  if (!response.stream && !share_.grow_to(response.body.size())) {
    response = failure(503, "the server has too many downloads at once", "try again later");
    response.headers.emplace_back("Retry-After", "1");
  }
  outgoing_.emplace();
  outgoing_->stream = response.stream ? response.stream : stream_of(std::move(response.body));
  send_header(response);
}

void Session::send_header(const Response& response) {
  auto& message = outgoing_->message;
  message.result(response.status);
  message.version(11);
  message.set(http::field::server, "flametap");
  message.set(http::field::cache_control, "no-store");
  message.set("Content-Security-Policy", response.policy);
  message.set("X-Content-Type-Options", "nosniff");
  message.set("Referrer-Policy", "no-referrer");
  message.set("Cross-Origin-Resource-Policy", "same-origin");
  message.set("X-Frame-Options", "DENY");
  for (const auto& [name, value] : response.headers) message.set(name, value);
  if (response.status != 204) {
    message.set(http::field::content_type, response.type);
    message.content_length(outgoing_->stream->size);
  }
  message.keep_alive(keep_alive_);
  message.body().data = nullptr;
  message.body().more = true;
  outgoing_->serializer.emplace(message);
  stream_.expires_after(kSilence);
  http::async_write_header(stream_, *outgoing_->serializer, [self = shared_from_this()](ErrorCode error, std::size_t) {
    if (error) return self->close();
    const bool has_body = self->outgoing_->stream->size > 0 && self->head_.method != Method::head;
    has_body ? self->send_next_piece() : self->on_sent({});
  });
}

void Session::send_next_piece() {
  stream_.expires_never();
  net::post(context_.light, [self = shared_from_this()] {
    auto piece = next_piece(*self->outgoing_->stream, self->outgoing_->sent);
    net::post(self->stream_.get_executor(),
              [self, piece = std::move(piece)]() mutable { self->send_piece(std::move(piece)); });
  });
}

void Session::send_piece(Result<std::string> piece) {
  // The length is promised already: a connection that ends too early is the only way to say that it failed.
  if (!piece || piece->empty()) return close();
  outgoing_->piece = std::move(*piece);
  outgoing_->sent += outgoing_->piece.size();
  auto& body = outgoing_->message.body();
  body.data = outgoing_->piece.data();
  body.size = outgoing_->piece.size();
  body.more = outgoing_->sent < outgoing_->stream->size;
  stream_.expires_after(kSilence);
  http::async_write(stream_, *outgoing_->serializer, [self = shared_from_this()](ErrorCode error, std::size_t) {
    error == http::error::need_buffer ? self->send_next_piece() : self->on_sent(error);
  });
}

void Session::on_sent(ErrorCode error) {
  end_work();
  if (error) return close();
  if (place_) context_.places.set(*place_, Places::Standing::spare);
  outgoing_.reset();
  if (keep_alive_) return read_head();
  ErrorCode ignored;
  stream_.socket().shutdown(net::ip::tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kDrainTime);
  drain();
}

// Closing while the client still sends would destroy the response before it is read.
void Session::drain() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kMaxBuffer / 2),
                          [self = shared_from_this()](ErrorCode error, std::size_t bytes) {
                            self->drained_ += bytes;
                            error || self->drained_ > kMaxDrained ? self->close() : self->drain();
                          });
}

void Session::close() {
  end_work();
  ErrorCode ignored;
  stream_.socket().close(ignored);
}

}  // namespace flametap::server
