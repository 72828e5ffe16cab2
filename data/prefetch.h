// prefetch_to_device: the next batches are copied to the device while this one is computed with.
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

/// The batches of `Loader` on a device. Each is copied on a stream of its own, before it is asked
/// for; the caller's current stream waits for that copy, not the host, and nothing waits for
/// the caller's computation. The loader's batches should be pinned (DataLoaderOptions::pin_memory):
/// the host waits for copies from other memory.
///
/// On the CPU batches come as they are, when they are asked for.
template <class Loader>
class DevicePrefetcher {
 public:
  /// What the loader's iterator gives.
  using BatchType = std::decay_t<decltype(*std::declval<Loader&>().begin())>;

  /// `depth`: how many batches lie on the device ahead of the one in use. The loader must outlive
  /// this. Throws Error when there is no such device, ValueError for a depth of 0.
  DevicePrefetcher(Loader& loader, Device device, size_t depth = 1)
      : loader_(loader), device_(taper::detail::existing_device(device)), depth_(depth) {
    TAPER_CHECK_VALUE(depth > 0, "prefetch_to_device: expected a depth of at least 1, got 0");
    if (device_.is_cuda()) stream_ = cuda::Stream(device_);
  }

  /// Starts an epoch of the loader. What the loader throws comes out where its batch would have
  /// come, and the batches after it can still be had.
  Iterator<BatchType> begin() {
    return Iterator<BatchType>(
        std::make_unique<Epoch>(loader_, device_, device_.is_cuda() ? depth_ : 0, stream_));
  }
  /// Behind the last batch of an epoch.
  Iterator<BatchType> end() { return {}; }

  /// Where batches are copied.
  Device device() const { return device_; }
  /// The stream of the copies; none on the CPU.
  const optional<cuda::Stream>& stream() const { return stream_; }

 private:
  /// A batch on its way, or what was thrown in its place.
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

    // The caller's work from here on sees the copy, and the memory outlives that work.
    void hand_over(Slot& slot) {
      const cuda::Stream user = cuda::current_stream(device.index());
      slot.copied.wait(user);
      for_each_tensor(detail::RecordStream{user}, *slot.batch);
    }

    // A DataLoader's batch is the iterator's own; other ranges keep theirs.
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

/// The batches of `loader`, a DataLoader or any range of batches, on `device`, `depth` of them
/// ahead of the one in use.
template <class Loader>
DevicePrefetcher<Loader> prefetch_to_device(Loader& loader, Device device, size_t depth = 1) {
  return DevicePrefetcher<Loader>(loader, device, depth);
}

}  // namespace torch::taper::data

#pragma GCC visibility pop
