// Converts text to tokens and back, by GPT-2's byte-pair encoding. Without a vocabulary, bytes are
// the tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpt {

/// Splits a text into pieces, as GPT-2 does before it merges pairs. A piece is a contraction, or a
/// run of letters, numbers or other characters with the space before it, or white space. `text` is
/// UTF-8. An invalid byte counts as a character.
std::vector<std::string_view> split_pieces(std::string_view text);

class Tokenizer {
 public:
  /// Makes a token for each byte.
  Tokenizer();
  /// Reads the vocabulary in a folder: vocab.json and merges.txt (Hugging Face), or encoder.json
  /// and vocab.bpe (OpenAI). Throws std::runtime_error with the file and the fault.
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
  std::unordered_map<uint64_t, int64_t> rank_;  // of pairs of tokens to merge, 0 is first
};

}  // namespace gpt
