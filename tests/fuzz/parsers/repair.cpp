// Checksums that fit mutated bytes.
#include "parser.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t nbytes, size_t most);

namespace fuzz {
namespace {

using taper::serialize::detail::little_endian;

uint32_t crc(const uint8_t* p, size_t nbytes, uLong before = 0) {
  return static_cast<uint32_t>(::crc32(before, p, static_cast<uInt>(nbytes)));
}

void put_little_endian(uint8_t* to, uint32_t v) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<uint8_t>(v >> (8 * i));
}

/// The sizes in an entry of the directory; those of 64 bits are left to the reader.
void repair_entry(uint8_t* data, size_t nbytes, uint8_t* entry) {
  const uint64_t header = little_endian(entry + 42, 4), length = little_endian(entry + 20, 4);
  if (little_endian(entry + 10, 2) != 0 || header + 30 > nbytes) return;
  const uint8_t* const local = data + header;
  const uint64_t at = header + 30 + little_endian(local + 26, 2) + little_endian(local + 28, 2);
  if (at > nbytes || length > nbytes - at) return;
  put_little_endian(entry + 16, crc(data + at, length));
}

}  // namespace

size_t mutate(uint8_t* data, size_t nbytes, size_t most, unsigned seed,
              const std::function<void(uint8_t*, size_t)>& repair) {
  const size_t changed = LLVMFuzzerMutate(data, nbytes, most);
  if (seed % 8 != 0) repair(data, changed);
  return changed;
}

void repair_zip(uint8_t* data, size_t nbytes) {
  for (size_t at = 0; at + 46 <= nbytes; ++at)
    if (std::memcmp(data + at, "PK\x01\x02", 4) == 0) repair_entry(data, nbytes, data + at);
}

void repair_png(uint8_t* data, size_t nbytes) {
  for (size_t at = 8; at + 12 <= nbytes;) {
    const size_t length = size_t{data[at]} << 24 | size_t{data[at + 1]} << 16 |
                          size_t{data[at + 2]} << 8 | data[at + 3];
    if (length > nbytes - at - 12) return;
    const uint32_t sum = crc(data + at + 4, length + 4);
    for (int i = 0; i < 4; ++i)
      data[at + 8 + length + static_cast<size_t>(i)] = static_cast<uint8_t>(sum >> (24 - 8 * i));
    at += 12 + length;
  }
}

void repair_archive(uint8_t* data, size_t nbytes) {
  constexpr std::string_view key = "\"taper.crc32\":\"";
  const auto end = data + nbytes, found = std::search(data, end, key.begin(), key.end());
  if (nbytes < 8 || end - found < static_cast<std::ptrdiff_t>(key.size() + 8)) return;
  uint8_t* const digits = found + key.size();
  std::memcpy(digits, "00000000", 8);
  char text[9];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(crc(data + 8, nbytes - 8)));
  std::memcpy(digits, text, 8);
}

}  // namespace fuzz
