#include "options.h"

#include <taper/taper.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "checkpoint.h"

namespace gpt {
namespace {

using Settings = std::vector<CLI::Option*>;

Settings add_settings(CLI::App& app, Options& o) {
  const CLI::Range count(int64_t{1}, int64_t{1} << 31), from_zero(int64_t{0}, int64_t{1} << 31);
  const CLI::Range positive(0.0, 1e6), share(0.0, 0.999);
  Settings all = {
      app.add_option("--data", o.data, "Text file to train on"),
      app.add_option("--init", o.init,
                     "Weights to begin with: a folder of GPT-2 from Hugging Face, its "
                     "model.safetensors, nanoGPT's ckpt.pt, or a checkpoint of gpt"),
      app.add_option("--vocabulary", o.vocabulary,
                     "Folder with vocab.json and merges.txt (or encoder.json and "
                     "vocab.bpe); that of --init, else bytes"),
      app.add_option("--layers", o.layers, "Blocks")->check(count),
      app.add_option("--heads", o.heads, "Heads of attention")->check(count),
      app.add_option("--width", o.width, "Features of a token")->check(count),
      app.add_option("--context", o.context, "Tokens that are seen at once")->check(count),
      app.add_option("--dropout", o.dropout, "Probability of dropout")->check(share),
      app.add_option("--batch-size", o.batch_size, "Sequences in a batch")->check(count),
      app.add_option("--accumulate", o.accumulate, "Batches whose gradients make a step")
          ->check(count),
      app.add_option("--steps", o.steps, "Steps of training")->check(from_zero),
      app.add_option("--warmup", o.warmup, "Steps in which the learning rate rises")
          ->check(from_zero),
      app.add_option("--seed", o.seed, "Seed of all random numbers"),
      app.add_option("--lr", o.lr, "Greatest learning rate")->check(positive),
      app.add_option("--weight-decay", o.weight_decay, "Weight decay of matrices")->check(positive),
      app.add_option("--clip", o.clip, "Greatest norm of the gradients")->check(positive),
      app.add_option("--autocast", o.autocast, "Compute in bf16, or off")
          ->check(CLI::IsMember({"off", "bf16"}))};
  for (CLI::Option* option : all) option->capture_default_str();
  return all;
}

void add_others(CLI::App& app, Options& o) {
  app.add_option("--device", o.device, "Where to compute: cpu, cuda, cuda:1")
      ->capture_default_str();
  app.add_flag("--disable-cuda", o.disable_cuda, "Compute on the CPU whatever else is said");
  app.add_option("--threads", o.threads, "Threads of an operation (default: all cores)")
      ->check(CLI::Range(1, 4096));
  app.add_flag("--recompute", o.recompute,
               "Keep no activations of a block: compute them again in backward");
  app.add_flag("--eager", o.eager, "Do not capture the step as a graph");
  app.add_option("--checkpoint", o.checkpoint, "File to save the state of the run in")
      ->capture_default_str();
  app.add_option("--checkpoint-every", o.checkpoint_every, "Steps between checkpoints")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  app.add_flag("--resume", o.resume, "Go on from the checkpoint, if there is one");
  app.add_option("--curve", o.curve, "File for a drawing (SVG) of the loss over the tokens");
  app.add_option("--sample", o.sample, "Tokens to write at the end")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--prompt", o.prompt, "What the written text goes on from");
  app.add_option("--temperature", o.temperature,
                 "Divides the logits; 0: always the likeliest token")
      ->check(CLI::Range(0.0, 1e3))
      ->capture_default_str();
  app.add_option("--top-k", o.top_k, "Draw among the likeliest so many; 0: all")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
}

std::string value_of(const CLI::Option& option) {
  return option.count() ? option.results().back() : option.get_default_str();
}

}  // namespace

void Options::set_vocabulary(const std::string& folder) {
  vocabulary = folder;
  for (auto& [flag, value] : settings)
    if (flag == "--vocabulary") value = folder;
}

bool parse_options(int argc, const char* const* argv, Options& o, int& status) {
  CLI::App app{
      "Trains GPT-2 on a text file, from scratch or from given weights, and lets it write."};
  app.get_formatter()->column_width(34);
  const Settings settings = add_settings(app, o);
  add_others(app, o);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::printf("%s", app.help().c_str());
    status = 0;
    return false;
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "gpt: %s (--help lists the flags)\n", e.what());
    status = 2;
    return false;
  }
  o.settings.clear();
  o.given.clear();
  for (const CLI::Option* option : settings) {
    o.settings.emplace_back(option->get_name(), value_of(*option));
    if (option->count()) o.given.push_back(option->get_name());
  }
  return true;
}

namespace {

// Only the number of steps may change, and only grow.
void check_same(const std::string& path, const std::string& flag, const std::string& saved,
                const std::string& mine) {
  const bool steps = flag == "--steps";
  const bool longer = steps && std::stoll(mine) > std::stoll(saved);
  TAPER_CHECK(mine == saved || longer, path, ": the run was started with ", flag, " ", saved,
              ", so it cannot go on with ", mine, steps ? ", which is less" : "");
}

}  // namespace

void adopt_settings(const std::string& path, int argc, const char* const* argv, Options& o) {
  std::vector<std::string> words(argv, argv + argc);
  for (const auto& [flag, saved] : read_settings(path)) {
    const auto mine = std::find_if(o.settings.begin(), o.settings.end(),
                                   [&flag = flag](const auto& s) { return s.first == flag; });
    TAPER_CHECK(mine != o.settings.end(), path, ": ", flag, " is no flag of this program");
    const bool given = std::find(o.given.begin(), o.given.end(), flag) != o.given.end();
    if (given) check_same(path, flag, saved, mine->second);
    if (!given && mine->second != saved) words.push_back(flag + "=" + saved);
  }
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  Options all;
  int status = 0;
  TAPER_CHECK(parse_options(static_cast<int>(pointers.size()), pointers.data(), all, status), path,
              ": its settings are damaged");
  o = all;
}

}  // namespace gpt
