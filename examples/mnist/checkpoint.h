// Checkpoints: all that a run needs to go on as if it had never stopped.
#pragma once

#include <taper/taper.h>

#include <string>

#include "models.h"
#include "options.h"

namespace mnist {

/// Where a run is: `batch` batches of epoch `epoch` (from 0) are done.
struct Position {
  int64_t epoch = 0;
  int64_t batch = 0;
  /// Sum of the losses of this epoch's batches, for the display.
  double loss_sum = 0;
  /// The generator before the order of this epoch's images was drawn, and now.
  taper::Tensor generator_at_epoch;
  taper::Tensor generator_now;
};

/// Saves atomically: the file is at all times a whole checkpoint. Throws taper::Error.
void save_checkpoint(const std::string& path, const Options& options, const Network& network,
                     const taper::optim::Optimizer& optimizer, const Position& position);

/// Puts the settings of the checkpoint into `options`, and throws when the user asked for others.
void adopt_settings(const std::string& path, Options& options);

/// Restores the network, the optimizer and the position. Throws taper::Error for a file that is
/// cut, damaged or of another network.
Position load_checkpoint(const std::string& path, Network& network,
                         taper::optim::Optimizer& optimizer);

}  // namespace mnist
