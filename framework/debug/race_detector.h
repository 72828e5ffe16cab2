// The race detector: finds memory that two streams, or a stream and the host, use without
// synchronization, whatever their order in this run. See docs/devices.md.
//
// TAPER_RACE_DETECTOR=1 in the environment turns it on and prints each race once to stderr. With
// TAPER_RACE_DETECTOR=throw the racing op throws Error instead of running.
#pragma once

#include <string>
#include <vector>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// One of the two uses of memory in a race.
struct RaceAccess {
  /// The name of the kernel, or "copy".
  std::string op;
  /// The stream, such as "the default stream of cuda:0" or "stream 3 of cuda:1", or "the host".
  std::string stream;
  bool writes = false;  ///< whether it writes the memory
  /// The program's lines that called the op, innermost first: "function at file.cpp:12".
  std::vector<std::string> where;
};

/// One race: two unsynchronized uses of the same bytes. At least one of the uses writes them.
struct RaceReport {
  /// The two uses, in the order in which the host queued them.
  ///@{
  RaceAccess first, second;
  ///@}
  /// Whether the tensor of the first use was freed, and its memory reused, before the second use.
  bool reused = false;
  /// A full description of the race, with a remedy.
  std::string text;
};

/// Turns the detector on or off for all threads. The detector ignores work that was queued before
/// this call. With `throws`, an op that races throws Error and is not queued. No other thread may
/// use a device during this call. Without CUDA devices, the detector watches nothing.
void enable_race_detector(bool enabled = true, bool throws = false);
/// Returns whether the detector is on.
bool race_detector_enabled();
/// Returns the races found so far. Of several races between the same two lines of the program, only
/// the first is reported.
std::vector<RaceReport> race_reports();
/// Drops the races found so far, so that race_reports() is empty.
void clear_race_reports();

/// Turns the detector on until the end of the scope, without reports at first. At the end of the
/// scope, the detector returns to its previous state. It then ignores work that was queued in the
/// scope.
class RaceDetectorGuard {
 public:
  /// `throws` has the meaning of enable_race_detector.
  explicit RaceDetectorGuard(bool throws = false);
  ~RaceDetectorGuard();
  RaceDetectorGuard(const RaceDetectorGuard&) = delete;
  RaceDetectorGuard& operator=(const RaceDetectorGuard&) = delete;

 private:
  bool enabled_before_, threw_before_;
  std::vector<RaceReport> reports_before_;
};

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
