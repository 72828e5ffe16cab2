#include "progress.h"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace mnist {
namespace {

constexpr int kBar = 24;
constexpr int kLines = 4;

std::string clock_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  char text[32];
  if (s >= 3600)
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  else
    std::snprintf(text, sizeof text, "%ld:%02ld", s / 60, s % 60);
  return text;
}

}  // namespace

Progress::Progress(int epoch, int epochs, int64_t first, int64_t total)
    : epoch_(epoch),
      epochs_(epochs),
      first_(first),
      total_(total),
      terminal_(::isatty(STDOUT_FILENO) != 0),
      start_(Clock::now()),
      next_line_(first + (total - first) / kLines) {}

Progress::~Progress() {
  if (on_line_) std::printf("\n");
  std::fflush(stdout);
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool Progress::due(int64_t done) {
  if (!terminal_) return done >= next_line_ || done == total_;
  return done == total_ || Clock::now() - printed_ > std::chrono::milliseconds(100);
}

void Progress::print(int64_t done, double loss) {
  const double rate = static_cast<double>(done - first_) / (seconds() + 1e-9);
  const std::string left = clock_text(static_cast<double>(total_ - done) / (rate + 1e-9));
  const double part = static_cast<double>(done) / static_cast<double>(total_);
  if (terminal_) {
    std::string bar(static_cast<size_t>(part * kBar), '=');
    if (bar.size() < kBar) bar += '>';
    bar.resize(kBar, ' ');
    std::printf("\repoch %d/%d [%s] %3.0f%%  loss %.4f  %.0f images/s  %s left ", epoch_, epochs_,
                bar.c_str(), 100 * part, loss, rate, left.c_str());
    printed_ = Clock::now();
    on_line_ = true;
  } else {
    std::printf("epoch %d/%d  %lld/%lld  loss %.4f  %.0f images/s  %s left\n", epoch_, epochs_,
                static_cast<long long>(done), static_cast<long long>(total_), loss, rate,
                left.c_str());
    while (next_line_ <= done) next_line_ += (total_ - first_) / kLines + 1;
  }
  std::fflush(stdout);
}

}  // namespace mnist
