// What the API says of a profile, and the addresses under which clients find it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "server/message.h"
#include "store/store.h"

namespace flametap::server {

[[nodiscard]] nlohmann::ordered_json to_json(const store::Entry& entry, bool live);

// A document as a response; what is no UTF-8 in it becomes U+FFFD.
[[nodiscard]] Response json_response(unsigned status, const nlohmann::ordered_json& document);

// "http://localhost:8040/" by what the client called us.
[[nodiscard]] std::string root_url(const Head& head);
[[nodiscard]] std::string page_url(const Head& head, const store::ProfileId& id);

// 201 and {"id", "url"}, with "warnings" if there are any.
[[nodiscard]] Response created(const Head& head, const store::ProfileId& id,
                               const std::vector<std::string>& warnings = {});

}  // namespace flametap::server
