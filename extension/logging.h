// Logging as LibTorch's own: lines to stderr by severity, and checks that end the process.
//
// TORCH_CPP_LOG_LEVEL is the least severity that is written: INFO, WARNING (unless set), ERROR,
// FATAL, or a number; VLOG(n) is written where it is -n or less. The macros are in
// <c10/util/Logging.h>.
#pragma once

#include <functional>
#include <sstream>
#include <string>

#include <taper/framework/core/warning.h>

#pragma GCC visibility push(default)

namespace torch::taper {

constexpr int GLOG_INFO = 0;     ///< for whoever looks
constexpr int GLOG_WARNING = 1;  ///< something may be wrong
constexpr int GLOG_ERROR = 2;    ///< something is
constexpr int GLOG_FATAL = 3;    ///< the process cannot go on

/// A line of the log: what is written to stream() goes out when the object dies. A line of severity
/// FATAL then ends the process, or throws Error with the line where it is not to exit.
class MessageLogger {
 public:
  /// A line from there.
  MessageLogger(const SourceLocation& place, int severity, bool exit_on_fatal = true);
  ~MessageLogger() noexcept(false);
  std::ostream& stream() { return text_; }  ///< what the line says

 private:
  std::ostringstream text_;
  int severity_;
  bool exit_on_fatal_;
};
/// Makes a stream and nothing the two sides of ?: in a check.
struct LoggerVoidify {
  void operator&(const std::ostream&) const {}  ///< of lower precedence than <<
};

/// The least severity that is written.
int log_threshold();
/// Sets it, for the process.
void set_log_threshold(int severity);
/// Lines of the log go there, with their severity, in place of stderr; an empty function stands for
/// stderr.
void set_log_handler(std::function<void(int severity, const std::string& line)> handler);

namespace detail {
/// Throws Error, or ends the process, for a null pointer.
void check_not_null(bool is_null, const SourceLocation& place, const char* expression, bool fatal);
}  // namespace detail

/// The pointer `p`, after detail::check_not_null.
template <class T>
T&& CheckNotNull(const SourceLocation& place, const char* expression, T&& p, bool fatal) {
  detail::check_not_null(p == nullptr, place, expression, fatal);
  return static_cast<T&&>(p);
}

}  // namespace torch::taper

#pragma GCC visibility pop
