// zstd compression of one piece at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace flametap::format {

class ZstdCompressor {
 public:
  explicit ZstdCompressor(int level);

  // Appends one frame that holds `plain`, filled up to at least `min_bytes` by a skippable frame behind it.
  void append(std::string_view plain, std::size_t min_bytes, std::string& out);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
};

class ZstdDecompressor {
 public:
  ZstdDecompressor();

  // The first frame, which must hold exactly `plain_bytes`: no more than that is ever allocated. Nothing is looked at
  // behind it. False if it is damaged or holds more or less.
  [[nodiscard]] bool decompress(Bytes compressed, std::size_t plain_bytes, std::string& plain);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace flametap::format
