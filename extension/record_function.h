// RecordFunction: callbacks at the start and end of ranges, with LibTorch's names. A program marks
// its own ranges with RECORD_FUNCTION (<ATen/record_function.h>). Taper's ranges are kernels and
// copies, backward nodes, modules, and steps of optimizers. Ranges have the names of a profile's
// events (utils/profiler).
//
//   addGlobalCallback(RecordFunctionCallback(&on_start, &on_end).scopes({RecordScope::FUNCTION}));
//
// Without callbacks, a program's range costs two comparisons, and Taper's ranges cost nothing.
// Callbacks must not throw exceptions in Taper's ranges. While a profile is recording, it gets
// Taper's ranges, and the callbacks do not.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <taper/framework/core/check.h>
#include <taper/framework/debug/run_observer.h>
#include <taper/framework/io/ivalue.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Kinds of ranges. Taper's ranges are FUNCTION (kernels and copies), BACKWARD_FUNCTION (nodes) and
/// USER_SCOPE (modules, steps of optimizers, batches).
enum class RecordScope : uint8_t {
  FUNCTION = 0,
  BACKWARD_FUNCTION,
  TORCHSCRIPT_FUNCTION,
  KERNEL_FUNCTION_DTYPE,
  CUSTOM_CLASS,
  BUILD_FEATURE,
  LITE_INTERPRETER,
  USER_SCOPE,
  STATIC_RUNTIME_OP,
  STATIC_RUNTIME_MODEL,
  NUM_SCOPES
};

/// State that a start callback passes to its end callback.
struct ObserverContext {
  virtual ~ObserverContext() = default;

 protected:
  ObserverContext() = default;
};

class RecordFunction;
using CallbackHandle = uint64_t;                      ///< identifies an added callback
using RecordFunctionHandle = uint64_t;                ///< identifies a recorded range
constexpr CallbackHandle INVALID_CALLBACK_HANDLE{0};  ///< identifies no callback

/// A start callback, an end callback, and options that say which ranges and data the callbacks
/// need.
class RecordFunctionCallback {
 public:
  using StartCallback = std::unique_ptr<ObserverContext> (*)(const RecordFunction&);  ///< see start
  using EndCallback = void (*)(const RecordFunction&, ObserverContext*);              ///< see end

  /// Sets the callbacks. Either may be null.
  explicit RecordFunctionCallback(StartCallback start, EndCallback end = nullptr)
      : start_(start), end_(end) {
    scopes_.fill(true);
  }
  /// Sets whether the callbacks need the operands of ranges.
  RecordFunctionCallback& needsInputs(bool needs) { return set(needs_inputs_, needs); }
  /// Sets whether the callbacks need the results of ranges.
  RecordFunctionCallback& needsOutputs(bool needs) { return set(needs_outputs_, needs); }
  /// Sets whether the callbacks need a handle for each range.
  RecordFunctionCallback& needsIds(bool needs) { return set(needs_ids_, needs); }
  /// Sets the probability that the callbacks are called for a range. Throws Error unless it is in
  /// [0, 1].
  RecordFunctionCallback& samplingProb(double probability) {
    TAPER_CHECK(probability >= 0 && probability <= 1,
                "RecordFunctionCallback: Invalid sampling probability: expected 0 to 1, got ",
                probability);
    return set(sampling_, probability);
  }
  /// Restricts the callbacks to these kinds of ranges. An empty set means all kinds.
  RecordFunctionCallback& scopes(const std::unordered_set<RecordScope>& scopes) {
    scopes_.fill(scopes.empty());
    for (const RecordScope s : scopes) scopes_[static_cast<size_t>(s)] = true;
    return *this;
  }
  /// Returns whether operands are requested.
  bool needsInputs() const { return needs_inputs_; }
  bool needsOutputs() const { return needs_outputs_; }  ///< whether results are requested
  bool needsIds() const { return needs_ids_; }          ///< whether handles are requested
  double samplingProb() const { return sampling_; }     ///< the probability
  bool checkScope(RecordScope s) const { return scopes_[static_cast<size_t>(s)]; }  ///< see scopes
  /// The start callback, which returns the state for the end callback.
  StartCallback start() const { return start_; }
  EndCallback end() const { return end_; }  ///< the end callback

 private:
  template <class T>
  RecordFunctionCallback& set(T& member, T value) {
    member = value;
    return *this;
  }
  StartCallback start_;
  EndCallback end_;
  double sampling_ = 1;
  std::array<bool, static_cast<size_t>(RecordScope::NUM_SCOPES)> scopes_{};
  bool needs_inputs_ = false, needs_outputs_ = false, needs_ids_ = false;
};

