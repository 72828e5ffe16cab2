// Warnings: messages about a program's behaviour that are no errors. The handler of the calling
// thread receives each warning. The default handler writes to stderr. A program can set another
// handler:
//
//   struct Texts : WarningHandler {
//     void process(const Warning& w) override { texts.push_back(w.msg()); }
//     std::vector<std::string> texts;
//   } collected;
//   WarningUtils::WarningHandlerGuard guard(&collected);
#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <variant>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// A position in a source file: the values of __func__, __FILE__ and __LINE__ there.
struct SourceLocation {
  const char* function;  ///< value of __func__
  const char* file;      ///< path as the compiler got it
  uint32_t line;         ///< counted from 1
};
/// Prints "main at program.cpp:12".
std::ostream& operator<<(std::ostream& out, const SourceLocation& place);

class WarningHandler;

/// Settings for warnings. The handler belongs to the calling thread, and the program keeps it
/// alive.
namespace WarningUtils {

/// Set and get the calling thread's handler. Null restores the handler that writes to stderr. The
/// getter never returns null. The program keeps its handler alive while it is set.
///@{
void set_warning_handler(WarningHandler* handler) noexcept;
WarningHandler* get_warning_handler() noexcept;
///@}
/// Set and get whether a warning that is normally issued once per process is issued each time. The
/// setting holds for all threads and is false by default. Tests use it.
///@{
void set_warnAlways(bool always) noexcept;
bool get_warnAlways() noexcept;
///@}

/// Sets a handler until the end of the scope.
class WarningHandlerGuard {
 public:
  /// Sets the calling thread's handler. Null means the one that writes to stderr. The end of the
  /// scope restores the previous handler, and must be in the same thread.
  explicit WarningHandlerGuard(WarningHandler* handler) : before_(get_warning_handler()) {
    set_warning_handler(handler);
  }
  ~WarningHandlerGuard() { set_warning_handler(before_); }
  WarningHandlerGuard(const WarningHandlerGuard&) = delete;
  WarningHandlerGuard& operator=(const WarningHandlerGuard&) = delete;

 private:
  WarningHandler* before_;
};

/// Changes the setting of set_warnAlways() until the end of the scope.
struct WarnAlways {
  /// The end of the scope restores the previous value.
  explicit WarnAlways(bool always = true) : before_(get_warnAlways()) { set_warnAlways(always); }
  ~WarnAlways() { set_warnAlways(before_); }
  WarnAlways(const WarnAlways&) = delete;
  WarnAlways& operator=(const WarnAlways&) = delete;

 private:
  bool before_;
};

}  // namespace WarningUtils

/// A warning. LibTorch 1.13 has a namespace of this name, so the class also has the functions of
/// that namespace: `c10::Warning::set_warning_handler(&mine)`.
class Warning {
 public:
  /// The kind of a warning about a program's behaviour. TORCH_WARN issues this kind.
  class UserWarning {};
  /// The kind of a warning about a deprecated name.
  class DeprecationWarning {};
  /// The kind of a warning.
  using warning_variant_t = std::variant<UserWarning, DeprecationWarning>;

  /// Makes a warning without issuing it. taper::warn() issues it. The handler gets `verbatim`.
  Warning(warning_variant_t type, const SourceLocation& place, std::string text, bool verbatim)
      : type_(type), place_(place), text_(std::move(text)), verbatim_(verbatim) {}

  /// Returns the kind, UserWarning by default.
  warning_variant_t type() const { return type_; }
  /// Returns the place that issued the warning.
  const SourceLocation& source_location() const { return place_; }
  /// Returns the text, without place or kind.
  const std::string& msg() const { return text_; }
  /// Returns whether a handler should show only the text, without its place.
  bool verbatim() const { return verbatim_; }

  /// The names of WarningUtils, as in LibTorch 1.13's namespace Warning.
  ///@{
  using WarningHandlerGuard = WarningUtils::WarningHandlerGuard;
  using WarnAlways = WarningUtils::WarnAlways;
  static void set_warning_handler(WarningHandler* h) noexcept {
    WarningUtils::set_warning_handler(h);
  }
  static WarningHandler* get_warning_handler() noexcept {
    return WarningUtils::get_warning_handler();
  }
  static void set_warnAlways(bool always) noexcept { WarningUtils::set_warnAlways(always); }
  static bool get_warnAlways() noexcept { return WarningUtils::get_warnAlways(); }
  ///@}
  /// Passes a UserWarning with these parts to the calling thread's handler.
  static void warn(const SourceLocation& place, const std::string& text, bool verbatim);

 private:
  warning_variant_t type_;
  SourceLocation place_;
  std::string text_;
  bool verbatim_;
};
/// LibTorch's short names for the kinds of a Warning.
///@{
using UserWarning = Warning::UserWarning;
using DeprecationWarning = Warning::DeprecationWarning;
///@}

/// Passes a warning to the calling thread's handler.
void warn(const Warning& warning);

/// Receives the warnings of each thread whose handler it is. A program overrides one of the two
/// functions: the first as in LibTorch 2, the second as in LibTorch 1.13.
class WarningHandler {
 public:
  virtual ~WarningHandler();
  /// Receives a warning. By default it passes the parts to the other overload.
  virtual void process(const Warning& warning);
  /// Receives a warning's parts. By default it writes "[W program.cpp:12] Warning: text (function
  /// main)" to stderr.
  virtual void process(const SourceLocation& place, const std::string& text, bool verbatim);
};

namespace detail {
/// Returns whether a warning that is given once must be issued now. This is so at the first call
/// with `given`, and at each call after set_warnAlways(true).
bool is_first(std::atomic<bool>& given);
/// Issues a warning. `place` defaults to the place of the call.
void warn_user(const std::string& text,
               const SourceLocation& place = {__builtin_FUNCTION(), __builtin_FILE(),
                                              static_cast<uint32_t>(__builtin_LINE())});
/// Issues a warning with the text that text() returns. Each lambda `text` warns once per process,
/// or at each call after set_warnAlways(true).
template <class Text>
void warn_once(const Text& text,
               const SourceLocation& place = {__builtin_FUNCTION(), __builtin_FILE(),
                                              static_cast<uint32_t>(__builtin_LINE())}) {
  static std::atomic<bool> given{false};
  if (is_first(given)) warn_user(text(), place);
}
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
