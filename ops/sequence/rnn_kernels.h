// Kernels of recurrent layers. Not installed.
//
// A batch of N sequences is packed: first the rows of time 0 of all sequences, then the rows of
// time 1, and so on. Sequences are sorted by length, the longest first, so row i of every time
// belongs to sequence i. If all sequences have one length, all times have N rows.
#pragma once

#include <vector>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

enum class RnnMode { kTanh, kRelu, kLstm, kGru };

/// Returns the number of gates, which are blocks of H rows in the weights. LSTM has the gates
/// input, forget, cell and output. GRU has reset, update and new. Other modes have one block.
constexpr int64_t gates_of(RnnMode mode) {
  return mode == RnnMode::kLstm ? 4 : mode == RnnMode::kGru ? 3 : 1;
}

/// One layer in one direction. `sizes` holds the number of rows of each time. This number never
/// increases with time.
struct RnnPlan {
  RnnMode mode;
  bool reverse;
  std::vector<int64_t> sizes;
};

/// One time of the computation: rows [row, row + n). The state before row `row` + i is the one
/// after row `before` + i if i < `known`. Otherwise it is the initial state of sequence i.
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
/// of rows of all times, the sum of plan.sizes. On the CPU, w_hh may be bf16 if the other operands
/// are f32. Operands of products may then be rounded to bf16.
///
/// Computes the outputs y (R x H). On entry, gates (R x G) holds the part of the gates from the
/// inputs, w_ih x + b_ih. On return, `gates` holds the gates. h and c (N x H) hold the first state
/// on entry and the last state on return. For an LSTM, extra (R x H) gets the cell states. For a
/// GRU, it gets w_hn h + b_hn, the part of the new gate from the hidden state. w_hh is (G x H).
/// b_hh is (G) or undefined. Operands that a mode does not use (c, extra) are undefined.
TAPER_KERNEL(rnn_forward, RnnPlan plan, InOut gates, Out extra, Out y, InOut h, InOut c, In w_hh,
             In b_hh)

/// Computes gx (R x G), the gradient of the part of the gates from the inputs. For a GRU, also
/// computes gp (R x G), the gradient of the part from the hidden state. For other modes, gp would
/// equal gx. before (R x H) gets the hidden state before each row. gh and gc (N x H) hold the
/// gradients of the last state on entry, and of the first state on return. gy is (R x H) or
/// undefined. gates, extra and y come from rnn_forward. h0 and c0 (N x H) are the first state.
TAPER_KERNEL(rnn_backward, RnnPlan plan, Out gx, Out gp, Out before, InOut gh, InOut gc, In gy,
             In gates, In extra, In y, In w_hh, In h0, In c0)

}  // namespace torch::taper
