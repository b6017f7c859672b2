// Router: the table of what can be asked for. A pattern is a path whose words in braces stand for any one word:
// `/api/profiles/{id}`. Among patterns that fit, the first one counts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/message.h"
#include "server/url.h"

namespace flametap::server {

struct Call {
  const Head& head;
  const Url& url;
  std::vector<std::string> words;  // that the braces stand for
  std::string body = {};
};

enum class Guard : std::uint8_t { open, token };         // who may ask
enum class Body : std::uint8_t { none, small, upload };  // how much may be sent
enum class Work : std::uint8_t { light, heavy };         // whether it converts profiles
using Handler = std::function<Response(const Call&)>;

struct Route {
  Method method;
  std::string pattern;
  Handler handler;
  Guard guard = Guard::token;
  Body body = Body::none;
  Work work = Work::light;
};

struct Match {
  const Route* route;
  std::vector<std::string> words;
};

class Router {
 public:
  void add(Route route) { routes_.push_back(std::move(route)); }

  // A request for a head alone is one for the whole. The Response says that there is no such path, or no such method
  // for it.
  [[nodiscard]] std::variant<Match, Response> match(Method method, const Url& url) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace flametap::server
