// What a captured step keeps for backward, and what of it backward makes again to keep less.
//
// Ops save through Value, a hook of saved tensors. What a kernel that is `repeatable`
// (framework/cpu/prepared.h) has made of operands that are kept anyhow needs not be kept: its
// launch is recorded once more in backward, so the bits are the same, and nothing random is drawn
// again. Not installed.
#pragma once

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include <taper/framework/autograd/saved_hooks.h>
#include <taper/framework/runtime/capture.h>

namespace taper::detail {

/// All that the ops of one capture save, in the order in which they do.
class SavedForReplays {
 public:
  /// A result of such a kernel, numbered in the order in which results are first saved: the
  /// same in each capture of a step.
  struct Result {
    MadeBy made;
    size_t nbytes = 0;
    int64_t numel = 0;
    bool possible = false;         ///< its operands are kept, all of them
    std::vector<size_t> operands;  ///< results among them
    int left = 0;                  ///< saved values that wait for it
    Tensor again;                  ///< while several do
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
    std::vector<Tensor> operands;  ///< what a result is made of, while it may be
  };

  /// Makes the results `chosen` again; `given` are tensors that stay what they are until backward.
  SavedForReplays(std::set<size_t> chosen, std::vector<Tensor> given)
      : chosen_(std::move(chosen)), given_(std::move(given)) {}
  SavedForReplays(const SavedForReplays&) = delete;
  SavedForReplays& operator=(const SavedForReplays&) = delete;

  /// Those that can be made again without one another, in the order of bytes for each element that
  /// is computed, large ones first. Of a capture in which none is.
  std::vector<size_t> worth() const;
  /// Bytes that are made again in place of being kept.
  size_t nbytes_again() const { return nbytes_again_; }

 private:
  void pack(Value& value, const Tensor& t);
  Tensor unpack(Value& value);
  Result* result_of(const Tensor& t, size_t& number);
  bool find_operands(Value& value, Result& result) const;

  const std::set<size_t> chosen_;
  const std::vector<Tensor> given_;
  std::vector<Result> results_;
  std::unordered_map<const Launch*, size_t> numbers_;
  std::set<const Value*> values_;  ///< kept ones
  size_t nbytes_again_ = 0;
};

}  // namespace taper::detail
