#include "tokenizer.h"

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace gpt {
namespace {

// Vocabularies write each byte as a printable character. Printable bytes of Latin-1 stand for
// themselves. The other bytes, in order, are written as the characters from U+0100 on.
std::array<std::string, 256> printable_bytes() {
  std::array<std::string, 256> text;
  uint32_t next = 0x100;
  for (uint32_t b = 0; b < 256; ++b) {
    const bool itself = (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
    const uint32_t c = itself ? b : next++;
    if (c < 0x80) {
      text[b] = static_cast<char>(c);
    } else {
      text[b] = static_cast<char>(0xc0 | c >> 6);
      text[b] += static_cast<char>(0x80 | (c & 0x3f));
    }
  }
  return text;
}

// Returns the bytes of a word of a vocabulary. A word that is not written this way, such as
// <|endoftext|>, stands for itself.
std::string bytes_of_word(const std::string& word) {
  static const std::unordered_map<std::string, char> byte_of = [] {
    std::unordered_map<std::string, char> map;
    const auto text = printable_bytes();
    for (size_t b = 0; b < 256; ++b) map[text[b]] = static_cast<char>(b);
    return map;
  }();
  std::string bytes;
  for (size_t i = 0; i < word.size();) {
    const size_t n = static_cast<uint8_t>(word[i]) < 0x80 ? 1 : 2;
    const auto found = byte_of.find(word.substr(i, n));
    if (found == byte_of.end()) return word;
    bytes += found->second;
    i += n;
  }
  return bytes;
}

std::ifstream open(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return file;
}

bool exists(const std::string& path) { return std::ifstream(path).good(); }

uint64_t pair_key(int64_t a, int64_t b) {
  return static_cast<uint64_t>(a) << 32 | static_cast<uint64_t>(b);
}

}  // namespace

Tokenizer::Tokenizer() {
  for (int b = 0; b < 256; ++b) {
    bytes_of_.emplace_back(1, static_cast<char>(b));
    token_of_[bytes_of_.back()] = b;
  }
}

Tokenizer::Tokenizer(const std::string& folder) {
  const bool openai = !exists(folder + "/vocab.json") && exists(folder + "/encoder.json");
  read_tokens(folder + (openai ? "/encoder.json" : "/vocab.json"));
  read_merges(folder + (openai ? "/vocab.bpe" : "/merges.txt"));
}

void Tokenizer::read_tokens(const std::string& path) {
  std::ifstream file = open(path);
  const auto json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    throw std::runtime_error(path + ": expected a JSON object of words and numbers");
  bytes_of_.resize(json.size());
  std::vector<bool> seen(json.size());
  for (const auto& [word, number] : json.items()) {
    if (!number.is_number_unsigned() || number.get<uint64_t>() >= json.size() ||
        seen[number.get<size_t>()])
      throw std::runtime_error(path + ": expected each number from 0 to " +
                               std::to_string(json.size() - 1) + " once, got " + number.dump() +
                               " for '" + word + "'");
    seen[number.get<size_t>()] = true;
    bytes_of_[number.get<size_t>()] = bytes_of_word(word);
    token_of_[bytes_of_[number.get<size_t>()]] = number.get<int64_t>();
  }
  for (int b = 0; b < 256; ++b)
    if (!token_of_.count(std::string(1, static_cast<char>(b))))
      throw std::runtime_error(path + ": expected a token for each byte, got none for " +
                               std::to_string(b));
}

void Tokenizer::read_merges(const std::string& path) {
  std::ifstream file = open(path);
  std::string line;
  for (int64_t number = 1; std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || (number == 1 && line.rfind("#version", 0) == 0)) continue;
    const size_t space = line.find(' ');
    const auto token = [&](const std::string& word) {
      const auto found = token_of_.find(bytes_of_word(word));
      return found == token_of_.end() ? int64_t{-1} : found->second;
    };
    const std::string left = line.substr(0, space),
                      right = space == line.npos ? "" : line.substr(space + 1);
    const int64_t a = token(left), b = token(right);
    if (a < 0 || b < 0 || token(left + right) < 0)
      throw std::runtime_error(path + ": line " + std::to_string(number) +
                               ": expected two tokens that make a third, got '" + line + "'");
    rank_.emplace(pair_key(a, b), static_cast<int64_t>(rank_.size()));
  }
}

void Tokenizer::encode_piece(std::string_view piece, std::vector<int64_t>& tokens) const {
  std::vector<int64_t> parts;
  for (const char c : piece) parts.push_back(token_of_.at(std::string(1, c)));
  for (;;) {
    int64_t best = INT64_MAX;
    size_t at = 0;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = rank_.find(pair_key(parts[i], parts[i + 1]));
      if (found != rank_.end() && found->second < best) best = found->second, at = i;
    }
    if (best == INT64_MAX) break;
    const auto word = [&](int64_t token) -> const std::string& {
      return bytes_of_[static_cast<size_t>(token)];
    };
    parts[at] = token_of_.at(word(parts[at]) + word(parts[at + 1]));
    parts.erase(parts.begin() + static_cast<int64_t>(at) + 1);
  }
  tokens.insert(tokens.end(), parts.begin(), parts.end());
}

std::vector<int64_t> Tokenizer::encode(std::string_view text) const {
  std::vector<int64_t> tokens;
  if (rank_.empty()) {
    encode_piece(text, tokens);
    return tokens;
  }
  std::unordered_map<std::string_view, std::vector<int64_t>> known;
  for (const std::string_view piece : split_pieces(text)) {
    std::vector<int64_t>& of_piece = known[piece];
    if (of_piece.empty()) encode_piece(piece, of_piece);
    tokens.insert(tokens.end(), of_piece.begin(), of_piece.end());
  }
  return tokens;
}

std::string Tokenizer::decode(const std::vector<int64_t>& tokens) const {
  std::string text;
  for (const int64_t t : tokens) {
    if (t < 0 || t >= size())
      throw std::runtime_error("decode: expected a token below " + std::to_string(size()) +
                               ", got " + std::to_string(t));
    text += bytes_of_[static_cast<size_t>(t)];
  }
  return text;
}

}  // namespace gpt
