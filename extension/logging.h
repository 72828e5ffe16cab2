// Logging as in LibTorch: writes lines of a severity to stderr. Failed checks end the process.
//
// The environment variable TORCH_CPP_LOG_LEVEL sets the lowest severity that is written: INFO,
// WARNING (default), ERROR, FATAL, or a number. A line of VLOG(n) is written if this number is at
// most -n. The macros are in <c10/util/Logging.h>.
#pragma once

#include <functional>
#include <sstream>
#include <string>

#include <taper/framework/core/warning.h>

#pragma GCC visibility push(default)

namespace torch::taper {

constexpr int GLOG_INFO = 0;     ///< information
constexpr int GLOG_WARNING = 1;  ///< something may be wrong
constexpr int GLOG_ERROR = 2;    ///< something is wrong
constexpr int GLOG_FATAL = 3;    ///< the process cannot continue

/// A line of the log. The destructor writes the text of stream(). With severity FATAL, the
/// destructor then ends the process, or throws Error with the line if `exit_on_fatal` is false.
class MessageLogger {
 public:
  /// Begins a line that names `place` as its source.
  MessageLogger(const SourceLocation& place, int severity, bool exit_on_fatal = true);
  ~MessageLogger() noexcept(false);
  std::ostream& stream() { return text_; }  ///< text of the line

 private:
  std::ostringstream text_;
  int severity_;
  bool exit_on_fatal_;
};
/// Converts a stream to void, so that both operands of ?: in a check have the type void.
struct LoggerVoidify {
  void operator&(const std::ostream&) const {}  ///< evaluated after <<, which binds tighter
};

/// Returns the lowest severity that is written.
int log_threshold();
/// Sets the lowest severity that is written, for the whole process.
void set_log_threshold(int severity);
/// Passes each line of the log, with its severity, to `handler` instead of stderr. An empty
/// function restores stderr.
void set_log_handler(std::function<void(int severity, const std::string& line)> handler);

namespace detail {
/// If `is_null`, ends the process (if `fatal`) or throws Error. Otherwise does nothing.
void check_not_null(bool is_null, const SourceLocation& place, const char* expression, bool fatal);
}  // namespace detail

/// Calls detail::check_not_null and returns the pointer `p`.
template <class T>
T&& CheckNotNull(const SourceLocation& place, const char* expression, T&& p, bool fatal) {
  detail::check_not_null(p == nullptr, place, expression, fatal);
  return static_cast<T&&>(p);
}

}  // namespace torch::taper

#pragma GCC visibility pop
