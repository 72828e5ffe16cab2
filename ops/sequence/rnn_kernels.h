// Kernels of recurrent layers. Not installed.
//
// A batch of sequences is packed: the rows of time 0 of all sequences, then those of time 1, and so
// on. Sequences are sorted by length, longest first, so row i of every time belongs to sequence i.
// If all sequences have one length, all times have N rows.
#pragma once

#include <vector>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

enum class RnnMode { kTanh, kRelu, kLstm, kGru };

/// Returns the number of blocks of H rows in the weights: (input, forget, cell, output), (reset,
/// update, new), or one.
constexpr int64_t gates_of(RnnMode mode) {
  return mode == RnnMode::kLstm ? 4 : mode == RnnMode::kGru ? 3 : 1;
}

/// One layer in one direction. `sizes` holds the number of rows of each time, which never
/// increases.
struct RnnPlan {
  RnnMode mode;
  bool reverse;
  std::vector<int64_t> sizes;
};

/// One time of the computation: n rows from `row` on. Sequence i continues row `before` + i if i <
/// `known`. Otherwise it starts from the initial state.
struct RnnStep {
  int64_t row, n, before, known;
};

/// Returns the times of a plan in the order of computation.
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

/// All operands are contiguous, of one dtype, f32 or f64. G = gates_of(mode) * H. R is the number
/// of all rows. On the CPU, w_hh may be bf16 if the others are f32. Operands of products may then
/// be rounded to bf16.
///
/// On entry, gates (R x G) holds the inputs' part of the gates with its bias. On return, it holds
/// the gates. y is (R x H). h and c (N x H) hold the first state on entry and the last state on
/// return. extra (R x H) gets the cells of an LSTM, or the hidden part of a GRU's new gate. w_hh is
/// (G x H). b_hh is (G) or undefined. Operands that a mode does not use (c, extra) are undefined.
TAPER_KERNEL(rnn_forward, RnnPlan plan, InOut gates, Out extra, Out y, InOut h, InOut c, In w_hh,
             In b_hh)

/// gx (R x G) is the gradient of the inputs' part of the gates. gp (R x G) is the gradient of the
/// hidden part, if that differs from gx (GRU). before (R x H) is the hidden state before each row.
/// gh and gc (N x H) hold the gradients of the last state on entry, and of the first state on
/// return. gy is (R x H) or undefined. gates, extra and y come from rnn_forward. h0 and c0 are the
/// first state.
TAPER_KERNEL(rnn_backward, RnnPlan plan, Out gx, Out gp, Out before, InOut gh, InOut gc, In gy,
             In gates, In extra, In y, In w_hh, In h0, In c0)

}  // namespace torch::taper
