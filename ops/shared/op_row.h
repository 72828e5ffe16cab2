// The contents of a row of the table of ops. A row tells how the op's C++ function is called with
// pointers to arguments, and how arguments convert to IValues. Not installed.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/io/ivalue.h>
#include <taper/ops/shared/op_mode.h>

namespace torch::taper::detail {

/// Autocast's rule for an op: the dtype that floating inputs are cast to. f64 is never cast.
enum class CastTo : uint8_t {
  kAsIs,       // no cast, neither of its inputs nor in the ops that it calls
  kParts,      // the ops that it calls are cast
  kLower,      // the dtype of autocast
  kFloat,      // f32
  kWide,       // f32, but the op itself widens a first tensor of 16 bits
  kSumFloat,   // no cast, but the result is f32 unless the caller gives a dtype
  kWidest,     // f32 if an input is f32, else the dtype of autocast
  kForbidden,  // throws Error
};

/// How autocast casts an argument, by the argument's type.
enum class CastAs : uint8_t { kNothing, kTensor, kOptionalTensor, kTensors, kDtype };

/// Describes a type of arguments or results.
struct OpType {
  int number;  ///< in ArgumentTypes
  CastAs cast;
  /// Returns the value as an IValue.
  IValue (*box)(const void* value);
  /// Returns a new value. Throws Error if the IValue does not convert.
  void* (*unbox)(const IValue& value);
  void (*destroy)(void* value);
  /// Appends the defined tensors in the value to `all`.
  void (*tensors)(const void* value, std::vector<Tensor>& all);
};

/// The signature of an op's function.
struct OpCaller {
  const OpType* const* types;  ///< types of the arguments
  const OpType* result;        ///< null if it returns nothing or its first arguments
  uint8_t size;                ///< number of arguments
  uint8_t returned;            ///< number of arguments that it returns
  /// Calls the function. Returns the result on the heap, or null if there is none.
  void* (*call)(const void* function, const void* const* arguments);
};

/// Gives modes of the library access to private members of OpCall.
struct OpCallAccess {
  /// Returns the addresses of the arguments.
  static const std::vector<const void*>& arguments(const OpCall& call) { return call.arguments_; }
  /// Marks a call as done, without calling the op. Only for ops that return their arguments or
  /// nothing.
  static void finish(OpCall& call) { call.result_ = &call; }
};

}  // namespace torch::taper::detail
