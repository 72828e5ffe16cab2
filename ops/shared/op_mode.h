// Modes: objects of a program. A mode sees each op that its thread calls and may change the call.
// PyTorch's name is TorchDispatchMode.
//
//   struct Count : OpMode {
//     std::map<std::string, int> calls;
//     void call(const OpInfo& op, OpCall& call) override {
//       ++calls[op.name];
//       call.next();
//     }
//   };
//   Count count;
//   {
//     const OpModeGuard on(count);
//     loss = net->forward(x).sum();
//   }
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include <taper/framework/autograd/autocast.h>

#pragma GCC visibility push(default)

namespace torch::taper {

class Generator;
class IValue;

/// A property of an op that transformations use. An op may have several traits or none.
enum class OpTrait : uint16_t {
  kPointwise = 1,    ///< an element of the result depends on operands at the same index only
  kLinear = 2,       ///< linear in the arguments of OpInfo::linear_in, taken together
  kBilinear = 4,     ///< linear in each argument of OpInfo::linear_in
  kView = 8,         ///< the result shares the memory of the first argument
  kInPlace = 16,     ///< changes its first argument and returns it
  kOut = 32,         ///< stores results in its first arguments
  kRandom = 64,      ///< draws random numbers
  kComposite = 128,  ///< made of public ops, see OpCall::decompose()
  kForward = 256     ///< a second name. Modes see the op that it calls
};

namespace detail {
struct OpCaller;
struct OpType;
struct OpCallAccess;

/// A list of the types of arguments. A type's index in the list is its number.
template <class... T>
struct OpTypes {
  template <class Wanted>
  static constexpr int number_of() {
    int number = 0;
    const bool found = (... || (std::is_same_v<T, Wanted> || (++number, false)));
    return found ? number : -1;
  }
};
using ArgumentTypes =
    OpTypes<Tensor, optional<Tensor>, TensorList, std::vector<optional<Tensor>>, Scalar,
            optional<Scalar>, ArrayRef<Scalar>, int64_t, optional<int64_t>, IntArrayRef,
            OptionalIntArrayRef, double, optional<double>, optional<ArrayRef<double>>, bool,
            optional<bool>, std::string_view, optional<std::string_view>, ScalarType,
            optional<ScalarType>, MemoryFormat, optional<MemoryFormat>, optional<Generator>,
            TensorOptions>;
}  // namespace detail

/// An op's row of the table of ops. Rows live as long as the process.
struct OpInfo {
  const char* name;                ///< the C++ function: "softmax", "linalg_svd", "add_", "add_out"
  const char* schema;              ///< "aten::softmax.int(Tensor self, int dim, ...) -> Tensor"
  uint16_t traits;                 ///< the sum of its OpTraits
  uint16_t linear_in;              ///< one bit per argument of the C++ function
  const detail::OpCaller* caller;  ///< how the library calls `function`
  const void* function;            ///< the C++ function
  void (*call_values)(const OpInfo& op, std::vector<IValue>& stack);  ///< see call_op()
  uint8_t cast_cpu;                                                   ///< autocast's rule on CPUs
  uint8_t cast_cuda;                                                  ///< autocast's rule on GPUs

  /// Returns whether the op has a trait.
  bool is(OpTrait trait) const { return traits & static_cast<uint16_t>(trait); }
  /// Returns the part of the schema before the arguments: "aten::softmax.int". The namespace is
  /// "taper" if PyTorch has no such op.
  std::string_view aten_name() const {
    const std::string_view text = schema;
    return text.substr(0, text.find('('));
  }
};

/// Returns the table of ops, in the order of the names.
const std::vector<const OpInfo*>& all_ops();
/// Calls an op with the values on top of `stack`, one for each argument of the schema. Replaces
/// these values by the op's results. Throws Error for values that do not convert.
inline void call_op(const OpInfo& op, std::vector<IValue>& stack) { op.call_values(op, stack); }

class OpModeGuard;
struct [[gnu::visibility("hidden")]] OpModes;

/// One call of an op, at its door. Arguments have the order of the C++ function. A method's own
/// tensor comes first.
class OpCall {
 public:
  size_t size() const { return arguments_.size(); }  ///< number of arguments
  /// Returns an argument. Throws TypeError if the function's parameter has another type. T is the
  /// parameter's type in the declaration: Tensor, int64_t, IntArrayRef, optional<Tensor>,
  /// TensorList and so on.
  template <class T>
  const T& get(size_t index) const {
    constexpr int number = detail::ArgumentTypes::number_of<T>();
    static_assert(number >= 0, "expected a type of arguments of ops (op_mode.h)");
    return *static_cast<const T*>(typed(index, number));
  }
  /// Returns an argument as a value. An undefined tensor is None. TensorOptions are a tuple of
  /// dtype, layout, device and pin_memory.
  IValue argument(size_t index) const;
  /// Replaces an argument. Throws Error if the value does not convert to the parameter's type. An
  /// op that returns its argument still returns the caller's tensor.
  void set_argument(size_t index, const IValue& value);
  /// Returns all defined tensors of the arguments, including those in lists.
  std::vector<Tensor> tensors() const { return all_tensors(false); }

