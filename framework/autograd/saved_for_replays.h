// Tensors that a captured step saves for backward, and results that backward recomputes to save
// less memory.
//
// Ops save through Value, a hook of saved tensors. A result of a `repeatable` kernel
// (framework/kernel/kernel_info.h) need not be kept if the kernel's operands are kept. Backward
// records the launches of the result once more, so that the bits are equal and no random number is
// drawn again. The step is captured several times to choose the results to recompute. Not
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

/// Returns whether an address is in the memory of a tensor.
bool lies_in(const void* p, const Tensor& t);

/// All tensors that the ops of one capture save, in order. A forward and a backward pass that are
/// captured one after the other count as one capture.
class SavedForReplays {
 public:
  /// A result of a repeatable kernel. Results are numbered in the order in which they are first
  /// saved, which is equal in all captures of a step.
  struct Result {
    size_t nbytes = 0;
    int64_t numel = 0;
    int64_t computed = 0;          ///< elements that recomputing computes, 0 if not repeatable
    std::vector<size_t> operands;  ///< results among its operands
    bool is_made_again = false;
    int left = 0;  ///< number of saved values that still need it
    Tensor again;  ///< the recomputed tensor, while further values need it
  };
  /// A saved value. It is kept, or is one of the results and recomputed.
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
    /// State of a value that is recomputed.
    ///@{
    MadeBy made;
    std::vector<Tensor> operands;        ///< owners of the inputs of `made`
    uint64_t capture = 0, recorded = 0;  ///< its capture, and the number of steps recorded at that
                                         ///< time
    bool waits = false;                  ///< true until backward asks for it
    ///@}
  };
  /// A recorded launch, to test whether two captures recorded the same step.
  struct Recorded {
    std::string_view name;
    size_t shapes;  ///< a hash
    bool operator==(const Recorded& o) const { return name == o.name && shapes == o.shapes; }
  };
  using Pools = std::vector<std::shared_ptr<GraphPool>>;

  /// Saves tensors of the calling thread's ops in `all` until the end of the scope.
  class Scope {
   public:
    explicit Scope(std::shared_ptr<SavedForReplays> all);
    ~Scope() { SavedTensorDefaultHooks::pop_hooks(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

  /// Recomputes the results whose numbers are in `chosen`. given(address) returns true for memory
  /// that stays valid until backward. The step must not use the memory of `earlier`, the pools of
  /// earlier captures.
  SavedForReplays(std::set<size_t> chosen, IsKept given, Pools earlier)
      : chosen_(std::move(chosen)), given_(std::move(given)), earlier_(std::move(earlier)) {}
  SavedForReplays(const SavedForReplays&) = delete;
  SavedForReplays& operator=(const SavedForReplays&) = delete;

  /// Must be called before the calling thread's capture ends. Throws Error if the step uses a
  /// tensor that an earlier capture has made.
  void end_capture();
  /// Must be called at the end of the last capture. Values that are still saved may be needed at
  /// any time after it.
  void end();

  /// Returns the results that can be recomputed. The first result frees the most bytes per computed
  /// element. Results that depend on other results of the list come last. Only for a capture that
  /// recomputes no results.
  std::vector<size_t> worth() const;
  /// Returns results that must be kept: an operand was overwritten before backward, or backward did
  /// not ask for the result within the captures. If there are such results, the captures cannot be
  /// used.
  const std::set<size_t>& spoiled() const { return spoiled_; }
  /// Returns the size in bytes of the results that are recomputed instead of kept.
  size_t nbytes_again() const;
  /// Returns the recorded steps, without those that recompute results.
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

/// Captures a step repeatedly until its replays take at most `budget` bytes, with as few recomputed
/// results as possible. If no capture meets the budget, it recomputes all results that it can,
/// unless this takes more memory than a capture without recomputing. `capture` records the step
/// anew with the given saver, calls its end_capture() and end(), and returns the bytes that replays
/// take. Before each capture except the first, and if a capture throws, the function restores the
/// CPU's generator and the program's state that StepState notes (step_state.h). Returns the size in
/// bytes of the recomputed results. Throws Error if the step differs between calls.
size_t capture_within(
    size_t budget, const IsKept& given,
    const std::function<size_t(const std::shared_ptr<SavedForReplays>&)>& capture);

}  // namespace torch::taper::detail
