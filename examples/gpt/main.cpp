// Trains GPT-2 on a text, and lets it write:
//
//   gpt --data FILE                        from scratch, a token for each byte
//   gpt --data FILE --init gpt2            from GPT-2's weights and vocabulary in the folder gpt2
//   gpt --data FILE --init gpt.checkpoint --checkpoint second
//                                          begins a new run with the weights of an earlier one
//   gpt --data FILE --resume               goes on where the last run was stopped, by Ctrl-C or
//                                          even kill -9; a larger --steps makes the run longer
//   gpt --init gpt2 --prompt 'Once'        only writes
#include <taper/taper.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "checkpoint.h"
#include "model.h"
#include "options.h"
#include "tokenizer.h"
#include "trainer.h"
#include "weights.h"

namespace gpt {
namespace {

namespace fs = std::filesystem;

// Set by Ctrl-C. The program then stops after the current step. A second Ctrl-C ends it at once.
volatile std::sig_atomic_t interrupted = 0;
constexpr int kInterrupted = 128 + SIGINT;  // the exit code that shells report for Ctrl-C

void obey_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
}

taper::Device chosen_device(const Options& options) {
  const taper::Device device(options.disable_cuda ? "cpu" : options.device);
  TAPER_CHECK(device.is_cpu() || taper::cuda::is_available(), "--device ", device,
              ": there is no CUDA device; use --device cpu");
  return device.is_cuda() && !device.has_index() ? taper::Device("cuda:0") : device;
}

// Returns the folder of the weights if it also has a vocabulary. Otherwise returns "", so that each
// byte is a token.
std::string vocabulary_beside(const std::string& init) {
  const fs::path given(init), folder = fs::is_directory(given) ? given : given.parent_path();
  const bool beside =
      !init.empty() && (fs::exists(folder / "vocab.json") || fs::exists(folder / "encoder.json"));
  return beside ? folder.string() : "";
}

// Returns the folder of the vocabulary of a checkpoint's run.
std::string vocabulary_of(const std::string& checkpoint) {
  std::string init;
  for (const auto& [flag, value] : read_settings(checkpoint)) {
    if (flag == "--vocabulary" && !value.empty()) return value;
    if (flag == "--init") init = value;
  }
  // A run that started from a checkpoint has the vocabulary in its settings.
  return is_checkpoint(init) ? "" : vocabulary_beside(init);
}

std::string chosen_vocabulary(const Options& options) {
  if (!options.vocabulary.empty()) return options.vocabulary;
  return is_checkpoint(options.init) ? vocabulary_of(options.init)
                                     : vocabulary_beside(options.init);
}

taper::Tensor read_tokens(const std::string& path, const Tokenizer& tokenizer) {
  std::ifstream file(path, std::ios::binary);
  TAPER_CHECK(file && !fs::is_directory(path), "--data ", path, ": cannot be read");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return taper::tensor(tokenizer.encode(text));
}

Config config_of(const Options& o, int64_t vocabulary) {
  Config c;
  c.vocabulary = vocabulary, c.context = o.context, c.layers = o.layers, c.heads = o.heads,
  c.width = o.width;
  c.dropout = o.dropout;
  TAPER_CHECK(c.width % c.heads == 0, "--width: expected a multiple of --heads ", c.heads, ", got ",
              c.width);
  return c;
}

Model make_model(const Options& options, int64_t vocabulary, bool resume) {
  if (resume) return Model(read_config(options.checkpoint));
  if (options.init.empty()) return Model(config_of(options, vocabulary));
  Weights weights = read_weights(options.init);
  weights.config.dropout = options.dropout;
  Model model(weights.config);
  load_weights(*model, weights, options.init);
  return model;
}

void check_tokens(const ModelImpl& model, const Tokenizer& tokenizer) {
  TAPER_CHECK(tokenizer.size() <= model.config.vocabulary, "--vocabulary: expected at most ",
              model.config.vocabulary, " tokens, which the model knows, got ", tokenizer.size());
}

// Returns false if Ctrl-C stopped the training.
bool train(const Options& options, Model model, const Tokenizer& tokenizer, taper::Device device,
           bool resume) {
  const taper::Tensor tokens = read_tokens(options.data, tokenizer);
  TAPER_CHECK(tokens.size(0) > model->config.context, "--data ", options.data,
              ": expected more than ", model->config.context, " tokens, got ", tokens.size(0));
  int64_t parameters = 0;
  for (const taper::Tensor& p : model->parameters()) parameters += p.numel();
  std::printf("data: %s, %lld tokens of %lld; model: %lld parameters\n", options.data.c_str(),
              static_cast<long long>(tokens.size(0)), static_cast<long long>(tokenizer.size()),
              static_cast<long long>(parameters));
  Trainer trainer(options, model, tokens, device);
  if (resume) trainer.resume();
  obey_interrupts();
  return trainer.train(interrupted);
}

int run(int argc, char** argv, Options options) {
  const bool resume = options.resume && fs::exists(options.checkpoint);
  if (options.resume && !resume)
    std::printf("there is no checkpoint %s yet: starting anew\n", options.checkpoint.c_str());
  if (resume) adopt_settings(options.checkpoint, argc, argv, options);
  TAPER_CHECK(
      !options.data.empty() || !options.init.empty(),
      "expected --data FILE to train on, or --init to write with given weights, got neither");
  TAPER_CHECK(resume || options.data.empty() || !is_checkpoint(options.init) ||
                  !fs::exists(options.checkpoint) ||
                  !fs::equivalent(options.init, options.checkpoint),
              "--checkpoint: expected another file than --init ", options.init,
              ", which the new run would overwrite");
  const taper::Device device = chosen_device(options);
  if (options.threads > 0) taper::set_num_threads(options.threads);
  taper::manual_seed(static_cast<uint64_t>(options.seed));
  // A resumed run takes the vocabulary from the checkpoint.
  options.set_vocabulary(resume ? vocabulary_of(options.checkpoint) : chosen_vocabulary(options));
  const Tokenizer tokenizer =
      options.vocabulary.empty() ? Tokenizer() : Tokenizer(options.vocabulary);
  Model model = make_model(options, tokenizer.size(), resume);
  check_tokens(*model, tokenizer);
  if (!options.data.empty() && !train(options, model, tokenizer, device, resume)) {
    std::printf("\nstopped; %s is saved, and --resume goes on from there\n",
                options.checkpoint.c_str());
    return kInterrupted;
  }
  if (options.sample == 0) return 0;
  model->to(device);
  const std::vector<int64_t> prompt = tokenizer.encode(options.prompt);
  TAPER_CHECK(!prompt.empty(), "--prompt: expected some text, got none");
  std::printf(
      "%s\n",
      tokenizer.decode(write_text(*model, prompt, options, tokenizer.size(), device)).c_str());
  return 0;
}

}  // namespace
}  // namespace gpt

int main(int argc, char** argv) {
  gpt::Options options;
  int status = 0;
  if (!gpt::parse_options(argc, argv, options, status)) return status;
  // A full disk or a closed pipe is reported as an error, not by a signal.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int result = gpt::run(argc, argv, options);
    return std::fflush(stdout) == 0 ? result : 1;
  } catch (const std::exception& e) {
    std::fflush(stdout);
    std::fprintf(stderr, "gpt: %s\n", e.what());
    return 1;
  }
}