  /// Calls the op. The mode that was entered before this mode sees the call next. No mode sees the
  /// ops that this op calls. next() may be called at most once.
  void next() { run(false); }
  /// Calls the op's function, so that no mode sees this call again. This mode sees the ops that the
  /// op calls. decompose() may be called at most once.
  void decompose() { run(true); }
  /// Returns whether there is a result.
  bool done() const { return result_ != nullptr; }
  /// Returns the result as a value: a tensor, a list, a number, None, or a tuple of several
  /// results.
  IValue result() const;
  /// Replaces the result, or sets the result of an op that is not called. If an op returns its
  /// arguments, the values are copied into these arguments.
  void set_result(const IValue& value);
  /// Returns all defined tensors of the result.
  std::vector<Tensor> result_tensors() const { return all_tensors(true); }

  OpCall(const OpCall&) = delete;
  OpCall& operator=(const OpCall&) = delete;

 private:
  friend struct OpModes;
  friend struct detail::OpCallAccess;
  static constexpr int kResult = -1;  // in place of the index of an argument
  [[gnu::visibility("hidden")]] OpCall(const OpInfo& op, const void* const* arguments,
                                       OpModeGuard* mode);
  [[gnu::visibility("hidden")]] ~OpCall();
  [[gnu::visibility("hidden")]] void check_index(int index) const;
  const void* typed(size_t index, int type) const;
  [[gnu::visibility("hidden")]] IValue value(int index) const;
  [[gnu::visibility("hidden")]] void set(int index, const IValue& value);
  std::vector<Tensor> all_tensors(bool of_result) const;
  void run(bool in_parts);

  struct Kept;
  const OpInfo& op_;
  OpModeGuard* const mode_;
  std::vector<const void*> arguments_;
  std::vector<Kept> kept_;
  void* result_ = nullptr;
};

/// Sees each call of an op on a thread while the mode is on: of public functions and methods, in
/// all forms, with the program's arguments. A mode does not see ops that are called by another op.
/// It sees the ops of a backward pass that runs on this thread.
class OpMode {
 public:
  virtual ~OpMode() = default;
  /// Is called in place of the op. An implementation calls `call.next()`, or sets a result with
  /// `call.set_result()`. Only modes that were entered before this mode see ops that the
  /// implementation calls. An exception propagates to the caller of the op.
  virtual void call(const OpInfo& op, OpCall& call) = 0;
  /// Called before the program reads the only element of `t` with item(), or with a function that
  /// calls it. Does nothing by default. An exception leaves through item().
  virtual void read(const Tensor& /*t*/) {}
};

/// Turns on a mode for the calling thread until the end of the scope. The last mode entered is the
/// first to see an op. The mode must outlive the guard. Guards end in the reverse order.
class OpModeGuard {
 public:
  /// Turns on `mode`.
  explicit OpModeGuard(OpMode& mode) : mode_(mode), outer_(enter(this)) {}
  ~OpModeGuard() { enter(outer_); }
  OpModeGuard(const OpModeGuard&) = delete;
  OpModeGuard& operator=(const OpModeGuard&) = delete;

 private:
  friend class OpCall;
  friend struct OpModes;
  /// Makes the mode of `first` the first to see an op. Null means no mode. Returns the guard whose
  /// mode was the first before.
  static OpModeGuard* enter(OpModeGuard* first);
  OpMode& mode_;
  OpModeGuard* const outer_;
};

}  // namespace torch::taper

#pragma GCC visibility pop
