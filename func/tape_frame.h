// TapeFrame: a part of the tape that is differentiated as a whole. Not installed.
//
// In a frame, ops do not propagate tangents of levels that started before the frame. These tangents
// wait in the frame. A tensor with a waiting tangent is replaced by a leaf of the frame. At the
// end, the results are differentiated along the tangents t of the leaves. J is the Jacobian of the
// results with respect to the leaves. The tape computes v^T J. Since v^T J is linear in v,
// differentiating it with respect to v gives J t. So a frame needs only backward derivatives of
// ops.
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

  /// Returns the leaf for x. The frame computes derivatives with respect to its leaves. A leaf has
  /// no tangents. If x requires a gradient and the caller records, the leaf's history leads to x's
  /// history.
  Tensor leaf(const Tensor& x);
  /// Returns the leaf of x if x has a tangent that waits in this frame, else x.
  Tensor resolved(const Tensor& x);
  /// Returns whether there are leaves with tangents.
  bool has_duals() const;
  /// Returns whether the history of the tensors leads to leaves that do not belong to the frame.
  bool leads_outside(const variable_list& results) const;
  /// Computes the tangents of results of the frame. Without `keep_history`, the results lose their
  /// history.
  void finish(const std::vector<Tensor*>& results, bool keep_history);

  /// After this call, tangents of levels that started after the frame wait, too. Called when the
  /// tape is complete, before products are computed.
  void complete() { limit_ = outer_limit_; }

  TapeFrame* outer() const { return outer_; }
  LevelId limit() const { return limit_; }
  /// Returns the level id that the frame got at its start. Tangents of levels with larger ids do
  /// not wait in this frame.
  LevelId start() const { return start_; }
  bool recorded() const { return recorded_; }

 private:
  struct Leaf {
    Tensor source, leaf;
  };
  std::vector<LevelId> levels_of_duals() const;

  TapeFrame* const outer_;
  const LevelId start_, outer_limit_;
  LevelId limit_;              // tangents of levels before this level wait
  const bool recorded_;        // whether the caller records
  const uint64_t first_node_;  // older nodes are not the frame's
  std::unordered_map<const TensorImpl*, Leaf> leaves_;
};

/// Returns whether a tangent of `x` waits in a frame. Throws Error for a polynomial of jet.
bool waits_in_frames(const Tensor& x);
/// Returns x, replaced by its leaf in each frame that a tangent of x waits in.
Tensor resolved_in_frames(const Tensor& x);
/// Returns J t from the tape. J is the Jacobian of `results` with respect to `leaves`. Undefined
/// tangents are zero.
variable_list along(const variable_list& results, const variable_list& leaves,
                    const variable_list& tangents, bool create_graph);

}  // namespace torch::taper::func::detail
