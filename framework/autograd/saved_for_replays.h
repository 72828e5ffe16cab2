// What a captured step keeps for backward, and what of it backward makes again to keep less.
//
// Ops save through Value, a hook of saved tensors. What kernels that are `repeatable`
// (framework/cpu/prepared.h) have made of operands that are kept anyhow needs not be kept: their
// launches are recorded once more in backward, so the bits are the same, and nothing random is
// drawn again. Not installed.
#pragma once

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include <taper/framework/autograd/saved_hooks.h>
#include <taper/framework/runtime/made_by.h>

namespace taper::detail {

/// All that the ops of one capture save, in the order in which they do.
class SavedForReplays {
 public:
  /// What such a kernel has made, numbered in the order in which results are first saved: the same
  /// in each capture of a step.
  struct Result {
    size_t nbytes = 0;
    int64_t numel = 0;
    int64_t computed = 0;          ///< elements, to make it again; 0: that is not possible
    std::vector<size_t> operands;  ///< results among what it is made of
    /// The tensors that hold its operands, and their versions, until the end of the forward pass.
    std::vector<std::pair<Tensor, uint32_t>> holders;
    int left = 0;  ///< saved values that wait for it
    Tensor again;  ///< while several do
  };
  /// A saved value: kept, or one of the results.
  struct Value final : autograd::SavedVariableHooks {
    explicit Value(std::shared_ptr<SavedForReplays> of) : all(std::move(of)) {}
    ~Value() override { all->values_.erase(this); }
    void call_pack_hook(const Tensor& t) override { all->pack(*this, t); }
    Tensor call_unpack_hook() override { return all->unpack(*this); }

    const std::shared_ptr<SavedForReplays> all;
    Tensor kept;
    uint32_t version = 0;
    size_t result = SIZE_MAX;
    Dims sizes;
    ScalarType dtype{};
    MadeBy made;                   ///< where it is made again
    std::vector<Tensor> operands;  ///< what holds its inputs then
  };

  /// Makes the results `chosen` again; `given` are tensors that stay what they are until backward.
  SavedForReplays(std::set<size_t> chosen, std::vector<Tensor> given)
      : chosen_(std::move(chosen)), given_(std::move(given)) {}
  SavedForReplays(const SavedForReplays&) = delete;
  SavedForReplays& operator=(const SavedForReplays&) = delete;

  /// All is saved. What is made of tensors that were written to meanwhile is not possible.
  void end_forward();
  /// What can be made again, in the order in which it is worth it: of bytes for each element that
  /// is computed, large ones first; behind them, what is made of such results. Of a capture in
  /// which none is, behind end_forward.
  std::vector<size_t> worth() const;
  /// Bytes that are made again in place of being kept.
  size_t nbytes_again() const { return nbytes_again_; }

 private:
  void pack(Value& value, const Tensor& t);
  Tensor unpack(Value& value);
  Result& result_of(const Tensor& t, const MadeBy& made, size_t& number);
  const Tensor* given_at(const void* p) const;
  const Value* kept_at(const void* p) const;
  void note_operands(Value& value, Result& result) const;

  const std::set<size_t> chosen_;
  const std::vector<Tensor> given_;
  std::vector<Result> results_;
  std::unordered_map<const Launch*, size_t> numbers_;
  std::set<const Value*> values_;  ///< kept ones
  size_t nbytes_again_ = 0;
};

}  // namespace taper::detail
