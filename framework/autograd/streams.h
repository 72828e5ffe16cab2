// CUDA streams of a backward pass: each node runs on the stream of its forward.
#pragma once

#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper::autograd {

/// Stores in a node the stream on which its op made `y`. Ops of the CPU have none.
inline void remember_stream(Node& node, const TensorImpl& y) {
  if (__builtin_expect(y.device.is_cuda() && !node.stream_, 0))
    node.stream_ = taper::detail::current_stream_of(y.device.index());
}

/// Makes the stream of a node's forward, and its device, current until the end of the scope.
class OnForwardStream {
 public:
  explicit OnForwardStream(const Node& node) : stream_(node.stream_) {
    if (__builtin_expect(stream_ != nullptr, 0)) enter();
  }
  ~OnForwardStream() {
    if (__builtin_expect(stream_ != nullptr, 0)) leave();
  }
  OnForwardStream(const OnForwardStream&) = delete;
  OnForwardStream& operator=(const OnForwardStream&) = delete;

 private:
  void enter();
  void leave();
  taper::detail::StreamImpl* stream_;
  taper::detail::StreamImpl* before_ = nullptr;
  DeviceIndex device_ = 0;
};

/// Synchronizes the streams of one pass. Its functions are called between nodes, while the caller's
/// streams are current.
class PassStreams {
 public:
  /// Called before `consumer` gets a gradient that `producer`, or the caller (null), has made. The
  /// consumer's stream waits for the gradient. The gradient's memory is not reused before the
  /// consumer's stream has used it.
  static void hand_over(const Tensor& grad, const Node* producer, const Node& consumer) {
    if (__builtin_expect(grad.impl_ptr()->device.is_cuda(), 0))
      hand_over_on_device(grad, producer, consumer);
  }
  /// Called after a node has run.
  void add(const Node& node) {
    if (__builtin_expect(node.stream_ != nullptr, 0)) add_stream(node);
  }
  /// Called at the end. The caller's streams wait for all other streams of the pass. The memory of
  /// `results` is kept for the caller's streams.
  void join(TensorList results);

 private:
  static void hand_over_on_device(const Tensor& grad, const Node* producer, const Node& consumer);
  void add_stream(const Node& node);
  std::vector<taper::detail::StreamImpl*> used_;
};

}  // namespace torch::taper::autograd
