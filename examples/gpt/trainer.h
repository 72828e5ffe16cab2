// A run of training: the model, its optimizer, the text, and where they are.
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
  /// Goes on from the checkpoint.
  void resume();
  /// Trains to the last step, saving on the way; false when `stop` became not 0, with all saved.
  bool train(const volatile int& stop);

 private:
  void draw_batch();
  void accumulate();
  std::unique_ptr<taper::Graph> captured();
  std::unique_ptr<taper::Graph> captured_first();
  void run_batch(bool is_first);
  void step();
  void save();

  const Options options_;
  const taper::Device device_;
  Model model_;
  taper::Tensor tokens_;
  std::unique_ptr<taper::optim::AdamW> optimizer_;
  taper::Tensor x_, y_;  // of a batch, where the captured step reads them
  taper::Tensor loss_;   // the mean over the batches of a step
  // Of accumulate(): the first batch of a step makes the gradients, which others add to.
  std::unique_ptr<taper::Graph> first_, others_;
  int64_t step_ = 0;
};

/// Text that the model writes after `prompt`: each token is drawn among the `top_k` likeliest (0:
/// all), with logits divided by `temperature` (0: the likeliest). Only the first `known` tokens of
/// the model's vocabulary are drawn.
std::vector<int64_t> write_text(ModelImpl& model, std::vector<int64_t> prompt,
                                const Options& options, int64_t known, taper::Device device);

}  // namespace gpt
