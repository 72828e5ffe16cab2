// The bytes of tensors over time, by what they are for.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <taper/framework/core/tensor.h>
#include <taper/utils/profiler/event.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils::profiler {

/// What a tensor's memory is for, as far as its life tells.
enum class MemoryCategory {
  kParameter,       ///< named by the caller
  kOptimizerState,  ///< came in a step of an optimizer, and outlived it
  kGradient,        ///< came in a backward pass, and outlived it
  kActivation,      ///< came elsewhere, and lived when a backward pass began
  kInput,           ///< came in the wait for a batch
  kTemporary        ///< all else
};
constexpr size_t kMemoryCategories = 6;
/// "parameter", "optimizer state", "gradient", "activation", "input", "temporary".
const char* to_string(MemoryCategory category);

/// After each change: when, and the bytes of each category.
struct MemoryTimeline {
  using Bytes = std::array<int64_t, kMemoryCategories>;  ///< by MemoryCategory
  std::vector<int64_t> time_ns;                          ///< since the start
  std::vector<Bytes> bytes;                              ///< at each of these times

  MemoryTimeline() = default;
  /// Parameters and gradients that were there before the recording count from its start; of other
  /// memory of before nothing is known.
  MemoryTimeline(const std::vector<Event>& events, const std::vector<MemoryEvent>& memory,
                 const std::vector<Tensor>& parameters);

  /// The most bytes in use at once, and of each category then.
  int64_t peak_bytes() const;
  /// See peak_bytes().
  Bytes at_peak() const;
  /// Writes it to PATH.json, as numbers, or to PATH.svg, as a picture of stacked areas. Throws
  /// ValueError for another ending, Error when the file cannot be written.
  void save(const std::string& path) const;
};

}  // namespace torch::taper::utils::profiler

#pragma GCC visibility pop
