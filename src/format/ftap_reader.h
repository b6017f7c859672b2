// Reading .ftap recordings: as much of them as is there, however they were cut or damaged. See docs/formats/ftap.md.
//
// Whatever the bytes, the profile that comes out is sound: ids in range, no cycle, sums that fit. The warnings say what
// is missing from it.
#pragma once

#include "base/result.h"
#include "format/byte_source.h"
#include "format/read_any.h"

namespace flametap::format {

// Reads the source twice, in pieces. Without time, memory is needed for each thread, stack and state that occurs
// instead of for each sample. Fails if there is no sound chunk at all.
[[nodiscard]] Result<ReadProfile> read_ftap(const ByteSource& source, const ReadOptions& options = {});

}  // namespace flametap::format
