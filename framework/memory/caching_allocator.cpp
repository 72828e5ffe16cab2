#include <taper/framework/memory/caching_allocator.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

#include <taper/framework/capture/capture.h>
#include <taper/framework/debug/race_watch.h>
#include <taper/framework/runtime/environment.h>

namespace torch::taper::detail {
namespace {

/// Returns whether the thread captures work of a device. It can then neither wait for streams nor
/// query events.
bool is_thread_capturing() {
  const Capture* const c = thread_capture();
  return c && c->origin();
}

}  // namespace

CachingAllocator::CachingAllocator(DeviceIndex device)
    : device_(device), caches_(!is_on("PYTORCH_NO_CUDA_MEMORY_CACHING")) {}

bool CachingAllocator::Smaller::operator()(const Block* a, const Block* b) const {
  const std::less<const void*> before;
  if (a->stream != b->stream) return before(a->stream, b->stream);
  if (a->nbytes != b->nbytes) return a->nbytes < b->nbytes;
  return before(a->data, b->data);
}

// ---------------------------------------------------------------------- allocating
CachingAllocator::User CachingAllocator::current_user() {
  StreamImpl* stream = current_stream_of(device_);
  const Capture* capture = stream->capture;
  if (!capture) return {stream, &common_, false};
  std::unique_ptr<Arena>& arena = of_graphs_[capture->pool().get()];
  if (!arena) arena = std::make_unique<Arena>();
  capture->pool()->note_device(device_);
  arena->log = &capture->pool()->device_log();
  return {stream, arena.get(), true};
}

void* CachingAllocator::allocate(size_t nbytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const User user = current_user();
  const bool apart = is_apart(user);
  const size_t rounded = apart ? std::max<size_t>(nbytes, 1)
                               : std::max(kRound, (nbytes + kRound - 1) / kRound * kRound);
  if (rounded < nbytes) out_of_memory(nbytes);
  collect_reached();
  if (apart) give_back_freed();
  Block* const b = find_or_make(rounded, user);
  if (!b) out_of_memory(nbytes);
  split(b, rounded);
  live_[b->data] = b;
  if (user.arena->log) user.arena->log->note_birth(b->data, b->nbytes);
  ++stats_.num_allocations;
  stats_.allocated += b->nbytes;
  stats_.max_allocated = std::max(stats_.max_allocated, stats_.allocated);
  if (watches_races()) races::detector().allocate(b->data, b->nbytes, user.stream);
  return b->data;
}

CachingAllocator::Block* CachingAllocator::find_or_make(size_t nbytes, const User& user) {
  const size_t segment = is_apart(user) ? nbytes : segment_for(nbytes);
  Block* b = is_apart(user) ? nullptr : find(nbytes, user);
  if (!b) b = new_segment(nbytes, segment, user);
  if (!b) {
    ++stats_.num_retries;
    if (is_thread_capturing())
      give_back_in_capture();
    else
      give_back_segments();
    b = new_segment(nbytes, segment, user);
  }
  if (!b && nbytes < segment) b = new_segment(nbytes, nbytes, user);  // the last memory of a device
  return b;
}

size_t CachingAllocator::segment_for(size_t nbytes) {
  if (nbytes <= kSmall) return kSmallSegment;
  if (nbytes < kMiddle) return kMiddleSegment;
  return std::max(nbytes, (nbytes + kRoundLarge - 1) / kRoundLarge * kRoundLarge);
}

// Finds the smallest free block of the stream that is large enough.
CachingAllocator::Block* CachingAllocator::find(size_t nbytes, const User& user) {
  Pool& pool = nbytes <= kSmall ? user.arena->small : user.arena->large;
  Block key;
  key.stream = user.stream;
  key.nbytes = nbytes;
  const auto it = pool.lower_bound(&key);
  if (it == pool.end() || (*it)->stream != user.stream) return nullptr;
  Block* b = *it;
  pool.erase(it);
  b->free = false;
  return b;
}

CachingAllocator::Block* CachingAllocator::new_segment(size_t nbytes, size_t size,
                                                       const User& user) {
  if (limit_ && stats_.reserved + size > limit_) return nullptr;
  void* p = cuda_runtime()->allocate(device_, size);
  if (!p) return nullptr;
  ++stats_.num_segments;
  stats_.reserved += size;
  stats_.max_reserved = std::max(stats_.max_reserved, stats_.reserved);
  Block* b = new Block;
  b->data = static_cast<char*>(p);
  b->nbytes = size;
  b->stream = user.stream;
  b->arena = user.arena;
  ++user.arena->segments;
  b->small = nbytes <= kSmall;
  return b;
}

// Leaves `nbytes` in `b`, and returns the rest to the pool if it is large enough.
void CachingAllocator::split(Block* b, size_t nbytes) {
  const size_t left = b->nbytes - nbytes;
  if (left < (b->small ? kRound : kSmall + 1)) return;
  Block* rest = new Block;
  rest->data = b->data + nbytes;
  rest->nbytes = left;
  rest->stream = b->stream;
  rest->arena = b->arena;
  rest->small = b->small;
  rest->free = true;
  rest->before = b;
  rest->behind = b->behind;
  if (rest->behind) rest->behind->before = rest;
  b->behind = rest;
  b->nbytes = nbytes;
  pool(*b).insert(rest);
}

void CachingAllocator::out_of_memory(size_t nbytes) {
  ++stats_.num_out_of_memory;
  const auto mib = [](size_t n) { return concat((n + (1 << 19)) >> 20, " MiB"); };
  const size_t total = cuda_runtime()->properties(device_).total_memory;
  throw OutOfMemoryError(
      concat("CUDA out of memory. Tried to allocate ", mib(nbytes), " (", nbytes,
             " bytes) on cuda:", static_cast<int>(device_), ": ", mib(total), " total, ",
             mib(cuda_runtime()->free_memory(device_)), " free, ", mib(stats_.allocated),
             " in use, ", mib(stats_.reserved - stats_.allocated),
             " cached; use smaller batches, or free tensors and call cuda::empty_cache()"));
}

// ---------------------------------------------------------------------- releasing
void CachingAllocator::release(void* p) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = live_.find(p);
  if (it == live_.end()) return;
  Block* b = it->second;
  live_.erase(it);
  if (b->arena->log) b->arena->log->note_death(b->data);
  stats_.allocated -= b->nbytes;
  if (!b->users.empty() && !can_record(*b)) {
    b->waits_for = 1;
    deferred_.push_back(b);
  } else {
    await_users(b);
  }
}

