// How a tensor of a captured step of the CPU was made, so that the step can recompute it. Not
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

/// Launches that make a tensor, of repeatable kernels (framework/kernel/kernel_info.h).
struct MadeBy {
  /// One of the launches.
  struct Part {
    const char* name;
    std::shared_ptr<const Launch> launch;
    std::vector<int64_t> results;                      ///< bytes of each result
    std::vector<std::pair<const void*, size_t>> from;  ///< operands that earlier parts make
    int64_t numel;                                     ///< elements of the first result
  };

  const Launch* launch;       ///< the last launch, which identifies the tensor in a capture
  std::vector<Part> parts;    ///< in order, empty if an operand is gone
  std::vector<Bytes> inputs;  ///< memory that the launches read besides
  /// Returns the number of elements that all launches compute.
  int64_t computed() const;
};

/// Returns whether the memory at an address stays valid until the tensor is recomputed.
using IsKept = std::function<bool(const void*)>;

/// Finds the launches that made the current value of `t` from kept memory, in the calling thread's
/// capture of the CPU. `parts` is empty if an operand is gone or the launches are too many. Returns
/// nothing if the kernel that made `t` is not repeatable.
std::optional<MadeBy> how_made(const Tensor& t, const IsKept& is_kept);
/// Records the launches of `made` again. The first result of the last launch goes to `to`, which
/// has an equal number of elements.
void make_again(const MadeBy& made, const Tensor& to);
/// Returns whether a launch of the calling thread's capture of the CPU has written to any of
/// `inputs` since step `first`.
bool is_written(const std::vector<Bytes>& inputs, size_t first);

}  // namespace torch::taper::detail
