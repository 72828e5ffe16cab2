// The options of the command line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpt {

struct Options {
  // The settings of a run, which a checkpoint holds.
  std::string data, init, vocabulary;
  int64_t layers = 4, heads = 4, width = 128, context = 128;
  double dropout = 0;
  int64_t batch_size = 12, accumulate = 1, steps = 1000, warmup = 50, seed = 1;
  double lr = 1e-3, weight_decay = 0.1, clip = 1;
  std::string autocast = "off";

  // These settings may differ when a run is resumed.
  std::string device = "cpu", checkpoint = "gpt.checkpoint", prompt = "\n", curve;
  bool disable_cuda = false, resume = false, recompute = false, eager = false;
  int threads = 0;
  int64_t checkpoint_every = 100, sample = 200, top_k = 40;
  double temperature = 0.8;

  /// Sets the vocabulary's folder, also for checkpoints.
  void set_vocabulary(const std::string& folder);

  /// The flags of a run's settings with their values, and the names of the flags that the user
  /// gave.
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::string> given;
};

/// Reads the command line. Returns true to continue. Otherwise, after --help or a wrong flag,
/// `status` is the exit code. A wrong flag is reported on stderr.
bool parse_options(int argc, const char* const* argv, Options& options, int& status);

/// Parses the command line again, and takes flags that were not given from a checkpoint. Throws
/// taper::Error if a given flag differs from the checkpoint. Only --steps may be larger.
void adopt_settings(const std::string& path, int argc, const char* const* argv, Options& options);

}  // namespace gpt
