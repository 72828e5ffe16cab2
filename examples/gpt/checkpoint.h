// Checkpoints. A run that continues from one is bit-identical to an uninterrupted run.
#pragma once

#include <taper/taper.h>

#include <string>
#include <utility>
#include <vector>

#include "model.h"

namespace gpt {

using SettingList = std::vector<std::pair<std::string, std::string>>;

/// Returns whether `path` is a file that may be a checkpoint, not a safetensors file of another
/// program or a zip archive of Python.
bool is_checkpoint(const std::string& path);
/// Saves atomically, so that the file is always a complete checkpoint. Throws taper::Error.
void save_checkpoint(const std::string& path, const SettingList& settings, const ModelImpl& model,
                     const taper::optim::Optimizer& optimizer, int64_t step);
/// Returns the flags with which the run was started.
SettingList read_settings(const std::string& path);
/// Returns the configuration of the model, which may come from other weights.
Config read_config(const std::string& path);
/// Restores the model alone. Throws taper::Error like load_checkpoint().
void load_model(const std::string& path, ModelImpl& model);
/// Restores model, optimizer and the CPU's generator, and returns the number of finished steps.
/// Throws taper::Error if the file is cut, damaged or of another model.
int64_t load_checkpoint(const std::string& path, ModelImpl& model,
                        taper::optim::Optimizer& optimizer);

}  // namespace gpt
