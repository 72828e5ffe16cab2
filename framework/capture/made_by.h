// Finds how a tensor of a captured step of the CPU was made, so that the step can recompute it. Not
// installed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <taper/framework/runtime/access.h>

namespace torch::taper {
class Tensor;
}

namespace torch::taper::detail {

/// Memory between two addresses.
struct Bytes {
  const char *begin, *end;
  int64_t nbytes() const { return end - begin; }
  bool meets(const Bytes& o) const { return begin < o.end && o.begin < end; }
  bool holds(const Bytes& o) const { return begin <= o.begin && o.end <= end; }
};

/// The launches that made a tensor. Their kernels are repeatable (framework/kernel/kernel_info.h).
struct MadeBy {
  /// One of the launches.
  struct Part {
    const char* name;
    std::shared_ptr<const Launch> launch;
    std::vector<int64_t> results;  ///< size of each result in bytes
    /// The operands that earlier parts made: the address, and the index of the part.
    std::vector<std::pair<const void*, size_t>> from;
    int64_t numel;  ///< number of elements of the first result
  };

  const Launch* launch;       ///< the last launch, which identifies the tensor in a capture
  std::vector<Part> parts;    ///< in order. Empty if an operand no longer exists
  std::vector<Bytes> inputs;  ///< other memory that the launches read
  /// Returns the number of elements that all launches together compute.
  int64_t computed() const;
};

/// Returns whether the memory at an address stays valid until the tensor is recomputed.
using IsKept = std::function<bool(const void*)>;

/// Searches the calling thread's capture of the CPU for the launches that made the current value of
/// `t` from kept memory. The result's `parts` is empty if an operand no longer exists or there are
/// too many launches. Returns nullopt if the kernel that made `t` is not repeatable.
std::optional<MadeBy> how_made(const Tensor& t, const IsKept& is_kept);
/// Records the launches of `made` again. The last launch writes its first result to `to`. `to` must
/// have as many elements as this result.
void make_again(const MadeBy& made, const Tensor& to);
/// Returns whether a launch of the calling thread's capture of the CPU has written to any of
/// `inputs` since step `first`.
bool is_written(const std::vector<Bytes>& inputs, size_t first);

}  // namespace torch::taper::detail
