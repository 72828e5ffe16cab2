// Progress: shows the progress of a long loop, as a bar on a terminal, and as a few lines in other
// outputs.
//
//   utils::Progress progress("epoch 1/3", 60000, utils::ProgressOptions().unit("images"));
//   for (auto& batch : *loader) {
//     ...
//     progress.update(done += batch.data.size(0), [&] { return loss.item<double>(); });
//   }
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>
#include <utility>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/check.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils {

/// Options of Progress.
struct ProgressOptions {
  /// A stream of the C library.
  using File = std::FILE*;
  /// The unit that is counted, in plural.
  TAPER_ARG(std::string, unit) = "samples";
  /// Number of units that were done before the start. The rate does not count them.
  TAPER_ARG(int64_t, first) = 0;
  /// Number of lines to print if the output is not a terminal.
  TAPER_ARG(int64_t, lines) = 4;
  /// The output stream. Progress does not close it.
  TAPER_ARG(File, out) = stdout;
};

/// Shows the finished part of a loop, a loss, the rate and the time left. The destructor ends the
/// last line. Throws ValueError for a negative total or fewer than one line.
class Progress {
 public:
  /// `title` begins the line. `total` is the final number of units.
  Progress(std::string title, int64_t total, ProgressOptions options = {})
      : title_(std::move(title)),
        total_(total),
        options_(std::move(options)),
        terminal_(::isatty(::fileno(options_.out())) != 0),
        next_line_(options_.first() +
                   (total - options_.first()) / std::max<int64_t>(options_.lines(), 1)) {
    TAPER_CHECK_VALUE(total >= 0, "Progress: expected a total of at least 0, got ", total);
    TAPER_CHECK_VALUE(options_.lines() > 0, "Progress: expected at least 1 line, got ",
                      options_.lines());
  }
  ~Progress() {
    if (on_line_) std::fputc('\n', options_.out());
    std::fflush(options_.out());
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows progress after a step. `done` is the number of finished units. `loss` returns the loss.
  /// `loss` is called only if a line is printed, because it may wait for a device.
  template <class Loss>
  void update(int64_t done, Loss&& loss) {
    if (is_due(done)) print(done, loss());
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool is_due(int64_t done) const {
    if (!terminal_) return done >= next_line_ || done == total_;
    return done == total_ || Clock::now() - printed_ > std::chrono::milliseconds(100);
  }

  void print(int64_t done, double loss) {
    constexpr double kTiny = 1e-9;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double rate = static_cast<double>(done - options_.first()) / (seconds + kTiny);
    char numbers[128];
    std::snprintf(numbers, sizeof numbers, "  loss %.4f  %.0f ", loss, rate);
    const std::string rest = numbers + options_.unit() + "/s  " +
                             clock_text(static_cast<double>(total_ - done) / (rate + kTiny)) +
                             " left";
    if (terminal_) {
      // Erases the rest of a longer previous line.
      std::fprintf(options_.out(), "\r%s %s%s\033[K", title_.c_str(), bar(done).c_str(),
                   rest.c_str());
      printed_ = Clock::now();
      on_line_ = true;
    } else {
      std::fprintf(options_.out(), "%s  %lld/%lld%s\n", title_.c_str(),
                   static_cast<long long>(done), static_cast<long long>(total_), rest.c_str());
      while (next_line_ <= done) next_line_ += (total_ - options_.first()) / options_.lines() + 1;
    }
    std::fflush(options_.out());
  }

  std::string bar(int64_t done) const {
    constexpr size_t kWidth = 24;
    const double part = total_ > 0 ? static_cast<double>(done) / static_cast<double>(total_) : 1;
    std::string bar(static_cast<size_t>(std::min(part, 1.0) * kWidth), '=');
    if (bar.size() < kWidth) bar += '>';
    bar.resize(kWidth, ' ');
    char percent[16];
    std::snprintf(percent, sizeof percent, "] %3.0f%%", 100 * part);
    return '[' + bar + percent;
  }

  static std::string clock_text(double seconds) {
    const auto s = static_cast<long long>(seconds + 0.5);
    char text[64];
    if (s >= 3600)
      std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    else
      std::snprintf(text, sizeof text, "%lld:%02lld", s / 60, s % 60);
    return text;
  }

  const std::string title_;
  const int64_t total_;
  const ProgressOptions options_;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point printed_;
  int64_t next_line_;
  bool on_line_ = false;
};

}  // namespace torch::taper::utils

#pragma GCC visibility pop
