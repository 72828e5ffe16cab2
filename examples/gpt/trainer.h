// A training run: the model, its optimizer, the text and the device.
#pragma once

#include <taper/taper.h>

#include <memory>

#include "model.h"
#include "options.h"
#include "tokenizer.h"

namespace gpt {

class Trainer {
 public:
  /// `tokens`: the text [T], which is longer than the context.
  Trainer(const Options& options, Model model, taper::Tensor tokens, taper::Device device);
  /// Continues from the checkpoint.
  void resume();
  /// Trains to the last step and saves checkpoints. If `stop` becomes nonzero, saves and returns
  /// false.
  bool train(const volatile int& stop);

 private:
  void draw_batch();
  void accumulate();
  std::unique_ptr<taper::Graph> captured();
  std::unique_ptr<taper::Graph> captured_first();
  void run_batch(bool is_first);
  void clip();
  void step();
  void save();

  const Options options_;
  const taper::Device device_;
  Model model_;
  taper::Tensor tokens_;
  std::unique_ptr<taper::optim::AdamW> optimizer_;
  taper::Tensor x_, y_;  // a batch, at the addresses of the captured step
  taper::Tensor loss_;   // the mean over the batches of a step
  // The captured steps of accumulate(). The first batch sets the gradients, and others add to them.
  std::unique_ptr<taper::Graph> first_, others_;
  int64_t step_ = 0;
};

/// Returns the text that the model writes after `prompt`. Draws each token among the `top_k` most
/// likely ones (0: all), with logits divided by `temperature` (0: always takes the most likely
/// one). Draws only among the first `known` tokens of the model's vocabulary.
std::vector<int64_t> write_text(ModelImpl& model, std::vector<int64_t> prompt,
                                const Options& options, int64_t known, taper::Device device);

}  // namespace gpt