bool CachingAllocator::can_record(const Block& b) {
  if (is_thread_capturing()) return false;
  return std::none_of(b.users.begin(), b.users.end(),
                      [](StreamImpl* s) { return s->capture.load(); });
}

cuda::Event CachingAllocator::take_event() {
  if (events_.empty()) return cuda::Event();
  cuda::Event event = std::move(events_.back());
  events_.pop_back();
  return event;
}

// Returns the block to the pool when its other users have done the work queued so far.
void CachingAllocator::await_users(Block* b) {
  b->waits_for = 0;
  for (StreamImpl* user : b->users) {
    cuda::Event event = take_event();
    try {
      event.record(cuda::Stream(user));
    } catch (const Error&) {
      continue;  // a lost device uses no memory
    }
    waiting_[user].push_back({std::move(event), b});
    if (watches_races()) races::detector().keep_for(b->data, b->nbytes, user);
    ++b->waits_for;
  }
  b->users.clear();
  if (b->waits_for == 0) put_back(b);
}

void CachingAllocator::record_stream(void* p, StreamImpl* stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = live_.find(p);
  if (it == live_.end() || it->second->stream == stream) return;
  auto& users = it->second->users;
  if (std::find(users.begin(), users.end(), stream) == users.end()) users.push_back(stream);
}

// Frees the blocks whose other users have reached their events.
void CachingAllocator::collect_reached() {
  if (is_thread_capturing()) return;
  const races::QuietQueries quiet;
  for (Block* b : std::exchange(deferred_, {}))
    if (can_record(*b))
      await_users(b);
    else
      deferred_.push_back(b);
  for (auto& [user, queue] : waiting_)
    while (!queue.empty() && queue.front().event.query()) {
      events_.push_back(std::move(queue.front().event));
      Block* const b = queue.front().block;
      queue.pop_front();
      if (--b->waits_for == 0) put_back(b);
    }
}

// Returns the block to the pool, joined with its free neighbours.
void CachingAllocator::put_back(Block* b) {
  Pool& pool = this->pool(*b);
  if (Block* behind = b->behind; behind && behind->free) {
    pool.erase(behind);
    absorb(b, behind);
  }
  if (Block* before = b->before; before && before->free) {
    pool.erase(before);
    absorb(before, b);
    b = before;
  }
  b->free = true;
  pool.insert(b);
}

void CachingAllocator::absorb(Block* b, Block* behind) {
  b->nbytes += behind->nbytes;
  b->behind = behind->behind;
  if (b->behind) b->behind->before = b;
  delete behind;
}

