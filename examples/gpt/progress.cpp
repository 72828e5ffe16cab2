#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace gpt {

Progress::Progress(int64_t first, int64_t total, int64_t tokens_of_step)
    : first_(first),
      total_(total),
      tokens_of_step_(tokens_of_step),
      terminal_(::isatty(STDOUT_FILENO) != 0),
      start_(Clock::now()) {}

Progress::~Progress() {
  if (on_line_) std::printf("\n");
  std::fflush(stdout);
}

bool Progress::due(int64_t done) const {
  if (done == total_) return true;
  if (terminal_) return Clock::now() - printed_ > std::chrono::milliseconds(200);
  return done % std::max<int64_t>(1, total_ / 10) == 0;
}

void Progress::print(int64_t done, double loss) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count() + 1e-9;
  const double rate = static_cast<double>(done - first_) / seconds;
  const auto left = static_cast<long>(static_cast<double>(total_ - done) / rate + 0.5);
  std::printf("%sstep %lld/%lld  loss %.4f  %.0f tokens/s  %ld:%02ld left%s", terminal_ ? "\r" : "",
              static_cast<long long>(done), static_cast<long long>(total_), loss,
              rate * static_cast<double>(tokens_of_step_), left / 60, left % 60,
              terminal_ ? " " : "\n");
  std::fflush(stdout);
  printed_ = Clock::now();
  on_line_ = terminal_;
}

}  // namespace gpt
