#include <taper/framework/autograd/streams.h>

#include <algorithm>

#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/autograd/extra.h>

namespace torch::taper::autograd {

using taper::detail::current_stream_of;
using taper::detail::StreamImpl;

namespace {

// A node made before a capture runs on the capturing stream, because its own default stream may not
// join the capture.
bool stays_on_current(const StreamImpl& own) {
  return own.id == 0 && current_stream_of(own.device)->capture;
}

// Returns the stream that is current on `device` while `node` runs. Without a node it is the
// caller's.
StreamImpl* stream_on(DeviceIndex device, const Node* node) {
  const bool own =
      node && node->stream_ && node->stream_->device == device && !stays_on_current(*node->stream_);
  return own ? node->stream_ : current_stream_of(device);
}

void keep_for_caller(const Tensor& result) {
  if (result.defined() && result.is_cuda())
    result.record_stream(cuda::current_stream(result.device().index()));
}

}  // namespace

void OnForwardStream::enter() {
  if (stays_on_current(*stream_)) stream_ = current_stream_of(stream_->device);
  device_ = cuda::current_device();
  before_ = taper::detail::exchange_current_stream(stream_->device, stream_);
  cuda::set_device(stream_->device);
}

void OnForwardStream::leave() {
  taper::detail::exchange_current_stream(stream_->device, before_);
  cuda::set_device(device_);
}

void PassStreams::hand_over_on_device(const Tensor& grad, const Node* producer,
                                      const Node& consumer) {
  const DeviceIndex device = grad.device().index();
  StreamImpl* from = stream_on(device, producer);
  StreamImpl* to = stream_on(device, &consumer);
  if (from == to) return;
  cuda::Stream(to).wait_stream(cuda::Stream(from));
  grad.record_stream(cuda::Stream(to));
}

void PassStreams::add_stream(const Node& node) {
  if (stream_on(node.stream_->device, &node) == current_stream_of(node.stream_->device)) return;
  if (std::find(used_.begin(), used_.end(), node.stream_) == used_.end())
    used_.push_back(node.stream_);
  if (node.is_accumulate())
    keep_for_caller(static_cast<const AccumulateGrad&>(node).variable.grad());
  else if (node.extra_)
    for (const auto& r : node.extra_->retained) keep_for_caller(r.second->extra->grad);
}

void PassStreams::join(TensorList results) {
  for (StreamImpl* s : used_)
    cuda::Stream(current_stream_of(s->device)).wait_stream(cuda::Stream(s));
  if (!used_.empty())
    for (const Tensor& t : results) keep_for_caller(t);
}

}  // namespace torch::taper::autograd