/// A range of the program. It lasts from before() to end(), or to the destructor.
class RecordFunction {
 public:
  /// Selects the callbacks that will be called for a range of kind `scope`.
  explicit RecordFunction(RecordScope scope = RecordScope::FUNCTION);
  virtual ~RecordFunction() { end(); }
  RecordFunction(const RecordFunction&) = delete;
  RecordFunction& operator=(const RecordFunction&) = delete;

  /// Returns whether any callback was selected. If not, you need not collect the operands.
  bool isActive() const { return active_; }
  /// Returns whether a callback needs the operands.
  bool needsInputs() const { return needs_inputs_; }
  /// Returns whether a callback needs the results.
  bool needsOutputs() const { return needs_outputs_; }
  /// Begins the range, and calls the start callbacks.
  void before(std::string name, int64_t sequence_nr = -1);
  /// Begins the range, and calls the start callbacks. `inputs` is a container of IValues.
  template <class Inputs, class = decltype(std::declval<const Inputs&>().begin())>
  void before(std::string name, const Inputs& inputs, int64_t sequence_nr = -1) {
    if (needs_inputs_) inputs_.assign(inputs.begin(), inputs.end());
    before(std::move(name), sequence_nr);
  }
  /// Ends the range, and calls the end callbacks. A second call does nothing.
  void end();
  /// Sets the results of the range.
  void setOutputs(std::vector<IValue> outputs) { outputs_ = std::move(outputs); }

  const char* name() const { return name_.c_str(); }  ///< name of the range
  const char* overload_name() const { return ""; }    ///< always empty
  int64_t seqNr() const { return sequence_nr_; }      ///< number of the backward node, or -1
  const std::vector<IValue>& inputs() const { return inputs_; }    ///< empty if not needed
  const std::vector<IValue>& outputs() const { return outputs_; }  ///< empty unless they were set
  size_t num_inputs() const { return inputs_.size(); }             ///< number of inputs()
  size_t num_outputs() const { return outputs_.size(); }           ///< number of outputs()
  RecordScope scope() const { return scope_; }                     ///< kind of range
  RecordFunctionHandle handle() const { return handle_; }          ///< 0 if no callback needs it
  uint64_t threadId() const { return currentThreadId(); }          ///< number of the calling thread
  static uint64_t currentThreadId();  ///< number of this thread, from 1 in the order of first calls

 private:
  const RecordScope scope_;
  bool active_ = false, needs_inputs_ = false, needs_outputs_ = false;
  bool begun_ = false;
  std::string name_;
  int64_t sequence_nr_ = -1;
  RecordFunctionHandle handle_ = 0;
  std::vector<IValue> inputs_, outputs_;
  std::vector<std::pair<RecordFunctionCallback, std::unique_ptr<ObserverContext>>> told_;
  std::unique_ptr<detail::RunScope> profiled_;
};

/// Adds a callback for the ranges of all threads.
CallbackHandle addGlobalCallback(RecordFunctionCallback callback);
/// Adds a callback for the ranges of this thread.
CallbackHandle addThreadLocalCallback(RecordFunctionCallback callback);
/// Removes a callback. Call this function only while no other thread is in a recorded range.
void removeCallback(CallbackHandle handle);
/// Disables a callback until it is enabled again. Does nothing for unknown handles.
void disableCallback(CallbackHandle handle);
/// Enables a disabled callback.
void reenableCallback(CallbackHandle handle);
bool hasGlobalCallbacks();         ///< whether there are global callbacks
bool hasThreadLocalCallbacks();    ///< whether this thread has callbacks
void clearGlobalCallbacks();       ///< removes all global callbacks
void clearThreadLocalCallbacks();  ///< removes this thread's callbacks
/// Returns whether this thread has any callbacks to call.
inline bool hasCallbacks() { return hasGlobalCallbacks() || hasThreadLocalCallbacks(); }
/// Removes all callbacks that this thread would call.
inline void clearCallbacks() {
  clearGlobalCallbacks();
  clearThreadLocalCallbacks();
}
/// Turns recording on or off on this thread.
void enableRecordFunction(bool enable = true);
/// Returns whether recording is on for this thread. It is on by default.
bool isRecordFunctionEnabled();

/// Calls enableRecordFunction, and restores the setting at the end of the scope.
class RecordFunctionGuard {
 public:
  /// Turns recording on or off.
  explicit RecordFunctionGuard(bool is_enabled = true) : before_(isRecordFunctionEnabled()) {
    enableRecordFunction(is_enabled);
  }
  virtual ~RecordFunctionGuard() { enableRecordFunction(before_); }
  RecordFunctionGuard(const RecordFunctionGuard&) = delete;
  RecordFunctionGuard& operator=(const RecordFunctionGuard&) = delete;

 private:
  bool before_;
};
/// Turns recording off until the end of the scope.
class DisableRecordFunctionGuard : public RecordFunctionGuard {
 public:
  DisableRecordFunctionGuard() : RecordFunctionGuard(false) {}
};

}  // namespace torch::taper

#pragma GCC visibility pop
