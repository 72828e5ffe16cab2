// Checks of the GPT example's parts, for gpt.sh:
//   gpt_checks pieces            prints the pieces of the text on stdin, each as hexadecimal bytes
//   gpt_checks tokens FOLDER     prints the tokens of the text on stdin
//   gpt_checks weights FOLDER    writes weights as Hugging Face and nanoGPT do, reads both,
//   compares
#include "weights.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>

#include "tokenizer.h"

namespace {

using taper::IValue;
using taper::StateDict;
using taper::Tensor;

bool is_linear(const std::string& name) {
  return name.find("attn.c_") != name.npos || name.find("mlp.c_") != name.npos;
}

void write_huggingface(const gpt::ModelImpl& model, const std::string& path,
                       const std::string& prefix) {
  StateDict dict;
  for (const auto& item : model.named_parameters()) {
    const Tensor value = item.value().detach();
    const bool turn = is_linear(item.key()) && value.dim() == 2;
    dict.insert(prefix + item.key(), turn ? value.t().contiguous() : value);
  }
  dict.insert(prefix + "h.0.attn.bias", taper::ones({1, 1, 8, 8}).tril());
  taper::save_safetensors(path, dict);
}

void write_nanogpt(const gpt::ModelImpl& model, const std::string& path) {
  StateDict dict;
  for (const auto& item : model.named_parameters())
    dict.insert("_orig_mod.transformer." + item.key(), item.value().detach());
  dict.insert("_orig_mod.lm_head.weight", model.wte->weight.detach());
  taper::GenericDict arguments, file;
  arguments.insert_or_assign(IValue("n_head"), IValue(int64_t{2}));
  file.insert_or_assign(IValue("model"), taper::to_ivalue(dict));
  file.insert_or_assign(IValue("model_args"), IValue(arguments));
  file.insert_or_assign(IValue("iter_num"), IValue(int64_t{5}));
  taper::save_pt(path, IValue(file));
}

// How many parameters of the file differ from the model's; heads count too.
int differences(const gpt::ModelImpl& model, const std::string& path) {
  const gpt::Weights weights = gpt::read_weights(path);
  gpt::Model other(weights.config);
  gpt::load_weights(*other, weights, path);
  int count = weights.config.heads != model.config.heads;
  const auto mine = model.named_parameters();
  for (const auto& item : other->named_parameters()) {
    if (item.value().equal(mine[item.key()])) continue;
    std::printf("%s: %s differs\n", path.c_str(), item.key().c_str());
    ++count;
  }
  return count;
}

int check_weights(const std::string& folder) {
  gpt::Config config;
  config.vocabulary = 300, config.context = 8, config.layers = 2, config.heads = 2,
  config.width = 128;
  int wrong = 0;
  gpt::Model model(config);
  write_huggingface(*model, folder + "/model.safetensors", "");
  write_huggingface(*model, folder + "/long.safetensors", "transformer.");
  wrong += differences(*model, folder) + differences(*model, folder + "/long.safetensors");
  config.bias = false, config.width = 32;
  gpt::Model small(config);
  write_nanogpt(*small, folder + "/ckpt.pt");
  wrong += differences(*small, folder + "/ckpt.pt");
  return wrong != 0;
}

std::string stdin_text() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

int print_pieces() {
  const std::string text = stdin_text();
  for (const std::string_view piece : gpt::split_pieces(text)) {
    for (const char c : piece) std::printf("%02x", static_cast<unsigned char>(c));
    std::printf("\n");
  }
  return 0;
}

int print_tokens(const std::string& folder) {
  const std::string text = stdin_text();
  const gpt::Tokenizer tokenizer(folder);
  const auto tokens = tokenizer.encode(text);
  for (const int64_t t : tokens) std::printf("%lld\n", static_cast<long long>(t));
  return tokenizer.decode(tokens) == text ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string check = argc > 1 ? argv[1] : "";
  if (check == "pieces") return print_pieces();
  if (check == "tokens" && argc == 3) return print_tokens(argv[2]);
  if (check == "weights" && argc == 3) return check_weights(argv[2]);
  throw std::invalid_argument("expected pieces, tokens FOLDER or weights FOLDER");
} catch (const std::exception& e) {
  std::fprintf(stderr, "gpt_checks: %s\n", e.what());
  return 1;
}
