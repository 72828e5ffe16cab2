// GPT-2's splitting rule. As a regular expression:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#include <algorithm>
#include <iterator>

#include "tokenizer.h"

namespace gpt {
namespace {

struct Range {
  uint32_t first, last;
};
#include "unicode_ranges.inc"

template <size_t n>
bool is_in(const Range (&ranges)[n], uint32_t c) {
  const Range* r = std::lower_bound(std::begin(ranges), std::end(ranges), c,
                                    [](const Range& range, uint32_t x) { return range.last < x; });
  return r != std::end(ranges) && r->first <= c;
}

enum class Kind { Letter, Number, Space, Other, End };

bool is_space(uint32_t c) {
  return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

struct Character {
  Kind kind = Kind::End;
  size_t nbytes = 0;
};

// Returns the code point at `at` and its length. For invalid bytes, returns 0xfffd with length 1.
uint32_t code_point(std::string_view text, size_t at, size_t& nbytes) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  const uint8_t lead = byte(0);
  nbytes = 1;
  if (lead < 0x80) return lead;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > text.size()) return 0xfffd;
  uint32_t c = lead & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0xfffd;
    c = c << 6 | (byte(i) & 0x3f);
  }
  nbytes = length;
  return c;
}

Character character(std::string_view text, size_t at) {
  Character result;
  if (at >= text.size()) return result;
  const uint32_t c = code_point(text, at, result.nbytes);
  result.kind = is_space(c)          ? Kind::Space
                : is_in(kLetters, c) ? Kind::Letter
                : is_in(kNumbers, c) ? Kind::Number
                                     : Kind::Other;
  return result;
}

size_t contraction(std::string_view rest) {
  for (const std::string_view s : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (rest.substr(0, s.size()) == s) return s.size();
  return 0;
}

size_t end_of_run(std::string_view text, size_t at, Kind kind, size_t* last = nullptr) {
  for (Character c = character(text, at); c.kind == kind; c = character(text, at)) {
    if (last) *last = at;
    at += c.nbytes;
  }
  return at;
}

// Returns the end of the piece that begins at `at`.
size_t end_of_piece(std::string_view text, size_t at) {
  if (const size_t n = contraction(text.substr(at))) return at + n;
  const size_t start = at + (text[at] == ' ');
  const Kind kind = character(text, start).kind;
  if (kind != Kind::Space && kind != Kind::End) return end_of_run(text, start, kind);
  size_t last = at;
  const size_t end = end_of_run(text, at, Kind::Space, &last);
  // The last of several spaces belongs to the next piece.
  return end < text.size() && last > at ? last : end;
}

}  // namespace

std::vector<std::string_view> split_pieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (size_t at = 0; at < text.size();) {
    const size_t end = end_of_piece(text, at);
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

}  // namespace gpt
