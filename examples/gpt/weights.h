// Reads initial weights: Hugging Face's model.safetensors, nanoGPT's ckpt.pt, and checkpoints of
// this program.
#pragma once

#include <string>

#include "model.h"

namespace gpt {

struct Weights {
  Config config;
  /// The tensors, with the names and sizes of the model's parameters.
  taper::StateDict tensors;
};

/// Reads a file (model.safetensors of GPT-2, ckpt.pt of nanoGPT, or a checkpoint), or a folder with
/// a model.safetensors. The config is in the file, or follows from the sizes and from config.json
/// beside it. Without a number of heads, a head has 64 features. Throws taper::Error with the name
/// of the file.
Weights read_weights(const std::string& path);

/// Copies the weights into the model. Throws taper::Error if a name or a size does not match, and
/// changes nothing then.
void load_weights(ModelImpl& model, const Weights& weights, const std::string& path);

}  // namespace gpt
