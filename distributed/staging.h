// Tensors as a backend of the host takes them. Not installed.
#pragma once

#include <vector>

#include <taper/distributed/operation.h>
#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper::distributed::detail {

/// Gives tensors of the CPU as they are, those of CUDA devices through pinned memory. Made by the
/// caller of an operation, on whose current streams the copies run; the operation's own thread
/// waits for the inputs; the one who waits for the operation brings the outputs back.
class Staging {
 public:
  /// Memory with the tensor's elements.
  Tensor input(const Tensor& t) { return add(t, true, false); }
  /// Memory for its elements.
  Tensor output(const Tensor& t) { return add(t, false, true); }
  Tensor in_and_out(const Tensor& t) { return add(t, true, true); }
  struct Pair {
    Tensor in, out;
  };
  /// Of an operation's tensors; those that are undefined stay so.
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
