// Kernels of recurrent layers. Not installed.
//
// A batch of sequences is packed: first the rows of time 0 of all sequences, then those of time 1,
// and so on; sequences are sorted by length, longest first, so row i of every time belongs to
// sequence i. Sequences of one length are the case where all times have N rows.
#pragma once

#include <vector>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

enum class RnnMode { kTanh, kRelu, kLstm, kGru };

/// Blocks of H columns in the weights: (input, forget, cell, output), (reset, update, new), or one.
constexpr int64_t gates_of(RnnMode mode) {
  return mode == RnnMode::kLstm ? 4 : mode == RnnMode::kGru ? 3 : 1;
}

/// One layer in one direction: how many rows each time has, none fewer than the one after it.
struct RnnPlan {
  RnnMode mode;
  bool reverse;
  std::vector<int64_t> sizes;
};

/// A time as it is computed: its rows, and those it continues: sequence i < known follows row
/// before + i, the others follow the initial state.
struct RnnStep {
  int64_t row, n, before, known;
};

/// The times of a plan in the order of computation.
inline std::vector<RnnStep> steps_of(const RnnPlan& plan) {
  std::vector<RnnStep> steps;
  int64_t row = 0;
  for (int64_t n : plan.sizes) {
    steps.push_back({row, n, 0, 0});
    row += n;
  }
  if (plan.reverse) steps = std::vector<RnnStep>(steps.rbegin(), steps.rend());
  for (size_t t = 1; t < steps.size(); ++t) {
    const RnnStep& last = steps[t - 1];
    steps[t].before = last.row;
    steps[t].known = last.n < steps[t].n ? last.n : steps[t].n;
  }
  return steps;
}

/// All operands are contiguous, of one dtype, f32 or f64; G = gates_of(mode) * H, R rows in all. On
/// the CPU w_hh may be bf16 beside others in f32: operands of products may then be rounded to that.
///
/// gates (R x G): on entry the inputs' part of the gates with its bias, then the gates themselves;
/// y (R x H); h, c (N x H): the first state, then the last. extra (R x H): the cells of an LSTM,
/// the hidden part of a GRU's new gate. w_hh (G x H); b_hh (G) or undefined. What a mode has no use
/// for (c, extra) is undefined.
TAPER_KERNEL(rnn_forward, RnnPlan plan, InOut gates, Out extra, Out y, InOut h, InOut c, In w_hh,
             In b_hh)

/// gx (R x G): the gradient of the inputs' part of the gates; gp (R x G): that of the hidden part,
/// where it is another (GRU); before (R x H): the hidden state each row started from; gh, gc
/// (N x H): the gradients of the last state, then of the first. gy (R x H) or undefined; gates,
/// extra, y as rnn_forward left them; h0, c0: the first state.
TAPER_KERNEL(rnn_backward, RnnPlan plan, Out gx, Out gp, Out before, InOut gh, InOut gc, In gy,
             In gates, In extra, In y, In w_hh, In h0, In c0)

}  // namespace torch::taper
