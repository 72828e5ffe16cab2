// The bytes of tensors over time, by purpose.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <taper/framework/core/tensor.h>
#include <taper/utils/profiler/event.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils::profiler {

/// The purpose of a tensor's memory, as inferred from its lifetime.
enum class MemoryCategory {
  kParameter,       ///< named by the caller
  kOptimizerState,  ///< allocated in a step of an optimizer, and still alive after the step
  kGradient,        ///< allocated in a backward pass, and still alive after the pass
  kActivation,      ///< allocated elsewhere, and alive when a backward pass began
  kInput,           ///< allocated while waiting for a batch
  kTemporary        ///< all other memory
};
constexpr size_t kMemoryCategories = 6;  ///< the number of values of MemoryCategory
/// Returns "parameter", "optimizer state", "gradient", "activation", "input", "temporary".
const char* to_string(MemoryCategory category);

/// The bytes of each category of memory over time. There is an entry for each change.
struct MemoryTimeline {
  using Bytes = std::array<int64_t, kMemoryCategories>;  ///< the bytes in each MemoryCategory
  std::vector<int64_t> time_ns;  ///< time of each change, in nanoseconds since the profile's start
  std::vector<Bytes> bytes;      ///< bytes after each change

  MemoryTimeline() = default;
  /// Computes the timeline. Parameters and gradients that were allocated before the recording are
  /// included from its start. Other memory that was allocated before is not included.
  MemoryTimeline(const std::vector<Event>& events, const std::vector<MemoryEvent>& memory,
                 const std::vector<Tensor>& parameters);

  /// Returns the largest number of bytes in use at one time.
  int64_t peak_bytes() const;
  /// Returns the bytes of each category at the time of peak_bytes().
  Bytes at_peak() const;
  /// Writes the timeline to the file `path`. With the extension .json, it writes numbers. With
  /// .svg, it writes a picture of stacked areas. Throws ValueError for another extension, and Error
  /// if the file cannot be written.
  void save(const std::string& path) const;
};

}  // namespace torch::taper::utils::profiler

#pragma GCC visibility pop
