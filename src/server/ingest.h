// What agents of Pyroscope say of a profile in the address that they send it to:
//   /ingest?name=shop.cpu{region=eu,host=web1}&from=1700000000&until=1700000010&format=folded&sampleRate=100
#pragma once

#include <string>

#include "base/result.h"
#include "server/intake.h"
#include "server/url.h"

namespace flametap::server {

struct Ingest {
  Label label;
  Known known;
};

[[nodiscard]] Result<Ingest> parse_ingest(const Url& url);

}  // namespace flametap::server
