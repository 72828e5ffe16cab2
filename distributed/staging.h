// Host memory for the tensors of a backend that works on the CPU. Not installed.
#pragma once

#include <vector>

#include <taper/distributed/operation.h>
#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper::distributed::detail {

/// Passes tensors on the CPU unchanged, and copies tensors on CUDA devices through pinned memory.
/// The caller of an operation makes the Staging. The caller's current streams run the copies to the
/// host. The operation's thread calls wait_for_inputs(). The thread that waits for the operation
/// calls bring_back(), which copies the outputs.
class Staging {
 public:
  /// Returns a tensor in host memory that gets the elements of `t`.
  Tensor input(const Tensor& t) { return add(t, true, false); }
  /// Returns a tensor in host memory, which bring_back() copies to `t`.
  Tensor output(const Tensor& t) { return add(t, false, true); }
  Tensor in_and_out(const Tensor& t) { return add(t, true, true); }
  struct Pair {
    Tensor in, out;
  };
  /// Stages an operation's tensors. Undefined tensors stay undefined.
  Pair of(const Operation& operation);
  void wait_for_inputs();
  void bring_back();

 private:
  struct Copy {
    Tensor given, host;
    bool comes_back;
    cuda::Event read;
  };
  Tensor add(const Tensor& t, bool reads, bool writes);
  std::vector<Copy> copies_;
};

}  // namespace torch::taper::distributed::detail
