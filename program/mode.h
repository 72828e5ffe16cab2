// The mode, training or evaluation, that an export has fixed. Not installed.
#pragma once

#include <string>

#include <taper/program/graph.h>

namespace torch::taper::program {

/// What the ops of a graph say about the mode.
struct ModeOfExport {
  bool training = true;  ///< the mode of the export
  int in_training = 0;   ///< ops that are in training mode
  int in_evaluation = 0;
  std::string example;  ///< an op that depends on the mode

  /// Returns whether an op is in training mode, or in evaluation mode.
  bool of_mode(bool train) const { return (train ? in_training : in_evaluation) > 0; }
};

/// Returns the mode in which a model was exported. Without an op that depends on it, it is training
/// mode.
ModeOfExport mode_of_export(const Graph& graph);

}  // namespace torch::taper::program
