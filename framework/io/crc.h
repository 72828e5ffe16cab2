// The checksum of zip, gzip and of our own files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taper::serialize::detail {

/// CRC-32 of `crc`'s bytes followed by these; start with 0.
uint32_t crc_of(uint32_t crc, const void* data, size_t nbytes);

}  // namespace taper::serialize::detail
