// Warnings: what a program should know and what is no error. Each goes to the handler of the
// calling thread, which writes it to stderr until the program sets its own:
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

/// A place in a source: what __func__, __FILE__ and __LINE__ say there.
struct SourceLocation {
  const char* function;  ///< as __func__ has it
  const char* file;      ///< path as the compiler got it
  uint32_t line;         ///< counted from 1
};
/// "main at program.cpp:12".
std::ostream& operator<<(std::ostream& out, const SourceLocation& place);

class WarningHandler;

/// What programs set. The handler belongs to the calling thread; the program keeps it alive.
namespace WarningUtils {

/// The calling thread's handler. To set null brings back the one that writes to stderr; what is got
/// is never null. The program keeps its handler alive while it is set.
///@{
void set_warning_handler(WarningHandler* handler) noexcept;
WarningHandler* get_warning_handler() noexcept;
///@}
/// Whether a warning that comes once in a process comes each time; for tests, in all threads. False
/// at first.
///@{
void set_warnAlways(bool always) noexcept;
bool get_warnAlways() noexcept;
///@}

/// A handler for a scope.
class WarningHandlerGuard {
 public:
  /// Sets the calling thread's handler; null is the one that writes to stderr. The end of the scope
  /// sets the one before, and must be in the same thread.
  explicit WarningHandlerGuard(WarningHandler* handler) : before_(get_warning_handler()) {
    set_warning_handler(handler);
  }
  ~WarningHandlerGuard() { set_warning_handler(before_); }
  WarningHandlerGuard(const WarningHandlerGuard&) = delete;
  WarningHandlerGuard& operator=(const WarningHandlerGuard&) = delete;

 private:
  WarningHandler* before_;
};

/// set_warnAlways for a scope.
struct WarnAlways {
  /// The end of the scope sets what was before.
  explicit WarnAlways(bool always = true) : before_(get_warnAlways()) { set_warnAlways(always); }
  ~WarnAlways() { set_warnAlways(before_); }
  WarnAlways(const WarnAlways&) = delete;
  WarnAlways& operator=(const WarnAlways&) = delete;

 private:
  bool before_;
};

}  // namespace WarningUtils

/// A warning. As LibTorch 1.13 has a namespace of this name, what programs set is found here too:
/// `c10::Warning::set_warning_handler(&mine)`.
class Warning {
 public:
  /// The kind of a warning about what a program does: that of TORCH_WARN.
  class UserWarning {};
  /// The kind of a warning about a name that should not be used any more.
  class DeprecationWarning {};
  /// The kind of a warning.
  using warning_variant_t = std::variant<UserWarning, DeprecationWarning>;

  /// Makes a warning and gives it to nobody: taper::warn() does. `verbatim` is told to the handler.
  Warning(warning_variant_t type, const SourceLocation& place, std::string text, bool verbatim)
      : type_(type), place_(place), text_(std::move(text)), verbatim_(verbatim) {}

  /// A UserWarning unless the program made another one.
  warning_variant_t type() const { return type_; }
  /// Where the warning was given.
  const SourceLocation& source_location() const { return place_; }
  /// The text, without place or kind.
  const std::string& msg() const { return text_; }
  /// Whether a handler should show the text as it is, with nothing about its place.
  bool verbatim() const { return verbatim_; }

  /// The names of WarningUtils, as LibTorch 1.13 has them: in a namespace Warning.
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
  /// Hands a UserWarning with these parts to the calling thread's handler.
  static void warn(const SourceLocation& place, const std::string& text, bool verbatim);

 private:
  warning_variant_t type_;
  SourceLocation place_;
  std::string text_;
  bool verbatim_;
};
/// The kinds of a Warning, by the short names that LibTorch has, too.
///@{
using UserWarning = Warning::UserWarning;
using DeprecationWarning = Warning::DeprecationWarning;
///@}

/// Hands a warning to the calling thread's handler.
void warn(const Warning& warning);

/// Gets the warnings of the threads that it is set in. A program overrides one of the two
/// functions: the first as in LibTorch 2, the second as in LibTorch 1.13.
class WarningHandler {
 public:
  virtual ~WarningHandler();
  /// Unless overridden it hands the parts to the other one.
  virtual void process(const Warning& warning);
  /// Unless overridden it writes "[W program.cpp:12] Warning: text (function main)" to stderr.
  virtual void process(const SourceLocation& place, const std::string& text, bool verbatim);
};

namespace detail {
/// Is a warning that comes once to come now? So it is the first time that `given` is asked about,
/// and each time while set_warnAlways(true).
bool is_first(std::atomic<bool>& given);
/// Warns; the place is that of the call.
void warn_user(const std::string& text,
               const SourceLocation& place = {__builtin_FUNCTION(), __builtin_FILE(),
                                              static_cast<uint32_t>(__builtin_LINE())});
/// Warns with text(), a lambda of this place: once in a process, and each time while
/// set_warnAlways(true).
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
