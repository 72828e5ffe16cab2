// prefetch_to_device: copies the next batches to a device during the computation on the current
// batch.
//
//   auto loader = make_data_loader(dataset, DataLoaderOptions(64).workers(2).pin_memory(true));
//   for (auto& batch : prefetch_to_device(*loader, device)) step(batch.data, batch.target);
#pragma once

#include <deque>
#include <exception>
#include <memory>

#include <taper/data/iterator.h>
#include <taper/data/nested.h>
#include <taper/framework/runtime/devices.h>

#pragma GCC visibility push(default)

namespace torch::taper::data {

/// Prefetches the batches of `Loader` to a device. Each batch is copied on a separate stream before
/// it is needed. The current stream of the caller waits for the copy. The host does not wait, and
/// the copies do not wait for the computation. The batches should be pinned
/// (DataLoaderOptions::pin_memory), because the host waits for copies from other memory.
///
/// If the device is the CPU, batches are made on demand and returned unchanged.
template <class Loader>
class DevicePrefetcher {
 public:
  /// The batches of the iterator of the loader.
  using BatchType = std::decay_t<decltype(*std::declval<Loader&>().begin())>;

  /// Keeps `depth` batches after the current batch on the device. The loader must outlive this
  /// object. Throws Error if the device does not exist, and ValueError for a depth of 0.
  DevicePrefetcher(Loader& loader, Device device, size_t depth = 1)
      : loader_(loader), device_(taper::detail::existing_device(device)), depth_(depth) {
    TAPER_CHECK_VALUE(depth > 0, "prefetch_to_device: expected a depth of at least 1, got 0");
    if (device_.is_cuda()) stream_ = cuda::Stream(device_);
  }

  /// Starts an epoch of the loader. If the loader throws, the iterator throws this exception
  /// instead of returning the batch. Later batches are still available.
  Iterator<BatchType> begin() {
    return Iterator<BatchType>(
        std::make_unique<Epoch>(loader_, device_, device_.is_cuda() ? depth_ : 0, stream_));
  }
  /// Returns the end of an epoch.
  Iterator<BatchType> end() { return {}; }

  /// Returns the device of the batches.
  Device device() const { return device_; }
  /// Returns the stream of the copies, or nullopt if the device is the CPU.
  const optional<cuda::Stream>& stream() const { return stream_; }

 private:
  /// Holds a batch that is being copied, or the exception that the loader threw instead.
  struct Slot {
    optional<BatchType> batch;
    std::exception_ptr error;
    cuda::Event copied;
  };

  struct Epoch final : Iterator<BatchType>::Producer {
    Epoch(Loader& loader, Device device, size_t depth, const optional<cuda::Stream>& stream)
        : device(device), depth(depth), stream(stream), it(loader.begin()), end(loader.end()) {}

    optional<BatchType> next() override {
      while (!ended && slots.size() <= depth) fetch();
      if (slots.empty()) return nullopt;
      Slot slot = std::move(slots.front());
      slots.pop_front();
      if (slot.error) std::rethrow_exception(slot.error);
      if (stream) hand_over(slot);
      return std::move(slot.batch);
    }

   private:
    void fetch() {
      Slot slot;
      try {
        if (advance) ++it;
        advance = true;
        if (it == end) {
          ended = true;
          return;
        }
        slot.batch.emplace(take(it));
        copy(slot);
      } catch (...) {
        slot.batch.reset();
        slot.error = std::current_exception();
      }
      slots.push_back(std::move(slot));
    }

    void copy(Slot& slot) {
      if (!stream) return for_each_tensor(detail::Move{device, false}, *slot.batch);
      const cuda::StreamGuard guard(*stream);
      for_each_tensor(detail::Move{device, true}, *slot.batch);
      slot.copied.record(*stream);
    }

    // Makes the current stream wait for the copy, and keeps the memory alive until the stream has
    // used it.
    void hand_over(Slot& slot) {
      const cuda::Stream user = cuda::current_stream(device.index());
      slot.copied.wait(user);
      for_each_tensor(detail::RecordStream{user}, *slot.batch);
    }

    // Moves the batch out of the iterator of a DataLoader. The batches of other ranges are copied.
    static BatchType take(Iterator<BatchType>& it) { return std::move(*it); }
    template <class It>
    static BatchType take(It& it) {
      return *it;
    }

    const Device device;
    const size_t depth;
    const optional<cuda::Stream> stream;
    decltype(std::declval<Loader&>().begin()) it;
    decltype(std::declval<Loader&>().end()) end;
    bool advance = false, ended = false;
    std::deque<Slot> slots;
  };

  Loader& loader_;
  const Device device_;
  const size_t depth_;
  optional<cuda::Stream> stream_;
};

/// Prefetches the batches of `loader`, a DataLoader or any range of batches, to `device`. `depth`
/// batches after the current batch are kept on the device.
template <class Loader>
DevicePrefetcher<Loader> prefetch_to_device(Loader& loader, Device device, size_t depth = 1) {
  return DevicePrefetcher<Loader>(loader, device, depth);
}

}  // namespace torch::taper::data

#pragma GCC visibility pop
