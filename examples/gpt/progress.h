// Progress of a run: a line that is written over on a terminal, some plain lines elsewhere.
#pragma once

#include <chrono>
#include <cstdint>

namespace gpt {

class Progress {
 public:
  /// `first` of `total` steps are done already (a resumed run).
  Progress(int64_t first, int64_t total, int64_t tokens_of_step);
  /// Leaves the line.
  ~Progress();
  /// After a step. `loss` is asked for only when something is printed.
  template <class Loss>
  void update(int64_t done, Loss&& loss) {
    if (due(done)) print(done, loss());
  }

 private:
  bool due(int64_t done) const;
  void print(int64_t done, double loss);
  using Clock = std::chrono::steady_clock;

  const int64_t first_, total_, tokens_of_step_;
  const bool terminal_;
  const Clock::time_point start_;
  Clock::time_point printed_;
  bool on_line_ = false;
};

}  // namespace gpt
