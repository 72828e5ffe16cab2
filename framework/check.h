// Errors: LibTorch's exception types, and the checks that throw them.
//
// A message says what was expected, what was got, and what to do. Text is built only when a check
// fails, so a passing check costs one branch.
#pragma once

#if __cplusplus < 201703L
#error "Taper's headers need C++17: compile with -std=c++17 or later"
#endif

#include <exception>
#include <sstream>
#include <string>
#include <utility>

namespace taper {

/// Base of everything Taper throws on purpose. `what()` is the message itself.
class Error : public std::exception {
 public:
  explicit Error(std::string msg) : msg_(std::move(msg)) {}
  const char* what() const noexcept override { return msg_.c_str(); }
  /// The message with no context lines; the same text as `what()`.
  const char* what_without_backtrace() const noexcept { return msg_.c_str(); }
  const std::string& msg() const { return msg_; }
  /// Empty: errors carry no call stack.
  const std::string& backtrace() const noexcept {
    static const std::string none;
    return none;
  }

 private:
  std::string msg_;
};

/// An index or a dimension is out of range.
class IndexError : public Error {
  using Error::Error;
};
/// An argument's value is not acceptable.
class ValueError : public Error {
  using Error::Error;
};
/// An argument's type (mostly its dtype) is not acceptable.
class TypeError : public Error {
  using Error::Error;
};
/// The request makes sense, but nothing here carries it out.
class NotImplementedError : public Error {
  using Error::Error;
};
/// Indices are out of range as a group (LibTorch's name for a failed enforce).
class LinAlgError : public Error {
  using Error::Error;
};
/// No memory for a tensor, on any device. Nothing was lost; free some and go on.
class OutOfMemoryError : public Error {
  using Error::Error;
};

namespace detail {

template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (void)(out << ... << parts);
  return out.str();
}

[[noreturn]] void internal_failure(const char* condition, const char* file, int line,
                                   const std::string& msg);

}  // namespace detail
}  // namespace taper

/// Throws `Type` with the concatenated message unless `cond` holds.
#define TAPER_CHECK_AS(Type, cond, ...)                          \
  do {                                                           \
    if (__builtin_expect(!(cond), 0)) {                          \
      throw ::taper::Type(::taper::detail::concat(__VA_ARGS__)); \
    }                                                            \
  } while (false)

#define TAPER_CHECK(cond, ...) TAPER_CHECK_AS(Error, cond, __VA_ARGS__)
#define TAPER_CHECK_INDEX(cond, ...) TAPER_CHECK_AS(IndexError, cond, __VA_ARGS__)
#define TAPER_CHECK_VALUE(cond, ...) TAPER_CHECK_AS(ValueError, cond, __VA_ARGS__)
#define TAPER_CHECK_TYPE(cond, ...) TAPER_CHECK_AS(TypeError, cond, __VA_ARGS__)

/// An invariant of Taper's own: failing means a defect here, not in the caller's program.
#define TAPER_ASSERT(cond, ...)                                                \
  do {                                                                         \
    if (__builtin_expect(!(cond), 0)) {                                        \
      ::taper::detail::internal_failure(#cond, __FILE__, __LINE__,             \
                                        ::taper::detail::concat(__VA_ARGS__)); \
    }                                                                          \
  } while (false)
