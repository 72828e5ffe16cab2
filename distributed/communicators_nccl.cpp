#include <taper/distributed/communicators_nccl.h>

#include <algorithm>
#include <sstream>
#include <thread>

#include <taper/framework/core/check.h>

namespace torch::taper::distributed::nccl {

using namespace std::chrono_literals;
using taper::detail::concat;

namespace {

/// Returns the times between two looks into the store, which serves all ranks: 1 ms at first.
std::chrono::milliseconds longer(std::chrono::milliseconds pause) {
  return std::min<std::chrono::milliseconds>(2 * pause, 100ms);
}

}  // namespace

Communicators::Iterator Communicators::find(const Link& link) {
  return std::find_if(coming_.begin(), coming_.end(),
                      [&](const Coming& c) { return c.link == link; });
}

// The link's first rank gives the id.
Communicators::Iterator Communicators::begin(const Link& link, DeviceIndex device) {
  const std::string ranks = link.is_of_all() ? "all" : concat(link.from, '-', link.to);
  const std::string key = concat("nccl/", ranks, '/', made_[link]++);
  if (place_in(link) == 0) store_->set(key, new_id());
  return coming_.insert(coming_.end(), Coming{link, device, key});
}

/// Tells the link's other rank that this one waits for it.
void Communicators::call(const Link& link) {
  const std::string mailbox = concat("nccl/calls/", other_of(link), '/');
  const int64_t number = store_->add(mailbox, 1);
  store_->set(concat(mailbox, number), concat(link.from, ' ', link.to, ' ', made_[link]));
}

/// Begins the communicators for which other ranks have called this one.
void Communicators::hear(DeviceIndex device) {
  const std::string mailbox = concat("nccl/calls/", rank_, '/');
  for (const int64_t calls = store_->add(mailbox, 0); heard_ < calls;) {
    std::istringstream words(store_->get_to_str(concat(mailbox, ++heard_)));
    Link link;
    int number = 0;
    words >> link.from >> link.to >> number;
    if (number > made_[link]) begin(link, device);
  }
}

void Communicators::join(Coming& coming) {
  const int size = coming.link.is_of_all() ? size_ : 2;
  coming.comm = begin_communicator(store_->get(coming.key), place_in(coming.link), size);
  begun_(coming.comm);
}

void Communicators::advance(bool asks_store) {
  for (Coming& c : coming_) {
    if (!c.comm && asks_store && store_->check({c.key})) join(c);
    if (c.comm && !c.is_ready) c.is_ready = is_ready(c.comm);
  }
}

void Communicators::throw_late(const Link& link) const {
  const std::string who = link.is_of_all() ? "all ranks" : concat("rank ", other_of(link));
  throw DistError(concat("expected ", who,
                         " to make a communicator with this rank, and the time limit has passed"));
}

ncclComm_t Communicators::make(const Link& link, DeviceIndex device, Clock::time_point deadline) {
  Iterator mine = find(link);
  if (mine == coming_.end()) {
    mine = begin(link, device);
    if (!link.is_of_all()) call(link);
  }
  TAPER_CHECK_VALUE(mine->device == device, "expected a tensor of ", Device(kCUDA, mine->device),
                    " for the messages from rank ", link.from, " to rank ", link.to,
                    ", got one of ", Device(kCUDA, device), "; use one device for messages");
  auto pause = 1ms;
  for (Clock::time_point look = Clock::now();;) {
    const bool asks_store = Clock::now() >= look;
    if (asks_store) {
      hear(device);
      look = Clock::now() + pause;
      pause = longer(pause);
    }
    advance(asks_store);
    if (mine->is_ready) break;
    if (Clock::now() >= deadline) throw_late(link);
    std::this_thread::sleep_for(1ms);
  }
  const ncclComm_t comm = mine->comm;
  coming_.erase(mine);
  return comm;
}

}  // namespace torch::taper::distributed::nccl
