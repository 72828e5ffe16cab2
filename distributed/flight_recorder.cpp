#include <taper/distributed/flight_recorder.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <string_view>

#include <taper/distributed/flight_buffer.h>
#include <taper/distributed/init.h>
#include <taper/framework/core/check.h>

namespace torch::taper::distributed {

namespace detail {

namespace {

using taper::detail::concat;

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Reads a clock in its own unit. Three readings of the system's clock would take most of the time
/// that recording an operation may cost.
int64_t ticks() {
#if defined(__x86_64__)
  return static_cast<int64_t>(__builtin_ia32_rdtsc());
#else
  return now_ns();
#endif
}

/// Converts ticks to times by two points at which both clocks were read.
class TimeScale {
 public:
  TimeScale() : first_(first()) {
    const int64_t passed = ticks() - first_.ticks;
    ns_per_tick_ = passed > 0 ? static_cast<double>(now_ns() - first_.ns) / passed : 0;
  }
  /// Reads both clocks for the first time.
  static void begin() { (void)first(); }
  int64_t ns(int64_t tick) const {
    const auto since = static_cast<double>(tick - first_.ticks);
    return tick == 0 ? 0 : first_.ns + static_cast<int64_t>(since * ns_per_tick_);
  }

 private:
  struct Point {
    int64_t ticks, ns;
  };
  static Point first() {
    static const Point point{ticks(), now_ns()};
    return point;
  }
  const Point first_;
  double ns_per_tick_;
};

/// Returns the number of operations that a group keeps.
size_t capacity() {
  constexpr size_t kOtherwise = 1000, kMost = 1000000;
  const char* text = std::getenv("TAPER_FLIGHT_RECORD_SIZE");
  size_t n = 0;
  if (!text || std::from_chars(text, text + std::strlen(text), n).ec != std::errc() || n == 0)
    return kOtherwise;
  return std::min(n, kMost);
}

/// Holds the existing groups, and the last destroyed ones.
struct Registry {
  static constexpr size_t kGone = 8;
  std::mutex mutex;
  int made = 0;
  std::vector<std::weak_ptr<FlightBuffer>> there;
  std::deque<std::string> gone;  // as text for flight_record()
  static Registry& get() {
    static auto& registry = *new Registry;
    return registry;
  }
};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
      continue;
    }
    char code[8];
    std::snprintf(code, sizeof code, "\\u%04x", c);
    out += code;
  }
  return out + '"';
}

/// Returns the process's rank among all, or the group's rank if no launcher gives one.
int rank_of_process(int otherwise) {
  try {
    const Environment e = Environment::read();
    return e.world_size > 1 ? e.rank : otherwise;
  } catch (const std::exception&) {
    return otherwise;
  }
}

/// Writes the file completely or not at all, so that a reader never sees half of it.
void write_file(int rank) {
  const char* name = std::getenv("TAPER_FLIGHT_RECORD");
  if (!name || !*name) return;
  const std::string file = concat(name, '.', rank), part = concat(file, ".part", ::getpid());
  bool written = false;
  {
    std::ofstream out(part);
    out << flight_record() << '\n';
    out.close();
    written = static_cast<bool>(out);
  }
  if (!written || std::rename(part.c_str(), file.c_str()) != 0) std::remove(part.c_str());
}

}  // namespace

// ---------------------------------------------------------------------- writing
std::shared_ptr<FlightBuffer> FlightBuffer::create(const char* backend, int rank, int size) {
  Registry& registry = Registry::get();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  TimeScale::begin();
  // A destroyed buffer leaves its operations to the registry.
  const auto retire = [](FlightBuffer* buffer) {
    Registry& r = Registry::get();
    {
      const std::lock_guard<std::mutex> held(r.mutex);
      r.gone.push_back(buffer->group_as_json());
      if (r.gone.size() > Registry::kGone) r.gone.pop_front();
    }
    delete buffer;
  };
  std::shared_ptr<FlightBuffer> made(
      new FlightBuffer(backend, rank, size, registry.made++, capacity()), retire);
  std::erase_if(registry.there, [](const auto& weak) { return weak.expired(); });
  registry.there.push_back(made);
  return made;
}

FlightBuffer::FlightBuffer(const char* backend, int rank, int size, int number, size_t capacity)
    : backend_(backend), rank_(rank), size_(size), number_(number), entries_(capacity) {}

void FlightBuffer::Shape::set(const Tensor& t) {
  constexpr auto relaxed = std::memory_order_relaxed;
  dtype.store(t.defined() ? static_cast<int8_t>(t.scalar_type()) : int8_t{-1}, relaxed);
  if (!t.defined()) return;
  const auto s = t.sizes();
  dim.store(static_cast<int8_t>(s.size()), relaxed);
  for (size_t i = 0; i < std::min(s.size(), kDims); ++i) sizes[i].store(s[i], relaxed);
}

FlightEntry FlightBuffer::begin(const Call& call, const Tensor& in, const Tensor& out) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const uint64_t id = begun_.fetch_add(1, relaxed) + 1;
  Entry& e = entries_[(id - 1) % entries_.size()];
  e.id.store(0, relaxed);
  e.name.store(call.name, std::memory_order_release);
  e.sequence.store(call.sequence, relaxed);
  e.limit_ms.store(call.limit.count(), relaxed);
  e.peer.store(call.peer, relaxed);
  e.is_message.store(call.is_message, relaxed);
  e.state.store(kScheduled, relaxed);
  e.started.store(0, relaxed);
  e.ended.store(0, relaxed);
  e.in.set(in);
  e.out.set(out);
  e.created.store(ticks(), relaxed);
  e.id.store(id, std::memory_order_release);
  return {shared_from_this(), id};
}

