// c10::cuda's guards under LibTorch's names.
#pragma once

#include <memory>

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <taper/extension/device_guard.h>

namespace c10::cuda {

/// Makes `stream` current until the guard is destroyed. reset_stream() makes another stream
/// current.
class CUDAStreamGuard {
 public:
  explicit CUDAStreamGuard(const taper::cuda::Stream& stream) : original_(getCurrentCUDAStream()) {
    reset_stream(stream);
  }
  CUDAStreamGuard(const CUDAStreamGuard&) = delete;
  CUDAStreamGuard& operator=(const CUDAStreamGuard&) = delete;
  void reset_stream(const taper::cuda::Stream& stream) {
    guard_.reset();
    guard_ = std::make_unique<taper::cuda::StreamGuard>(stream);
  }
  CUDAStream original_stream() const { return original_; }
  CUDAStream current_stream() const { return taper::cuda::current_stream(); }
  Device original_device() const { return original_.device(); }
  Device current_device() const { return current_stream().device(); }

 private:
  CUDAStream original_;
  std::unique_ptr<taper::cuda::StreamGuard> guard_;
};

/// A CUDAStreamGuard that may be empty.
class OptionalCUDAStreamGuard {
 public:
  OptionalCUDAStreamGuard() = default;
  explicit OptionalCUDAStreamGuard(const taper::cuda::Stream& stream) { reset_stream(stream); }
  explicit OptionalCUDAStreamGuard(optional<CUDAStream> stream) {
    if (stream) reset_stream(*stream);
  }
  void reset_stream(const taper::cuda::Stream& stream) {
    guard_.reset();
    guard_ = std::make_unique<CUDAStreamGuard>(stream);
  }
  void reset() { guard_.reset(); }
  optional<CUDAStream> original_stream() const {
    return guard_ ? optional<CUDAStream>(guard_->original_stream()) : nullopt;
  }
  optional<CUDAStream> current_stream() const {
    return guard_ ? optional<CUDAStream>(guard_->current_stream()) : nullopt;
  }

 private:
  std::unique_ptr<CUDAStreamGuard> guard_;
};

}  // namespace c10::cuda
