// Errors: LibTorch's exception types, and the checks that throw them.
//
// A message says what was expected, what was got, and what to do. Text is built only when a check
// fails, so a passing check costs one branch.
#pragma once

#if __cplusplus < 201703L
#error "Taper's headers need C++17: compile with -std=c++17 or later"
#endif

#include <exception>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)
/// Exports a function that is declared only as a friend in a public class. The visibility pragma
/// does not cover such a function.
#define TAPER_EXPORTED __attribute__((visibility("default")))

namespace torch::taper {

/// Base of all exceptions that Taper throws on purpose. `what()` is the message.
class Error : public std::exception {
 public:
  /// Makes an error whose msg() is `msg`. If the environment variable TAPER_SHOW_CALLER is on, the
  /// constructor also stores the backtrace.
  explicit Error(std::string msg);
  /// Returns the message, its contexts and the backtrace. The pointer is valid until add_context()
  /// or the end of the exception.
  const char* what() const noexcept override { return what_.c_str(); }
  /// Returns the message and its contexts.
  const char* what_without_backtrace() const noexcept { return text_.c_str(); }
  const std::string& msg() const { return msg_; }  ///< Returns the message without contexts.
  /// Appends the place of the error in parentheses, such as "message (in layer 2 of a Sequential)".
  /// Call it for the innermost place first.
  void add_context(const std::string& context);
  /// Returns the call stack of the error, as lines of the program. The text is empty unless
  /// TAPER_SHOW_CALLER is on.
  const std::string& backtrace() const noexcept { return backtrace_; }

 private:
  std::string msg_, text_, backtrace_, what_;
};

/// An index or a dimension is out of range.
class IndexError : public Error {
  using Error::Error;
};
/// An argument's value is not acceptable.
class ValueError : public Error {
  using Error::Error;
};
/// An argument's type, usually its dtype, is not acceptable.
class TypeError : public Error {
  using Error::Error;
};
/// The request makes sense, but Taper does not implement it.
class NotImplementedError : public Error {
  using Error::Error;
};
/// A matrix does not allow the operation: it is singular, not positive-definite, or an iteration on
/// it did not converge.
class LinAlgError : public Error {
  using Error::Error;
};
/// A device, or the host, has no memory left for a tensor. Nothing was lost: free some memory and
/// continue.
class OutOfMemoryError : public Error {
  using Error::Error;
};

namespace detail {

/// One part of a message: the address of a value, and the function that writes the value. A Part
/// must not outlive the expression that makes it.
class Part {
 public:
  Part(const char* text) : at_(text), write_(write_text) {}
  template <class T, std::enable_if_t<!std::is_convertible<const T&, const char*>::value, int> = 0>
  Part(const T& v) : at_(&v), write_(write<T>) {}
  friend std::ostream& operator<<(std::ostream& out, const Part& part) {
    part.write_(out, part.at_);
    return out;
  }

 private:
  static void write_text(std::ostream& out, const void* at);
  template <class T>
  static void write(std::ostream& out, const void* at) {
    put<T>(out, at);
  }
  // The stream's type is a parameter, so that this header needs only its declaration.
  template <class T, class Stream>
  static void put(Stream& out, const void* at) {
    out << *static_cast<const T*>(at);
  }
  const void* at_;
  void (*write_)(std::ostream& out, const void* at);
};

extern template void Part::write<char>(std::ostream&, const void*);
extern template void Part::write<bool>(std::ostream&, const void*);
extern template void Part::write<int>(std::ostream&, const void*);
extern template void Part::write<unsigned>(std::ostream&, const void*);
extern template void Part::write<long>(std::ostream&, const void*);
extern template void Part::write<unsigned long>(std::ostream&, const void*);
extern template void Part::write<double>(std::ostream&, const void*);
extern template void Part::write<std::string>(std::ostream&, const void*);

/// Returns the concatenated parts.
std::string concat(std::initializer_list<Part> parts);
template <class... T>
std::string concat(const T&... parts) {
  return concat({Part(parts)...});
}

/// Throws `Type` with the parts as its message. Compiled once for each type of exception, so that
/// each check adds only a branch and little code.
template <class Type>
[[noreturn]] __attribute__((cold, noinline)) void fail(std::initializer_list<Part> parts) {
  throw Type(concat(parts));
}
extern template void fail<Error>(std::initializer_list<Part>);
extern template void fail<IndexError>(std::initializer_list<Part>);
extern template void fail<ValueError>(std::initializer_list<Part>);
extern template void fail<TypeError>(std::initializer_list<Part>);
extern template void fail<NotImplementedError>(std::initializer_list<Part>);

[[noreturn]] void internal_failure(const char* condition, const char* file, int line,
                                   std::initializer_list<Part> parts);

}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop

/// Throws `Type` with the concatenated message unless `cond` holds.
#define TAPER_CHECK_AS(Type, cond, ...)                                                    \
  do {                                                                                     \
    if (__builtin_expect(!(cond), 0)) ::taper::detail::fail<::taper::Type>({__VA_ARGS__}); \
  } while (false)

#define TAPER_CHECK(cond, ...) TAPER_CHECK_AS(Error, cond, __VA_ARGS__)
#define TAPER_CHECK_INDEX(cond, ...) TAPER_CHECK_AS(IndexError, cond, __VA_ARGS__)
#define TAPER_CHECK_VALUE(cond, ...) TAPER_CHECK_AS(ValueError, cond, __VA_ARGS__)
#define TAPER_CHECK_TYPE(cond, ...) TAPER_CHECK_AS(TypeError, cond, __VA_ARGS__)

/// Checks an invariant of Taper. A failure is a bug in Taper, not in the caller's program.
#define TAPER_ASSERT(cond, ...)                                                    \
  do {                                                                             \
    if (__builtin_expect(!(cond), 0))                                              \
      ::taper::detail::internal_failure(#cond, __FILE__, __LINE__, {__VA_ARGS__}); \
  } while (false)
