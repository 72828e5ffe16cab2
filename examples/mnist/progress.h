// Progress of an epoch: a bar on a terminal, a few plain lines elsewhere.
#pragma once

#include <chrono>
#include <cstdint>

namespace mnist {

class Progress {
 public:
  /// `first` of `total` images are done already (a resumed epoch).
  Progress(int epoch, int epochs, int64_t first, int64_t total);
  /// Leaves the line of the bar.
  ~Progress();
  /// After a batch: images done so far, and the mean loss of the epoch. `loss` is asked for only
  /// when something is printed.
  template <class Loss>
  void update(int64_t done, Loss&& loss) {
    if (due(done)) print(done, loss());
  }
  double seconds() const;

 private:
  bool due(int64_t done);
  void print(int64_t done, double loss);
  using Clock = std::chrono::steady_clock;

  const int epoch_, epochs_;
  const int64_t first_, total_;
  const bool terminal_;
  const Clock::time_point start_;
  Clock::time_point printed_;
  int64_t next_line_;
  bool on_line_ = false;
};

}  // namespace mnist
