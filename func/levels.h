// Levels: the transformations that run on a thread, and what they keep with tensors. Not installed.
//
// A batch level is one call of vmap. In it, a tensor of one example stands for a batch: ops are
// called with the batch. A tangent level is one call of jvp. In it, tensors may have tangents.
// Batches come first: a tensor that stands for a batch has no tangents, but its batch may.
//
// A series level is one call of jet. In it, tensors may be polynomials of t.
//
// A tape frame (tape_frame.h) is one call of grad or vjp.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/extra.h>
#include <taper/func/core.h>
#include <taper/ops/shared/op_mode.h>

namespace torch::taper::func::detail {

using LevelId = uint64_t;  // counted over the process. A level that starts later has a larger one.
constexpr LevelId kAllLevels = std::numeric_limits<LevelId>::max();

struct Level {
  LevelId id;
  int64_t batch_size;  // 0 for a level of tangents or series
  Randomness randomness;
  bool is_batch() const { return batch_size > 0; }
};

/// What levels keep with a tensor.
struct Note final : TensorNote {
  LevelId batch_level = 0;  // 0: the tensor has its elements itself
  Tensor batch;             // dimension 0 counts the examples
  std::vector<std::pair<LevelId, Tensor>> tangents;
  // Coefficients of t, t^2, ... of jet. An undefined one is zero.
  std::vector<std::pair<LevelId, variable_list>> series;
  void check_elements(const char* op) const override;
};
/// Returns what levels keep with a tensor, or null.
inline Note* note_of(const Tensor& t) {
  if (!t.defined() || !t.impl().extra) return nullptr;
  return static_cast<Note*>(t.impl().extra->note.get());
}
Note& make_note(const Tensor& t);

class TapeFrame;

/// The transformations of a thread.
struct Levels {
  std::vector<Level> running;
  TapeFrame* frame = nullptr;         // the innermost
  LevelId limit = kAllLevels;         // tangents of this level and of later ones are hidden
  LevelId random_limit = kAllLevels;  // levels whose policy a random op has met
  bool off = false;                   // ops run as if nothing was transformed
  std::optional<OpModeGuard> guard;

  const Level* find(LevelId id) const;
  const Level* last_batch(LevelId limit = kAllLevels) const;
};
Levels& levels();
LevelId next_level_id();

/// Runs a level until the end of the scope.
class LevelScope {
 public:
  explicit LevelScope(int64_t batch_size, Randomness randomness = Randomness::kError);
  ~LevelScope();
  LevelScope(const LevelScope&) = delete;
  LevelScope& operator=(const LevelScope&) = delete;
  LevelId id() const { return id_; }

 private:
  const LevelId id_;
};

/// Shows the ops of a rule to all levels again, until the end of the scope.
class ModesAgain {
 public:
  ModesAgain();

 private:
  const OpModeGuard guard_;
};

/// Sets a variable until the end of the scope.
template <class T>
class Temporarily {
 public:
  Temporarily(T& variable, T value)
      : variable_(variable), before_(std::exchange(variable, std::move(value))) {}
  ~Temporarily() { variable_ = before_; }
  Temporarily(const Temporarily&) = delete;
  Temporarily& operator=(const Temporarily&) = delete;

 private:
  T& variable_;
  const T before_;
};

// ---------------------------------------------------------------- batches
/// Returns the level of the batch that a tensor stands for, 0 if none. Throws Error if it has
/// ended.
LevelId batch_level(const Tensor& t);
/// Returns a tensor that stands for a batch.
Tensor stand_in(const Tensor& batch, LevelId level);
/// Returns the batch of a tensor at a level. A tensor without one is expanded, with its tangents.
Tensor batch_of(const Tensor& t, const Level& level);
/// Does so for all levels of a list, from the last one.
Tensor full_batch_of(Tensor t, const std::vector<Level>& all);
/// Returns the tensor that stands for a batch of all levels of a list.
Tensor stand_in_for_full(Tensor batch, const std::vector<Level>& all);
/// Returns the sizes of both, one after the other.
std::vector<int64_t> joined(IntArrayRef a, IntArrayRef b);
/// Sets sizes and strides to those of an example, after an op has changed the batch's own.
void refresh(const Tensor& t);

// ---------------------------------------------------------------- tangents
/// A view without tangents gets views of its base's, which are newer: a write to the base, or to
/// another view, made them with the strides of the base.
void take_tangents_of_base(const Tensor& t);
/// Returns the tangent at a level, undefined for zero. The tangent of a batch stands for a batch.
Tensor tangent_of(const Tensor& t, LevelId level);
/// Gives a tensor a tangent in place of the one that it had.
void set_tangent(const Tensor& t, LevelId level, Tensor tangent);
void drop_tangent(const Tensor& t, LevelId level);
/// Returns the latest running level below `limit` at which the tensor has a tangent, 0 if none.
LevelId tangent_level(const Tensor& t, LevelId limit);
/// Returns a new tensor over the memory of `t`, without history, with its tangents below `limit`.
Tensor without_history(const Tensor& t, LevelId limit);
/// Throws Error unless `tangent` is one of `x`, input number i.
void check_tangent(const char* name, const Tensor& x, const Tensor& tangent, size_t i);
/// Returns `t` with a tangent at a level, as a new tensor over its memory.
Tensor make_dual(const Tensor& t, const Tensor& tangent, LevelId level);
/// Returns the last batch that tangents of levels before `limit`, or tangents of them, stand for.
LevelId batch_level_of_tangents(const Tensor& t, LevelId limit);
/// A tensor with a tangent that stands for a batch becomes one that stands for a batch.
Tensor with_full_tangents(const Tensor& t);
/// Does so for the tensor or for the batch that it stands for.
Tensor with_full_tangents_in_batch(const Tensor& t);

// ---------------------------------------------------------------- series
/// Returns the latest running level below `limit` at which the tensor is a polynomial, 0 if none.
LevelId series_level(const Tensor& t, LevelId limit);

}  // namespace torch::taper::func::detail
