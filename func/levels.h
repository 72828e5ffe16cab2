// Levels: the transformations that run on a thread, and the data that they attach to tensors. Not
// installed.
//
// A batch level is one call of vmap. In this level, a tensor has the sizes of one example and
// stands for a batch: ops are called with the batch. A tangent level is one call of jvp. In this
// level, tensors may have tangents. A tensor that stands for a batch has no tangents, but its batch
// may have tangents.
//
// A series level is one call of jet. In this level, tensors may be polynomials of t.
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

using LevelId = uint64_t;  // unique in the process; later levels have larger ids
constexpr LevelId kAllLevels = std::numeric_limits<LevelId>::max();

struct Level {
  LevelId id;
  int64_t batch_size;  // 0 for a level of tangents or series
  Randomness randomness;
  bool is_batch() const { return batch_size > 0; }
};

/// The data that levels attach to a tensor.
struct Note final : TensorNote {
  LevelId batch_level = 0;  // 0 if the tensor does not stand for a batch
  Tensor batch;             // dimension 0 is the index of the example
  std::vector<std::pair<LevelId, Tensor>> tangents;
  // The coefficients of t, t^2 and so on of jet. An undefined coefficient is zero.
  std::vector<std::pair<LevelId, variable_list>> series;
  void check_elements(const char* op) const override;
};
/// Returns the data that levels attach to a tensor, or null.
inline Note* note_of(const Tensor& t) {
  if (!t.defined() || !t.impl().extra) return nullptr;
  return static_cast<Note*>(t.impl().extra->note.get());
}
Note& make_note(const Tensor& t);

class TapeFrame;

/// The transformations of a thread.
struct Levels {
  std::vector<Level> running;
  TapeFrame* frame = nullptr;         // the innermost frame
  LevelId limit = kAllLevels;         // tangents of this and later levels are hidden
  LevelId random_limit = kAllLevels;  // this and later levels have applied randomness
  bool off = false;                   // if true, ops run without transformations
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

/// Until the end of the scope, lets all levels see the ops that a rule calls.
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
/// Returns the level of the batch that a tensor stands for, or 0 if it stands for none. Throws
/// Error if this level has ended.
LevelId batch_level(const Tensor& t);
/// Returns a tensor with the sizes of one example. It stands for `batch` at `level`.
Tensor stand_in(const Tensor& batch, LevelId level);
/// Returns the batch that a tensor stands for at `level`. A tensor without a batch is expanded to
/// the size of the batch, with its tangents.
Tensor batch_of(const Tensor& t, const Level& level);
/// Returns the batch of `t` over all batch levels in `all`. It applies batch_of for each level,
/// starting with the last.
Tensor full_batch_of(Tensor t, const std::vector<Level>& all);
/// Returns the tensor that stands for `batch` at all batch levels in `all`. It inverts
/// full_batch_of.
Tensor stand_in_for_full(Tensor batch, const std::vector<Level>& all);
/// Returns the elements of a, followed by those of b.
std::vector<int64_t> joined(IntArrayRef a, IntArrayRef b);
/// Sets sizes and strides of t, which stands for a batch, to the sizes and strides of an example.
/// Call it after an op has changed the sizes of the batch.
void refresh(const Tensor& t);

// ---------------------------------------------------------------- tangents
/// If t is a view without tangents, gives t views of its base's tangents. (A write in place gave
/// the base these tangents after the view was made. So they have the strides of the base.)
void take_tangents_of_base(const Tensor& t);
/// Returns the tangent of t at a level. It is undefined if the tangent is zero. If t stands for a
/// batch, the tangent stands for a batch, too.
Tensor tangent_of(const Tensor& t, LevelId level);
/// Sets a tensor's tangent at a level and replaces the previous tangent.
void set_tangent(const Tensor& t, LevelId level, Tensor tangent);
void drop_tangent(const Tensor& t, LevelId level);
/// Returns the latest running level below `limit` that gave the tensor a tangent, or 0 if there is
/// none.
LevelId tangent_level(const Tensor& t, LevelId limit);
/// Returns a new tensor over the memory of `t`, without history, with its tangents below `limit`.
Tensor without_history(const Tensor& t, LevelId limit);
/// Throws Error unless `tangent` is a valid tangent of x, input number i.
void check_tangent(const char* name, const Tensor& x, const Tensor& tangent, size_t i);
/// Returns `t` with a tangent at a level, as a new tensor over its memory.
Tensor make_dual(const Tensor& t, const Tensor& tangent, LevelId level);
/// Returns the latest batch level of a tangent of t that stands for a batch, or 0. Only tangents of
/// levels before `limit` count. Tangents of tangents are included.
LevelId batch_level_of_tangents(const Tensor& t, LevelId limit);
/// If a tangent of t stands for a batch, returns t as a tensor that stands for a batch. Otherwise
/// returns t.
Tensor with_full_tangents(const Tensor& t);
/// Applies with_full_tangents to the tensor, or to the batch that the tensor stands for.
Tensor with_full_tangents_in_batch(const Tensor& t);

// ---------------------------------------------------------------- series
/// Returns the latest running level below `limit` that made the tensor a polynomial, or 0 if there
/// is none.
LevelId series_level(const Tensor& t, LevelId limit);

}  // namespace torch::taper::func::detail