// ---------------------------------------------------------------------- the cache
void CachingAllocator::give_back_segments() {
  for (auto& [user, queue] : waiting_)
    if (!queue.empty()) queue.back().event.synchronize();
  collect_reached();
  give_back(common_.small);
  give_back(common_.large);
  give_back_ended();
}

// Blocks that wait for events stay. The runtime waits for the device before it frees the others.
void CachingAllocator::give_back_in_capture() {
  give_back(common_.small);
  give_back(common_.large);
  give_back_ended();
}

// Any stream may have replayed in this memory, so the runtime waits for all streams of the device.
void CachingAllocator::give_back_ended() {
  for (const auto& arena : ended_) {
    give_back(arena->small);
    give_back(arena->large);
  }
  const auto is_empty = [](const auto& arena) { return arena->segments == 0; };
  ended_.erase(std::remove_if(ended_.begin(), ended_.end(), is_empty), ended_.end());
}

// This happens later, because a stream's own thread may free the memory. It cannot wait for its
// stream.
void CachingAllocator::give_back_freed() {
  if (is_thread_capturing()) return;
  give_back(common_.small);
  give_back(common_.large);
}

void CachingAllocator::give_back(Pool& pool) {
  for (auto it = pool.begin(); it != pool.end();) {
    Block* b = *it;
    const Capture* const capture = b->arena == &common_ ? b->stream->capture.load() : nullptr;
    if (b->before || b->behind || (capture && capture != thread_capture())) {
      ++it;
      continue;
    }
    // Its stream may still work on this memory.
    if (b->arena == &common_ && !is_thread_capturing())
      cuda::Stream(b->stream).record_event().synchronize();
    cuda_runtime()->release(device_, b->data, b->nbytes);
    stats_.reserved -= b->nbytes;
    --b->arena->segments;
    it = pool.erase(it);
    delete b;
  }
}

void CachingAllocator::empty_cache() {
  check_may_wait("empty_cache");
  const std::lock_guard<std::mutex> lock(mutex_);
  give_back_segments();
}

void CachingAllocator::end_pool(const GraphPool* pool) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = of_graphs_.find(pool);
  if (it == of_graphs_.end()) return;
  it->second->log = nullptr;
  ended_.push_back(std::move(it->second));
  of_graphs_.erase(it);
  give_back_ended();
}

MemoryStats CachingAllocator::stats() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stats_;
}

std::vector<MemorySegment> CachingAllocator::snapshot() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<const void*, const Block*> first;
  const auto note = [&](const Block* b) {
    if (!b->before) first[b->data] = b;
  };
  for (const auto& live : live_) note(live.second);
  for (const auto& [user, queue] : waiting_)
    for (const Pending& p : queue) note(p.block);
  for (const Block* b : deferred_) note(b);
  const auto note_free = [&](const Arena& arena) {
    for (const Pool* pool : {&arena.small, &arena.large})
      for (const Block* b : *pool) note(b);
  };
  note_free(common_);
  for (const auto& arena : of_graphs_) note_free(*arena.second);
  for (const auto& arena : ended_) note_free(*arena);
  std::vector<MemorySegment> segments;
  for (const auto& [address, b] : first) {
    MemorySegment& s = segments.emplace_back();
    s.device = device_;
    s.address = address;
    s.stream = b->stream->id;
    s.small = b->small;
    for (const Block* part = b; part; part = part->behind)
      s.blocks.push_back({part->nbytes, state_of(*part)});
  }
  return segments;
}

MemoryBlock::State CachingAllocator::state_of(const Block& b) {
  if (b.free) return MemoryBlock::State::kInactive;
  return b.waits_for > 0 ? MemoryBlock::State::kActivePendingFree
                         : MemoryBlock::State::kActiveAllocated;
}

void CachingAllocator::reset_peaks() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stats_.max_allocated = stats_.allocated;
  stats_.max_reserved = stats_.reserved;
}

void CachingAllocator::set_limit(size_t nbytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  limit_ = nbytes;
}

CachingAllocator& caching_allocator(DeviceIndex device) {
  static auto& all = *[] {
    auto* list = new std::vector<std::unique_ptr<CachingAllocator>>;
    for (DeviceIndex i = 0; i < require_cuda().device_count(); ++i)
      list->push_back(std::make_unique<CachingAllocator>(i));
    return list;
  }();
  return *all[existing_index(device)];
}

}  // namespace torch::taper::detail
