#include <taper/framework/thread_state.h>

namespace taper {

ThreadState::ThreadState()
    : modes_(detail::thread_modes),
      autocast_(detail::autocast_state),
      default_device_(get_default_device()) {
  if (!cuda::is_available()) return;
  device_ = cuda::current_device();
  for (DeviceIndex i = 0; i < cuda::device_count(); ++i)
    streams_.push_back(detail::current_stream_of(i));
}

void ThreadState::apply() const {
  detail::thread_modes = modes_;
  autocast_.apply();
  detail::thread_default_device = default_device_;
  if (device_ < 0) return;
  for (size_t i = 0; i < streams_.size(); ++i)
    detail::exchange_current_stream(static_cast<DeviceIndex>(i), streams_[i]);
  cuda::set_device(device_);
}

}  // namespace taper
