// Sums over the events with one name, and a table of these sums.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <taper/utils/profiler/event.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils::profiler {

/// The sums over all events with one name. A number of bytes is the allocated bytes minus the
/// released bytes.
struct KeyAverage {
  std::string name;         ///< name of the events
  std::string shapes;       ///< sizes of the inputs, "[[2, 3], []]", if events are grouped by sizes
  int64_t count = 0;        ///< number of events
  int64_t self_cpu_ns = 0;  ///< without nested events
  int64_t cpu_ns = 0;       ///< with nested events
  int64_t self_device_ns = 0;  ///< on devices, without nested events
  int64_t device_ns = 0;       ///< on devices, with nested events
  int64_t self_bytes = 0;      ///< without nested events
  int64_t bytes = 0;           ///< with nested events
};

/// The sums of all events, by name and optionally by sizes.
class KeyAverages {
 public:
  /// Sums a profile's events.
  KeyAverages(const std::vector<Event>& events, bool group_by_input_shape);

  /// Returns the entries. The first one has the greatest self CPU time.
  const std::vector<KeyAverage>& entries() const { return entries_; }
  /// Returns an iterator to the first entry.
  const KeyAverage* begin() const { return entries_.data(); }
  /// Returns an iterator past the last entry.
  const KeyAverage* end() const { return entries_.data() + entries_.size(); }
  /// Returns the number of entries.
  size_t size() const { return entries_.size(); }
  /// Returns the sum of self CPU times.
  int64_t self_cpu_ns() const { return self_cpu_ns_; }

  /// Returns a table of at most `row_limit` entries, in the format of PyTorch's Python profiler.
  /// `sort_by` is "cpu_time_total", "cpu_time" (the mean of a call), "self_cpu_time_total",
  /// "cuda_time_total", "self_cuda_time_total", "cpu_memory_usage", "self_cpu_memory_usage" or
  /// "count". "" sorts by self CPU time. Throws ValueError for another text.
  std::string table(const std::string& sort_by = "", size_t row_limit = 100) const;

 private:
  std::vector<KeyAverage> entries_;
  int64_t self_cpu_ns_ = 0, self_device_ns_ = 0;
  bool with_shapes_, with_devices_ = false, with_memory_ = false;
};

/// Prints the table of the averages.
std::ostream& operator<<(std::ostream& out, const KeyAverages& averages);

}  // namespace torch::taper::utils::profiler

#pragma GCC visibility pop
