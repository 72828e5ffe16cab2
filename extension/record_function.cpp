#include <taper/extension/record_function.h>

#include <atomic>
#include <mutex>
#include <random>

namespace torch::taper {
namespace {

using detail::RunEvent;
using detail::RunObserver;

struct Entry {
  RecordFunctionCallback callback;
  CallbackHandle handle;
  bool enabled = true;
};
using Entries = std::vector<Entry>;

struct Global {
  std::mutex mutex;
  Entries entries;
  std::atomic<bool> any{false};
  std::atomic<CallbackHandle> last{INVALID_CALLBACK_HANDLE};
  std::atomic<int64_t> threads_with_own{0};
  std::atomic<RecordFunctionHandle> parts{0};
};
Global& global() {
  static auto& g = *new Global;  // parts may end after statics are destroyed
  return g;
}

/// Turns events of the library into parts of the thread that runs them.
class LibraryParts final : public RunObserver {
 public:
  void begin(RunEvent kind, const char* name, Device, uint64_t sequence_nr,
             const std::vector<detail::Access>&) noexcept override {
    Stack& s = stack();
    s.parts.push_back(nullptr);
    if (s.telling) return;  // ops of a callback
    s.telling = true;
    auto part = std::make_unique<RecordFunction>(scope_of(kind));
    if (part->isActive()) {
      part->before(name, sequence_nr ? static_cast<int64_t>(sequence_nr) : -1);
      s.parts.back() = std::move(part);
    }
    s.telling = false;
  }
  void end() noexcept override {
    Stack& s = stack();
    if (s.parts.empty()) return;  // it began before there were callbacks
    const std::unique_ptr<RecordFunction> part = std::move(s.parts.back());
    s.parts.pop_back();
    if (!part) return;
    s.telling = true;
    part->end();
    s.telling = false;
  }
  void allocated(const void*, size_t, Device) noexcept override {}
  void freed(const void*, size_t, Device) noexcept override {}

  /// Starts or stops observing, depending on whether there are callbacks. A profile has priority.
  static void listen() {
    LibraryParts& parts = instance();
    const bool wanted = global().any || global().threads_with_own > 0;
    RunObserver* const now = detail::run_observer();
    if (wanted && !now) detail::set_run_observer(&parts);
    if (!wanted && now == &parts) detail::set_run_observer(nullptr);
  }

  static LibraryParts& instance() {
    static auto& parts = *new LibraryParts;
    return parts;
  }

