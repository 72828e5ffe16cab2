// Checkpoints: all that a run needs to go on as if it had never stopped.
#pragma once

#include <taper/taper.h>

#include <string>
#include <utility>
#include <vector>

#include "model.h"

namespace gpt {

using SettingList = std::vector<std::pair<std::string, std::string>>;

/// Returns whether `path` is a file that may be a checkpoint: no safetensors of others, no zip
/// archive of Python.
bool is_checkpoint(const std::string& path);
/// Saves atomically: the file is at all times a whole checkpoint. Throws taper::Error.
void save_checkpoint(const std::string& path, const SettingList& settings, const ModelImpl& model,
                     const taper::optim::Optimizer& optimizer, int64_t step);
/// The flags that the run was started with.
SettingList read_settings(const std::string& path);
/// Of the model: it may have been that of other weights.
Config read_config(const std::string& path);
/// Restores the model alone. Throws taper::Error like load_checkpoint().
void load_model(const std::string& path, ModelImpl& model);
/// Restores model, optimizer and the CPU's generator, and returns how many steps are done. Throws
/// taper::Error for a file that is cut, damaged or of another model.
int64_t load_checkpoint(const std::string& path, ModelImpl& model,
                        taper::optim::Optimizer& optimizer);

}  // namespace gpt
