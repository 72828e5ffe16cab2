// How a tensor of a captured step of the CPU was made, so that the step can make it once more. Not
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

/// Launches that make a tensor, of kernels that may be repeated (framework/kernel/kernel_info.h).
struct MadeBy {
  /// One of them.
  struct Part {
    const char* name;
    std::shared_ptr<const Launch> launch;
    std::vector<int64_t> results;                      ///< bytes of each
    std::vector<std::pair<const void*, size_t>> from;  ///< operands that earlier parts make
    int64_t numel;                                     ///< of the first result
  };

  const Launch* launch;       ///< the last one, which tells tensors of a capture apart
  std::vector<Part> parts;    ///< in their order; none where an operand is gone
  std::vector<Bytes> inputs;  ///< what they read beside that
  /// Elements that all of them compute.
  int64_t computed() const;
};

/// Whether what lies at an address is there until the tensor is made again.
using IsKept = std::function<bool(const void*)>;

/// How `t`, as it is now, was made in the calling thread's capture of the CPU: of what is kept, by
/// few launches. Nothing where its kernel may not be repeated.
std::optional<MadeBy> how_made(const Tensor& t, const IsKept& is_kept);
/// Records those launches once more, with the last result in `to`, which has as many elements.
void make_again(const MadeBy& made, const Tensor& to);
/// Whether a launch of the calling thread's capture of the CPU has written to any of these, from
/// step `first` on.
bool is_written(const std::vector<Bytes>& inputs, size_t first);

}  // namespace torch::taper::detail
