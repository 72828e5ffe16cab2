// Text to tokens and back: GPT-2's byte-pair encoding, or bytes where no vocabulary is given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpt {

/// The pieces that GPT-2 splits a text into before pairs are merged: contractions, and runs of
/// letters, numbers, other characters, each with a space before it, and white space. `text` is
/// UTF-8; a byte that is no part of a character is one of its own.
std::vector<std::string_view> split_pieces(std::string_view text);

class Tokenizer {
 public:
  /// A token for each byte.
  Tokenizer();
  /// The vocabulary in a folder: vocab.json and merges.txt (Hugging Face), or encoder.json and
  /// vocab.bpe (OpenAI). Throws std::runtime_error that names the file and what is wrong with it.
  explicit Tokenizer(const std::string& folder);

  std::vector<int64_t> encode(std::string_view text) const;
  /// Throws std::runtime_error for a number that is no token.
  std::string decode(const std::vector<int64_t>& tokens) const;
  int64_t size() const { return static_cast<int64_t>(bytes_of_.size()); }

 private:
  void read_tokens(const std::string& path);
  void read_merges(const std::string& path);
  void encode_piece(std::string_view piece, std::vector<int64_t>& tokens) const;

  std::vector<std::string> bytes_of_;  // of each token
  std::unordered_map<std::string, int64_t> token_of_;
  std::unordered_map<uint64_t, int64_t> rank_;  // of two tokens that make one, the earliest first
};

}  // namespace gpt
