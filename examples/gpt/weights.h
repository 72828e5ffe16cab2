// Weights to begin with: Hugging Face's model.safetensors, nanoGPT's ckpt.pt, and checkpoints of
// this program.
#pragma once

#include <string>

#include "model.h"

namespace gpt {

struct Weights {
  Config config;
  /// By the names that the model's parameters have, in their sizes.
  taper::StateDict tensors;
};

/// Reads a file (model.safetensors of GPT-2, ckpt.pt of nanoGPT, or a checkpoint), or a folder with
/// a model.safetensors. The config is the file's, or follows from sizes and from config.json beside
/// it; a head has 64 features where nothing says otherwise. Throws taper::Error that names the
/// file.
Weights read_weights(const std::string& path);

/// Copies them into the model. Throws taper::Error for a name or size that does not fit, with
/// nothing changed.
void load_weights(ModelImpl& model, const Weights& weights, const std::string& path);

}  // namespace gpt
