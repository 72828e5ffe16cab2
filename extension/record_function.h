// RecordFunction: callbacks at the begin and end of what a program does, with LibTorch's names. A
// program's own parts are told of (RECORD_FUNCTION of <ATen/record_function.h>), and Taper's:
// kernels and copies, backward nodes, modules, steps of optimizers, by the names that a profile
// (utils/profiler) gives them.
//
//   addGlobalCallback(RecordFunctionCallback(&on_start, &on_end).scopes({RecordScope::FUNCTION}));
//
// Without callbacks a part costs two comparisons, and the library's own nothing. Callbacks must not
// throw in the library's parts. While a profile runs, its parts are the profile's only.
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

/// What is recorded. Of Taper's own: FUNCTION, BACKWARD_FUNCTION (nodes) and USER_SCOPE (modules,
/// steps, batches).
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

/// What a callback at the start hands to the one at the end.
struct ObserverContext {
  virtual ~ObserverContext() = default;

 protected:
  ObserverContext() = default;
};

class RecordFunction;
using CallbackHandle = uint64_t;                      ///< of a callback that was added
using RecordFunctionHandle = uint64_t;                ///< of a recorded part
constexpr CallbackHandle INVALID_CALLBACK_HANDLE{0};  ///< of no callback

/// Two functions, and what they want to know.
class RecordFunctionCallback {
 public:
  using StartCallback = std::unique_ptr<ObserverContext> (*)(const RecordFunction&);  ///< see start
  using EndCallback = void (*)(const RecordFunction&, ObserverContext*);              ///< see end

  /// Either may be null.
  explicit RecordFunctionCallback(StartCallback start, EndCallback end = nullptr)
      : start_(start), end_(end) {
    scopes_.fill(true);
  }
  /// The operands, where the part has them.
  RecordFunctionCallback& needsInputs(bool needs) { return set(needs_inputs_, needs); }
  /// The results, where the part has them.
  RecordFunctionCallback& needsOutputs(bool needs) { return set(needs_outputs_, needs); }
  /// A handle for each part.
  RecordFunctionCallback& needsIds(bool needs) { return set(needs_ids_, needs); }
  /// Called for this share of the parts, which are drawn. Throws unless it is in [0, 1].
  RecordFunctionCallback& samplingProb(double probability) {
    TAPER_CHECK(probability >= 0 && probability <= 1,
                "RecordFunctionCallback: Invalid sampling probability: expected 0 to 1, got ",
                probability);
    return set(sampling_, probability);
  }
  /// Called for these scopes only; all where there is none.
  RecordFunctionCallback& scopes(const std::unordered_set<RecordScope>& scopes) {
    scopes_.fill(scopes.empty());
    for (const RecordScope s : scopes) scopes_[static_cast<size_t>(s)] = true;
    return *this;
  }
  /// See the setters of these names.
  bool needsInputs() const { return needs_inputs_; }
  bool needsOutputs() const { return needs_outputs_; }  ///< see needsInputs
  bool needsIds() const { return needs_ids_; }          ///< see needsInputs
  double samplingProb() const { return sampling_; }     ///< see needsInputs
  bool checkScope(RecordScope s) const { return scopes_[static_cast<size_t>(s)]; }  ///< see scopes
  StartCallback start() const { return start_; }  ///< as it was given
  EndCallback end() const { return end_; }        ///< as it was given

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

/// A part of a run, from before() to end() or its destruction.
class RecordFunction {
 public:
  /// Chooses who is to be told.
  explicit RecordFunction(RecordScope scope = RecordScope::FUNCTION);
  virtual ~RecordFunction() { end(); }
  RecordFunction(const RecordFunction&) = delete;
  RecordFunction& operator=(const RecordFunction&) = delete;

  /// Whether anybody is told, so that operands need not be gathered for nobody.
  bool isActive() const { return active_; }
  /// Whether somebody wants the operands.
  bool needsInputs() const { return needs_inputs_; }
  /// Whether somebody wants the results.
  bool needsOutputs() const { return needs_outputs_; }
  /// The part begins: calls the callbacks of the start.
  void before(std::string name, int64_t sequence_nr = -1);
  /// The same with operands, a range of IValues.
  template <class Inputs, class = decltype(std::declval<const Inputs&>().begin())>
  void before(std::string name, const Inputs& inputs, int64_t sequence_nr = -1) {
    if (needs_inputs_) inputs_.assign(inputs.begin(), inputs.end());
    before(std::move(name), sequence_nr);
  }
  /// The part ends, once: calls the callbacks of the end.
  void end();
  /// What the part made.
  void setOutputs(std::vector<IValue> outputs) { outputs_ = std::move(outputs); }

  const char* name() const { return name_.c_str(); }               ///< of the part
  const char* overload_name() const { return ""; }                 ///< none
  int64_t seqNr() const { return sequence_nr_; }                   ///< of its node, or -1
  const std::vector<IValue>& inputs() const { return inputs_; }    ///< where somebody wants them
  const std::vector<IValue>& outputs() const { return outputs_; }  ///< where they were set
  size_t num_inputs() const { return inputs_.size(); }             ///< of inputs()
  size_t num_outputs() const { return outputs_.size(); }           ///< of outputs()
  RecordScope scope() const { return scope_; }                     ///< as it was given
  RecordFunctionHandle handle() const { return handle_; }          ///< 0 where nobody wants it
  uint64_t threadId() const { return currentThreadId(); }          ///< of the thread that calls
  static uint64_t currentThreadId();  ///< from 1, in the order of asking

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

/// Tells a callback of what all threads do.
CallbackHandle addGlobalCallback(RecordFunctionCallback callback);
/// Tells a callback of what this thread does.
CallbackHandle addThreadLocalCallback(RecordFunctionCallback callback);
/// Takes back either. No other thread may be in a recorded part.
void removeCallback(CallbackHandle handle);
/// The callback is not called until it is enabled again. Unknown handles do nothing.
void disableCallback(CallbackHandle handle);
/// See disableCallback.
void reenableCallback(CallbackHandle handle);
bool hasGlobalCallbacks();         ///< whether there are any
bool hasThreadLocalCallbacks();    ///< whether this thread has any
void clearGlobalCallbacks();       ///< takes back all of them
void clearThreadLocalCallbacks();  ///< takes back this thread's
/// Whether there are any that this thread would call.
inline bool hasCallbacks() { return hasGlobalCallbacks() || hasThreadLocalCallbacks(); }
/// Takes back all that this thread would call.
inline void clearCallbacks() {
  clearGlobalCallbacks();
  clearThreadLocalCallbacks();
}
/// Switches recording on this thread.
void enableRecordFunction(bool enable = true);
/// Whether it is on, as it is unless said otherwise.
bool isRecordFunctionEnabled();

/// enableRecordFunction within a scope.
class RecordFunctionGuard {
 public:
  /// On, or off.
  explicit RecordFunctionGuard(bool is_enabled = true) : before_(isRecordFunctionEnabled()) {
    enableRecordFunction(is_enabled);
  }
  virtual ~RecordFunctionGuard() { enableRecordFunction(before_); }
  RecordFunctionGuard(const RecordFunctionGuard&) = delete;
  RecordFunctionGuard& operator=(const RecordFunctionGuard&) = delete;

 private:
  bool before_;
};
/// Nothing is recorded within a scope.
class DisableRecordFunctionGuard : public RecordFunctionGuard {
 public:
  DisableRecordFunctionGuard() : RecordFunctionGuard(false) {}
};

}  // namespace torch::taper

#pragma GCC visibility pop