 private:
  struct Stack {
    std::vector<std::unique_ptr<RecordFunction>> parts;
    bool telling = false;
  };
  static Stack& stack() {
    static thread_local Stack s;
    return s;
  }
  static RecordScope scope_of(RunEvent kind) {
    if (kind == RunEvent::kOp || kind == RunEvent::kCopy) return RecordScope::FUNCTION;
    return kind == RunEvent::kBackwardNode ? RecordScope::BACKWARD_FUNCTION
                                           : RecordScope::USER_SCOPE;
  }
};

struct ThreadState {
  Entries entries;
  bool enabled = true;
  ~ThreadState() {
    if (entries.empty()) return;
    --global().threads_with_own;
    LibraryParts::listen();
  }
};
ThreadState& here() {
  static thread_local ThreadState state;
  return state;
}

/// Calls f(entry) for the entry of a handle, among those of all threads or of this one.
template <class F>
void with_entry(CallbackHandle handle, const F& f) {
  const std::lock_guard<std::mutex> lock(global().mutex);
  for (Entries* entries : {&global().entries, &here().entries})
    for (size_t i = 0; i < entries->size(); ++i)
      if ((*entries)[i].handle == handle) return f(*entries, i);
}

void count_again(size_t own_before) {
  global().any = !global().entries.empty();
  if (own_before > 0 && here().entries.empty()) --global().threads_with_own;
  if (own_before == 0 && !here().entries.empty()) ++global().threads_with_own;
  LibraryParts::listen();
}

/// Returns whether a profile observes parts.
bool is_profiled() {
  if (!detail::observes_run()) return false;
  RunObserver* const observer = detail::run_observer();
  return observer && observer != &LibraryParts::instance();
}

bool is_drawn(double probability) {
  if (probability >= 1) return true;
  static thread_local std::minstd_rand draw{std::random_device()()};
  return std::uniform_real_distribution<double>()(draw) < probability;
}

}  // namespace

RecordFunction::RecordFunction(RecordScope scope) : scope_(scope) {
  ThreadState& thread = here();
  if (thread.enabled && (global().any || !thread.entries.empty())) {
    const std::lock_guard<std::mutex> lock(global().mutex);
    bool ids = false;
    for (const Entries* entries : {&global().entries, &thread.entries})
      for (const Entry& e : *entries) {
        if (!e.enabled || !e.callback.checkScope(scope) || !is_drawn(e.callback.samplingProb()))
          continue;
        told_.emplace_back(e.callback, nullptr);
        needs_inputs_ = needs_inputs_ || e.callback.needsInputs();
        needs_outputs_ = needs_outputs_ || e.callback.needsOutputs();
        ids = ids || e.callback.needsIds();
      }
    if (ids) handle_ = ++global().parts;
  }
  active_ = !told_.empty() || (thread.enabled && is_profiled());
}

void RecordFunction::before(std::string name, int64_t sequence_nr) {
  if (!active_ || begun_) return;
  begun_ = true;
  name_ = std::move(name);
  sequence_nr_ = sequence_nr;
  for (auto& [callback, context] : told_)
    if (callback.start()) context = callback.start()(*this);
  if (is_profiled())
    profiled_ = std::make_unique<detail::RunScope>(RunEvent::kScope, name_.c_str());
}

void RecordFunction::end() {
  if (!begun_) return;
  begun_ = false;
  profiled_.reset();
  for (auto& [callback, context] : told_)
    if (callback.end()) callback.end()(*this, context.get());
  told_.clear();
}

uint64_t RecordFunction::currentThreadId() {
  static std::atomic<uint64_t> count{0};
  static thread_local const uint64_t id = ++count;
  return id;
}

CallbackHandle addGlobalCallback(RecordFunctionCallback callback) {
  const CallbackHandle handle = ++global().last;
  const std::lock_guard<std::mutex> lock(global().mutex);
  global().entries.push_back({callback, handle});
  count_again(here().entries.size());
  return handle;
}

CallbackHandle addThreadLocalCallback(RecordFunctionCallback callback) {
  const CallbackHandle handle = ++global().last;
  const std::lock_guard<std::mutex> lock(global().mutex);
  const size_t before = here().entries.size();
  here().entries.push_back({callback, handle});
  count_again(before);
  return handle;
}

void removeCallback(CallbackHandle handle) {
  with_entry(handle, [](Entries& entries, size_t i) {
    const size_t before = here().entries.size();
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
    count_again(before);
  });
}

void disableCallback(CallbackHandle handle) {
  with_entry(handle, [](Entries& entries, size_t i) { entries[i].enabled = false; });
}
void reenableCallback(CallbackHandle handle) {
  with_entry(handle, [](Entries& entries, size_t i) { entries[i].enabled = true; });
}

bool hasGlobalCallbacks() { return global().any; }
bool hasThreadLocalCallbacks() { return !here().entries.empty(); }

void clearGlobalCallbacks() {
  const std::lock_guard<std::mutex> lock(global().mutex);
  global().entries.clear();
  count_again(here().entries.size());
}
void clearThreadLocalCallbacks() {
  const std::lock_guard<std::mutex> lock(global().mutex);
  const size_t before = here().entries.size();
  here().entries.clear();
  count_again(before);
}

void enableRecordFunction(bool enable) { here().enabled = enable; }
bool isRecordFunctionEnabled() { return here().enabled; }

}  // namespace torch::taper
