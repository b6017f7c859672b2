#include "server/push.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>

#include "format/text.h"

namespace flametap::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using ErrorCode = boost::system::error_code;
using Answer = http::response<http::string_body>;

constexpr std::size_t kMaxUrl = 2048;
constexpr std::size_t kMaxAnswer = std::size_t{64} << 10;
constexpr std::size_t kMaxReason = 500;  // of what a server says, for people
constexpr std::chrono::seconds kConnectPatience{10};
constexpr std::chrono::minutes kSendPatience{5};
constexpr std::chrono::milliseconds kLookAgain{50};  // whether we are interrupted

std::string shown(const std::string& text) { return format::clean(text).substr(0, kMaxReason); }

Error cannot_reach(const ServerAddress& server, const ErrorCode& error) {
  if (error == asio::error::interrupted)
    return {Failure::failed, "interrupted before " + server.authority + " had answered: it may have taken it or not",
            ""};
  return {Failure::failed, "cannot send it to " + server.authority + ": " + error.message(), ""};
}

// One connection. Each step is asynchronous, and waited for, because only then it can have a limit of time and can be
// interrupted.
class Connection {
 public:
  // Borrows it.
  explicit Connection(const std::function<bool()>& interrupted) : interrupted_(interrupted) {}

  Result<Answer> ask(const ServerAddress& server, const http::request<http::span_body<const char>>& request) {
    ErrorCode error;
    const auto places = asio::ip::tcp::resolver(context_).resolve(server.host, server.port, error);
    if (error) return cannot_reach(server, error);
    error = wait(kConnectPatience, [&](auto done) { stream_.async_connect(places, done); });
    if (error) return cannot_reach(server, error);
    error = wait(kSendPatience, [&](auto done) { http::async_write(stream_, request, done); });
    // A server that refuses may answer before it has read all: what it says is worth more than that it hung up.
    http::response_parser<http::string_body> parser;
    parser.body_limit(kMaxAnswer);
    beast::flat_buffer buffer(kMaxAnswer);
    const ErrorCode read_error =
        wait(kSendPatience, [&](auto done) { http::async_read(stream_, buffer, parser, done); });
    if (read_error) return cannot_reach(server, error ? error : read_error);
    return parser.release();
  }

 private:
  template <typename Start>
  ErrorCode wait(std::chrono::seconds patience, const Start& start) {
    std::optional<ErrorCode> result;
    stream_.expires_after(patience);
    start([&result](const ErrorCode& error, const auto&) { result = error; });
    context_.restart();
    bool interrupted = false;
    while (!result) {
      context_.run_for(kLookAgain);
      if (result || interrupted || !interrupted_()) continue;
      interrupted = true;
      stream_.cancel();
    }
    return interrupted && *result ? asio::error::make_error_code(asio::error::interrupted) : *result;
  }

  const std::function<bool()>& interrupted_;
  asio::io_context context_;
  beast::tcp_stream stream_{context_};
};

// A text of the answer's JSON; empty if there is none.
std::string text_in(const nlohmann::json& answer, const char* key) {
  if (!answer.is_object() || !answer.contains(key) || !answer[key].is_string()) return "";
  return shown(answer[key].get<std::string>());
}

Error refused(const ServerAddress& server, unsigned status, const nlohmann::json& answer) {
  const std::string reason = text_in(answer, "error");
  std::string remedy = text_in(answer, "remedy");
  if (status == 401) remedy = "give its token in FLAMETAP_TOKEN, or in a file: --token-file FILE";
  return {Failure::failed,
          server.authority + " did not take it: " + (reason.empty() ? "status " + std::to_string(status) : reason),
          remedy};
}

bool is_visible(char letter) { return letter > ' ' && letter < 0x7f; }

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Error no_address(std::string_view url) {
  return {Failure::usage, "'" + shown(std::string(url)) + "' is no address of a flametap server",
          "http://HOST:PORT, as `flametap serve` says it"};
}

}  // namespace

Result<ServerAddress> parse_server_address(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://"))
    return Error{Failure::usage, "a recording can be sent by http only",
                 "to a server that is far away, through a tunnel: ssh -L 8040:localhost:8040 HOST"};
  const bool sound = url.size() <= kMaxUrl && std::ranges::all_of(url, is_visible) &&
                     url.find_first_of("@?#\\\"<>") == std::string_view::npos;
  if (!url.starts_with(kScheme) || !sound) return no_address(url);
  std::string_view rest = url.substr(kScheme.size());
  ServerAddress server;
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  server.authority = rest.substr(0, slash);
  server.path = rest.substr(slash);
  server.path.erase(server.path.find_last_not_of('/') + 1);
  const std::string_view authority = server.authority;
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : std::string_view::npos;
  const bool is_v6 = bracket != std::string_view::npos;
  const std::size_t colon = authority.find(':', is_v6 ? bracket : 0);
  server.host = is_v6 ? authority.substr(1, bracket - 1) : authority.substr(0, colon);
  if (colon != std::string_view::npos) server.port = authority.substr(colon + 1);
  if (server.host.empty() || !is_port(server.port)) return no_address(url);
  return server;
}

Result<std::string> push(const ServerAddress& server, const std::string& token, std::string_view ftap,
                         const std::function<bool()>& interrupted) {
  http::request<http::span_body<const char>> request{http::verb::post, server.path + "/api/profiles", 11};
  request.set(http::field::host, server.authority);
  request.set(http::field::user_agent, format::exporter());
  request.set(http::field::content_type, "application/octet-stream");
  request.set(http::field::connection, "close");
  if (!token.empty()) request.set(http::field::authorization, "Bearer " + token);
  request.body() = beast::span<const char>(ftap.data(), ftap.size());
  request.prepare_payload();
  const auto answer = Connection(interrupted).ask(server, request);
  if (!answer) return answer.error();
  const nlohmann::json said = nlohmann::json::parse(answer->body(), nullptr, /*allow_exceptions=*/false);
  if (answer->result_int() != 201) return refused(server, answer->result_int(), said);
  std::string url = text_in(said, "url");
  if (url.empty()) return Error{Failure::failed, server.authority + " does not answer as a flametap server does", ""};
  return url;
}

}  // namespace flametap::server
