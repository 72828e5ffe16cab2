// The checksum of zip, gzip and Taper's files. Not installed.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::serialize::detail {

/// Continues a CRC-32. `crc` is the checksum of earlier bytes, or 0 at the start. Returns the
/// checksum of the earlier bytes followed by the bytes of `data`.
inline uint32_t crc_of(uint32_t crc, const void* data, size_t nbytes) {
  const auto* p = static_cast<const unsigned char*>(data);
  while (nbytes > 0) {  // zlib's crc32 takes 32-bit lengths
    const size_t n = std::min<size_t>(nbytes, 1u << 30);
    crc = static_cast<uint32_t>(::crc32(crc, p, static_cast<uInt>(n)));
    p += n;
    nbytes -= n;
  }
  return crc;
}

}  // namespace torch::taper::serialize::detail
