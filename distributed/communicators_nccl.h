// Makes the communicators of a ProcessGroupNCCL. Not installed.
#pragma once

#include <compare>
#include <functional>
#include <list>
#include <map>
#include <string>

#include <taper/distributed/operations_nccl.h>
#include <taper/distributed/store.h>

namespace torch::taper::distributed::nccl {

/// The ranks of a communicator: all ranks, or only `from` and `to`, for messages in this direction.
struct Link {
  int from = -1, to = -1;
  bool is_of_all() const { return from < 0; }
  auto operator<=>(const Link&) const = default;
};

/// Makes this rank's communicators when they are first used. All ranks make the communicators of
/// one link in the same order. While a rank waits for a communicator, it also makes the
/// communicators that other ranks wait for. Therefore, ranks that send in a ring do not block each
/// other. Only one thread at a time may use this object.
class Communicators {
 public:
  /// make() calls `begun` with each communicator when its creation starts. The communicator may not
  /// be ready then.
  Communicators(intrusive_ptr<Store> store, int rank, int size,
                std::function<void(ncclComm_t)> begun)
      : store_(std::move(store)), rank_(rank), size_(size), begun_(std::move(begun)) {}

  /// Returns a new communicator of `link` for `device`, which must be the current device. Throws
  /// DistError if another rank of the link does not make the communicator before the deadline.
  ncclComm_t make(const Link& link, DeviceIndex device, Clock::time_point deadline);

 private:
  /// A communicator that is being made.
  struct Coming {
    Link link;
    DeviceIndex device;
    std::string key;  // key of the communicator's id in the store
    ncclComm_t comm = nullptr;
    bool is_ready = false;
  };
  using Iterator = std::list<Coming>::iterator;

  int place_in(const Link& link) const { return link.is_of_all() ? rank_ : rank_ == link.to; }
  int other_of(const Link& link) const { return rank_ == link.to ? link.from : link.to; }
  Iterator find(const Link& link);
  Iterator begin(const Link& link, DeviceIndex device);
  void call(const Link& link);
  void hear(DeviceIndex device);
  void join(Coming& coming);
  void advance(bool asks_store);
  [[noreturn]] void throw_late(const Link& link) const;

  const intrusive_ptr<Store> store_;
  const int rank_, size_;
  const std::function<void(ncclComm_t)> begun_;
  std::map<Link, int> made_;
  std::list<Coming> coming_;
  int64_t heard_ = 0;  // number of other ranks' calls that were read
};

}  // namespace torch::taper::distributed::nccl
