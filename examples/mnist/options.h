// The options of the command line.
#pragma once

#include <cstdint>
#include <string>

namespace mnist {

struct Options {
  std::string model = "cnn";
  int epochs = 3;
  int batch_size = 64;
  double lr = 0.01;
  double momentum = 0.5;
  int64_t seed = 1;
  int threads = 0;
  int workers = 0;
  std::string device = "cpu";
  bool disable_cuda = false;
  bool data_parallel = false;
  std::string data;
  bool drawn = false;
  bool offline = false;
  int64_t limit = 0;
  std::string checkpoint;
  int checkpoint_every = 100;
  bool resume = false;
  std::string trace;
  std::string curve;

  // Whether these options were given. A resumed run takes the others from the checkpoint.
  bool has_model = false, has_batch_size = false, has_lr = false, has_momentum = false,
       has_seed = false, has_limit = false;
};

/// Reads the command line. Returns true to continue. Otherwise, after --help or a wrong flag,
/// `status` is the exit code. A wrong flag is reported on stderr.
bool parse_options(int argc, char** argv, Options& options, int& status);

}  // namespace mnist
