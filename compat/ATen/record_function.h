// LibTorch's macros that record a range of a profile. The range ends at the end of the enclosing
// block.
#pragma once

#include <taper/extension/record_function.h>
#include <torch/torch.h>

#define RECORD_FUNCTION_WITH_SCOPE(scope, fn, inputs, ...) \
  at::RecordFunction guard(scope);                         \
  if (guard.isActive()) guard.before(fn, inputs, ##__VA_ARGS__)
#define RECORD_FUNCTION_WITH_SCOPE_INPUTS_OUTPUTS(scope, fn, inputs, outputs, ...) \
  RECORD_FUNCTION_WITH_SCOPE(scope, fn, inputs, ##__VA_ARGS__);                    \
  if (guard.needsOutputs()) guard.setOutputs(outputs)

#define RECORD_FUNCTION(fn, inputs, ...) \
  RECORD_FUNCTION_WITH_SCOPE(at::RecordScope::FUNCTION, fn, inputs, ##__VA_ARGS__)
#define RECORD_FUNCTION_WITH_INPUTS_OUTPUTS(fn, inputs, outputs, ...)                       \
  RECORD_FUNCTION_WITH_SCOPE_INPUTS_OUTPUTS(at::RecordScope::FUNCTION, fn, inputs, outputs, \
                                            ##__VA_ARGS__)
#define RECORD_TORCHSCRIPT_FUNCTION(fn, inputs) \
  RECORD_FUNCTION_WITH_SCOPE(at::RecordScope::TORCHSCRIPT_FUNCTION, fn, inputs)
#define RECORD_USER_SCOPE(fn) \
  RECORD_FUNCTION_WITH_SCOPE(at::RecordScope::USER_SCOPE, fn, std::vector<c10::IValue>())
#define RECORD_USER_SCOPE_WITH_INPUTS(fn, inputs) \
  RECORD_FUNCTION_WITH_SCOPE(at::RecordScope::USER_SCOPE, fn, inputs)
#define RECORD_OUTPUTS(outputs) \
  if (guard.needsOutputs())     \
  guard.setOutputs(std::vector<c10::IValue>(outputs.begin(), outputs.end()))
