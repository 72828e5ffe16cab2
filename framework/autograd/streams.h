// Which CUDA streams a backward pass uses: each node runs on the stream of its forward.
#pragma once

#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper::autograd {

/// Notes for a node whose op made `y` on which stream it did so. Ops of the CPU have none.
inline void remember_stream(Node& node, const TensorImpl& y) {
  if (__builtin_expect(y.device.is_cuda() && !node.stream_, 0))
    node.stream_ = taper::detail::current_stream_of(y.device.index());
}

/// Makes the stream of a node's forward, and its device, the current ones for a scope.
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

/// Keeps the streams of one pass in order. Its functions are called between nodes, where the
/// caller's streams are the current ones.
class PassStreams {
 public:
  /// Before `consumer` gets a gradient that `producer` has made, or the caller (null): the
  /// consumer's stream waits, and the gradient's memory is kept for it.
  static void hand_over(const Tensor& grad, const Node* producer, const Node& consumer) {
    if (__builtin_expect(grad.impl_ptr()->device.is_cuda(), 0))
      hand_over_on_device(grad, producer, consumer);
  }
  /// After a node has run.
  void add(const Node& node) {
    if (__builtin_expect(node.stream_ != nullptr, 0)) add_stream(node);
  }
  /// At the end: the caller's streams wait for all that has run elsewhere, and the memory of
  /// `results` is kept for them.
  void join(TensorList results);

 private:
  static void hand_over_on_device(const Tensor& grad, const Node* producer, const Node& consumer);
  void add_stream(const Node& node);
  std::vector<taper::detail::StreamImpl*> used_;
};

}  // namespace torch::taper::autograd
