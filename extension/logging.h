// Logging as in LibTorch: lines to stderr by severity, and checks that end the process.
//
// TORCH_CPP_LOG_LEVEL is the least severity that is written: INFO, WARNING (by default), ERROR,
// FATAL, or a number. VLOG(n) is written if the level is -n or less. The macros are in
// <c10/util/Logging.h>.
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

/// A line of the log. The destructor writes the text of stream(). A line of severity FATAL then
/// ends the process, or, if it must not exit, throws Error with the line.
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
/// Gives both sides of ?: in a check one type.
struct LoggerVoidify {
  void operator&(const std::ostream&) const {}  ///< of lower precedence than <<
};

/// Returns the least severity that is written.
int log_threshold();
/// Sets the least severity, for the process.
void set_log_threshold(int severity);
/// Sends lines of the log to a function, with their severity, instead of stderr. An empty function
/// restores stderr.
void set_log_handler(std::function<void(int severity, const std::string& line)> handler);

namespace detail {
/// Throws Error, or ends the process, for a null pointer.
void check_not_null(bool is_null, const SourceLocation& place, const char* expression, bool fatal);
}  // namespace detail

/// Returns the pointer `p`, after detail::check_not_null.
template <class T>
T&& CheckNotNull(const SourceLocation& place, const char* expression, T&& p, bool fatal) {
  detail::check_not_null(p == nullptr, place, expression, fatal);
  return static_cast<T&&>(p);
}

}  // namespace torch::taper

#pragma GCC visibility pop
