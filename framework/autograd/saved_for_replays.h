// What a captured step keeps for backward, and what of it backward makes again to keep less.
//
// Ops save through Value, a hook of saved tensors. What kernels that are `repeatable`
// (framework/kernel/kernel_info.h) have made of operands that are kept anyhow needs not be kept:
// their launches are recorded once more in backward, so the bits are the same, and nothing random
// is drawn again. Which results that must be is found by capturing the step several times. Not
// installed.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <taper/framework/autograd/saved_hooks.h>
#include <taper/framework/capture/made_by.h>

namespace torch::taper::detail {

class GraphPool;

/// Whether an address is in the memory of a tensor.
bool lies_in(const void* p, const Tensor& t);

/// All that the ops of one capture save, or of a forward and a backward pass that are captured one
/// behind the other, in the order in which they do.
class SavedForReplays {
 public:
  /// What such a kernel has made, numbered in the order in which results are first saved: the same
  /// in each capture of a step.
  struct Result {
    size_t nbytes = 0;
    int64_t numel = 0;
    int64_t computed = 0;          ///< elements, to make it again; 0: that is not possible
    std::vector<size_t> operands;  ///< results among what it is made of
    bool is_made_again = false;
    int left = 0;  ///< saved values that wait for it
    Tensor again;  ///< while several do
  };
  /// A saved value: kept, or one of the results.
  struct Value final : autograd::SavedVariableHooks {
    explicit Value(std::shared_ptr<SavedForReplays> of) : all(std::move(of)) {}
    ~Value() override { all->forget(*this); }
    void call_pack_hook(const Tensor& t) override { all->pack(*this, t); }
    Tensor call_unpack_hook() override { return all->unpack(*this); }

    const std::shared_ptr<SavedForReplays> all;
    Tensor kept;
    uint32_t version = 0;
    size_t result = SIZE_MAX;
    Dims sizes;
    ScalarType dtype{};
    /// Where it is made again.
    ///@{
    MadeBy made;
    std::vector<Tensor> operands;        ///< what holds its inputs then
    uint64_t capture = 0, recorded = 0;  ///< which one saved it, and how many steps it had then
    bool waits = false;                  ///< nobody has asked for it yet
    ///@}
  };
  /// A recorded step, to tell whether two captures are of the same.
  struct Recorded {
    std::string_view name;
    size_t shapes;  ///< a hash
    bool operator==(const Recorded& o) const { return name == o.name && shapes == o.shapes; }
  };
  using Pools = std::vector<std::shared_ptr<GraphPool>>;

  /// While there is one, the calling thread's ops save this way.
  class Scope {
   public:
    explicit Scope(std::shared_ptr<SavedForReplays> all);
    ~Scope() { SavedTensorDefaultHooks::pop_hooks(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

  /// Makes the results `chosen` again; what lies where `given` says so stays until backward.
  /// `earlier` are pools of earlier captures of the step, whose memory it must not use.
  SavedForReplays(std::set<size_t> chosen, IsKept given, Pools earlier)
      : chosen_(std::move(chosen)), given_(std::move(given)), earlier_(std::move(earlier)) {}
  SavedForReplays(const SavedForReplays&) = delete;
  SavedForReplays& operator=(const SavedForReplays&) = delete;

  /// The calling thread's capture is about to end. Throws Error where it uses what an earlier one
  /// has made.
  void end_capture();
  /// The last one has ended, or is about to: what is still saved may be asked for at any time.
  void end();

  /// What can be made again, in the order in which it is worth it: of bytes for each element that
  /// is computed, large ones first; behind them, what is made of such results. Of a capture in
  /// which none is.
  std::vector<size_t> worth() const;
  /// Results that had to be kept: an operand was written to before backward asked, or backward did
  /// not ask within the captures. Where there are any these are of no use.
  const std::set<size_t>& spoiled() const { return spoiled_; }
  /// Bytes that are made again in place of being kept.
  size_t nbytes_again() const;
  /// What was recorded, without what makes results again.
  const std::vector<Recorded>& recorded() const { return recorded_; }
  const std::shared_ptr<GraphPool>& pool() const { return pool_; }

 private:
  void pack(Value& value, const Tensor& t);
  Tensor unpack(Value& value);
  void forget(Value& value);
  bool is_spoiled(const Value& value) const;
  Result& result_of(const Tensor& t, const MadeBy& made, size_t& number);
  const Value* kept_at(const void* p) const;
  void make(const Value& value, const Tensor& to);
  void note_operands(Value& value, Result& result) const;
  void no_longer_waits(Value& value);

  const std::set<size_t> chosen_;
  const IsKept given_;
  const Pools earlier_;
  std::vector<Result> results_;
  std::unordered_map<const Launch*, size_t> numbers_;
  std::set<Value*> values_;
  std::set<size_t> spoiled_;
  std::set<size_t> repeated_;  ///< steps of the capture that make results again
  std::vector<Recorded> recorded_;
  std::shared_ptr<GraphPool> pool_;
  bool ended_ = false;
};

/// Captures a step as often as it takes to keep to `budget` bytes: as few results are made again
/// as that needs; all that can be where it still takes more, if it takes less than with none.
/// `capture` records the step anew, saves in the given one, calls its end_capture() and end(), and
/// returns the bytes that replays take. What the step changes of the program's own state that
/// StepState knows (step_state.h), and the CPU's generator, is put back before each capture but the
/// first, and when one throws. Returns the bytes that are made again. Throws Error where the step
/// is another one when it is called again.
size_t capture_within(
    size_t budget, const IsKept& given,
    const std::function<size_t(const std::shared_ptr<SavedForReplays>&)>& capture);

}  // namespace torch::taper::detail
