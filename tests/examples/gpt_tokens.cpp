// gpt_tokens FOLDER: the tokens of the text on stdin. gpt_tokens: its pieces, one in each line as
// hexadecimal bytes.
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>

#include "tokenizer.h"

int main(int argc, char** argv) try {
  const std::string text((std::istreambuf_iterator<char>(std::cin)),
                         std::istreambuf_iterator<char>());
  if (argc == 1) {
    for (const std::string_view piece : gpt::split_pieces(text)) {
      for (const char c : piece) std::printf("%02x", static_cast<unsigned char>(c));
      std::printf("\n");
    }
    return 0;
  }
  const gpt::Tokenizer tokenizer(argv[1]);
  const auto tokens = tokenizer.encode(text);
  for (const int64_t t : tokens) std::printf("%lld\n", static_cast<long long>(t));
  return tokenizer.decode(tokens) == text ? 0 : 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "gpt_tokens: %s\n", e.what());
  return 1;
}
