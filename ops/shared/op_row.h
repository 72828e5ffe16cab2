// What a row of the table of ops says of the op's C++ function: how it is called with arguments
// behind pointers, and how these become values. Not installed.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/io/ivalue.h>
#include <taper/ops/shared/op_mode.h>

namespace torch::taper::detail {

/// The cast of an op's floating inputs. f64 is never cast.
enum class CastTo : uint8_t {
  kAsIs,       // no cast, here or in the ops that it calls
  kParts,      // the ops that it calls are cast
  kLower,      // the dtype of autocast
  kFloat,      // f32
  kWide,       // f32, but an op whose first tensor has 16 bits widens by itself
  kSumFloat,   // no cast, but the result is f32 unless the caller gives a dtype
  kWidest,     // f32 if one of them is f32, else the dtype of autocast
  kForbidden,  // Error
};

/// What autocast does with an argument of a type.
enum class CastAs : uint8_t { kNothing, kTensor, kOptionalTensor, kTensors, kDtype };

/// A type of arguments or results.
struct OpType {
  int number;  ///< in ArgumentTypes
  CastAs cast;
  /// Returns the value as an IValue.
  IValue (*box)(const void* value);
  /// Returns a new value. Throws Error if the IValue does not convert.
  void* (*unbox)(const IValue& value);
  void (*destroy)(void* value);
  /// Appends the defined tensors.
  void (*tensors)(const void* value, std::vector<Tensor>& all);
};

/// The signature of an op's function.
struct OpCaller {
  const OpType* const* types;  ///< of the arguments
  const OpType* result;        ///< null if it returns its first arguments, or nothing
  uint8_t size;                ///< number of arguments
  uint8_t returned;            ///< number of arguments that it returns
  /// Calls the function. Returns the result on the heap, or a pointer to nothing.
  void* (*call)(const void* function, const void* const* arguments);
};

/// What a mode of the library itself may do with a call.
struct OpCallAccess {
  /// Returns the addresses of the arguments.
  static const std::vector<const void*>& arguments(const OpCall& call) { return call.arguments_; }
  /// Declares that the op, which returns its arguments or nothing, has been done.
  static void finish(OpCall& call) { call.result_ = &call; }
};

}  // namespace torch::taper::detail