FlightBuffer::Entry* FlightBuffer::find(uint64_t id) {
  Entry& e = entries_[(id - 1) % entries_.size()];
  return e.id.load(std::memory_order_relaxed) == id ? &e : nullptr;
}

void FlightEntry::started() const {
  FlightBuffer::Entry* const e = buffer_ ? buffer_->find(id_) : nullptr;
  if (!e) return;
  e->started.store(ticks(), std::memory_order_relaxed);
  e->state.store(FlightBuffer::kStarted, std::memory_order_relaxed);
}

void FlightEntry::completed() const {
  FlightBuffer::Entry* const e = buffer_ ? buffer_->find(id_) : nullptr;
  if (!e) return;
  e->ended.store(ticks(), std::memory_order_relaxed);
  e->state.store(FlightBuffer::kCompleted, std::memory_order_relaxed);
}

void FlightEntry::failed(const std::string& error) const {
  if (!buffer_) return;
  {
    const std::lock_guard<std::mutex> lock(buffer_->mutex_);
    auto& errors = buffer_->errors_;
    errors[id_] = error;
    while (errors.size() > buffer_->entries_.size()) errors.erase(errors.begin());
  }
  if (FlightBuffer::Entry* const e = buffer_->find(id_)) {
    e->ended.store(ticks(), std::memory_order_relaxed);
    e->state.store(FlightBuffer::kFailed, std::memory_order_relaxed);
  }
  write_file(rank_of_process(buffer_->rank()));
}

// ---------------------------------------------------------------------- reading
std::string FlightBuffer::error_of(uint64_t id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = errors_.find(id);
  return found == errors_.end() ? std::string() : found->second;
}

namespace {

std::string sizes_as_json(const auto& shape, size_t most) {
  constexpr auto acquire = std::memory_order_acquire;
  if (shape.dtype.load(acquire) < 0) return "[]";
  std::string out = "[[";
  const size_t dim = std::min(static_cast<size_t>(shape.dim.load(acquire)), most);
  for (size_t i = 0; i < dim; ++i)
    out += (i ? "," : "") + std::to_string(shape.sizes[i].load(acquire));
  return out + "]]";
}
std::string dtype_as_json(const auto& shape) {
  const int8_t dtype = shape.dtype.load(std::memory_order_acquire);
  return dtype < 0 ? "[]" : concat('[', quoted(concat(static_cast<ScalarType>(dtype))), ']');
}

}  // namespace

// Returns an empty text if another operation has taken the entry meanwhile.
std::string FlightBuffer::as_json(const Entry& e, uint64_t id) const {
  constexpr auto acquire = std::memory_order_acquire;
  constexpr const char* kStates[] = {"scheduled", "started", "completed", "failed"};
  if (e.id.load(acquire) != id) return "";
  const bool message = e.is_message.load(acquire);
  const uint64_t sequence = e.sequence.load(acquire);
  const TimeScale scale;
  const int64_t created = scale.ns(e.created.load(acquire)),
                started = scale.ns(e.started.load(acquire)),
                ended = scale.ns(e.ended.load(acquire));
  const uint8_t state = e.state.load(acquire);
  std::string out = concat(
      "{\"record_id\":", id - 1, ",\"pg_id\":", number_,
      ",\"collective_seq_id\":", message ? 0 : sequence, ",\"p2p_seq_id\":", message ? sequence : 0,
      ",\"is_p2p\":", message ? "true" : "false",
      ",\"profiling_name\":", quoted(concat(backend_, ':', e.name.load(acquire))),
      ",\"peer\":", e.peer.load(acquire), ",\"state\":\"", kStates[state],
      "\",\"input_sizes\":", sizes_as_json(e.in, kDims), ",\"input_dtypes\":", dtype_as_json(e.in),
      ",\"output_sizes\":", sizes_as_json(e.out, kDims),
      ",\"output_dtypes\":", dtype_as_json(e.out), ",\"time_created_ns\":", created,
      ",\"time_discovered_started_ns\":", started, ",\"time_discovered_completed_ns\":", ended,
      ",\"timeout_ms\":", e.limit_ms.load(acquire));
  if (state == kFailed) out += ",\"error\":" + quoted(error_of(id));
  return e.id.load(acquire) == id ? out + '}' : "";
}

std::string FlightBuffer::entries_as_json() const {
  const uint64_t last = begun_.load(std::memory_order_acquire);
  std::string all;
  for (uint64_t id = last > entries_.size() ? last - entries_.size() + 1 : 1; id <= last; ++id) {
    const std::string one = as_json(entries_[(id - 1) % entries_.size()], id);
    if (!one.empty()) all += (all.empty() ? "\n" : ",\n") + one;
  }
  return all;
}

std::string FlightBuffer::group_as_json() const {
  return concat("{\"pg_id\":", number_, ",\"backend\":", quoted(backend_), ",\"rank\":", rank_,
                ",\"size\":", size_, ",\"entries\":[", entries_as_json(), "]}");
}

}  // namespace detail

std::string flight_record() {
  detail::Registry& registry = detail::Registry::get();
  std::vector<std::shared_ptr<detail::FlightBuffer>> there;
  std::string all;
  {
    const std::lock_guard<std::mutex> lock(registry.mutex);
    for (const std::string& group : registry.gone) all += (all.empty() ? "\n" : ",\n") + group;
    for (const auto& weak : registry.there)
      if (auto buffer = weak.lock()) there.push_back(std::move(buffer));
  }
  for (const auto& buffer : there) all += (all.empty() ? "\n" : ",\n") + buffer->group_as_json();
  return taper::detail::concat("{\"version\":\"1\",\"process_groups\":[", all, "]}");
}

}  // namespace torch::taper::distributed
