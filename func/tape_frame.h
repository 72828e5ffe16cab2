// TapeFrame: a part of the tape that is differentiated as a whole. Not installed.
//
// In a frame, tangents of levels that started before it wait. A tensor with such a tangent is
// replaced by a leaf of the frame. At the end the results are differentiated along the tangents of
// the leaves: with v^T J on the tape, J t is its derivative with respect to v. So a frame needs
// only what any derivative of an op gives.
#pragma once

#include <unordered_map>
#include <vector>

#include <taper/func/levels.h>

namespace torch::taper::func::detail {

class TapeFrame {
 public:
  TapeFrame();
  TapeFrame(const TapeFrame&) = delete;
  TapeFrame& operator=(const TapeFrame&) = delete;

  /// Makes the frame the innermost one, with recording on, until the end of the scope.
  class Scope {
   public:
    explicit Scope(TapeFrame& frame);

   private:
    const Temporarily<TapeFrame*> frame_;
    const Temporarily<LevelId> limit_;
    const AutoGradMode recording_;
  };

  /// Returns a tensor to which derivatives can be taken. It has no tangents. Its history leads to
  /// that of `x`, if `x` requires a gradient and the caller records.
  Tensor leaf(const Tensor& x);
  /// Returns the leaf of `x` if it has a tangent that waits here, else `x`.
  Tensor resolved(const Tensor& x);
  /// Returns whether there are leaves with tangents.
  bool has_duals() const;
  /// Returns whether the history of the tensors leads to leaves that are not the frame's.
  bool leads_outside(const variable_list& results) const;
  /// Gives results of the frame their tangents. Without `keep_history` they have none afterwards.
  void finish(const std::vector<Tensor*>& results, bool keep_history);

  /// Lets the tangents of levels that started after the frame wait, too: for products of a tape
  /// that is complete.
  void complete() { limit_ = outer_limit_; }

  TapeFrame* outer() const { return outer_; }
  LevelId limit() const { return limit_; }
  /// Levels that started later are not the frame's to wait for.
  LevelId start() const { return start_; }
  bool recorded() const { return recorded_; }

 private:
  struct Leaf {
    Tensor source, leaf;
  };
  std::vector<LevelId> levels_of_duals() const;

  TapeFrame* const outer_;
  const LevelId start_, outer_limit_;
  LevelId limit_;        // of the tangents that wait
  const bool recorded_;  // by the caller
  std::unordered_map<const TensorImpl*, Leaf> leaves_;
};

/// Returns whether a tangent of `x` waits in a frame. Throws Error for a polynomial of jet.
bool waits_in_frames(const Tensor& x);
/// Returns the leaf of the outermost frame in which a tangent of `x` waits, or `x`.
Tensor resolved_in_frames(const Tensor& x);
/// Returns J t for results J of leaves, from the tape. Undefined ones are zero.
variable_list along(const variable_list& results, const variable_list& leaves,
                    const variable_list& tangents, bool create_graph);

}  // namespace torch::taper::func::detail
