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

/// The ranks of a communicator: all, or those of the messages from one rank to another.
struct Link {
  int from = -1, to = -1;
  bool is_of_all() const { return from < 0; }
  auto operator<=>(const Link&) const = default;
};

/// Makes communicators of this rank when they are first used. Ranks make the communicators of a
/// link in one order. While a rank waits for one, it also makes those that other ranks wait for. So
/// ranks that send in a ring do not wait for each other. For use by one thread at a time.
class Communicators {
 public:
  /// `begun` is called with each communicator, which may not be ready yet.
  Communicators(intrusive_ptr<Store> store, int rank, int size,
                std::function<void(ncclComm_t)> begun)
      : store_(std::move(store)), rank_(rank), size_(size), begun_(std::move(begun)) {}

  /// Returns a new communicator of the link, for the device, which is current. Throws DistError if
  /// another rank has not come before the deadline.
  ncclComm_t make(const Link& link, DeviceIndex device, Clock::time_point deadline);

 private:
  /// A communicator that is being made.
  struct Coming {
    Link link;
    DeviceIndex device;
    std::string key;  // of its id in the store
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
  int64_t heard_ = 0;  // calls of other ranks
};

}  // namespace torch::taper::distributed::nccl
