// LibTorch's checks and warnings. The checks throw Taper's errors. The names of errors in c10 are
// aliases of Taper's errors.
#pragma once

#include <string>

#include <taper/extension/logging.h>
#include <taper/framework/core/check.h>
#include <taper/framework/core/warning.h>
#include <torch/names.h>

namespace torch_compat {

/// Returns the message of a failed check: the program's text, or the condition if there is no text.
inline std::string check_message(const char* otherwise) { return otherwise; }
template <class... Parts>
std::string check_message(const char*, const Parts&... parts) {
  return ::taper::detail::concat(parts...);
}

}  // namespace torch_compat

// As in LibTorch, this macro expands to an `if`, because some programs omit the semicolon after a
// check.
#define TORCH_CHECK_WITH(Type, cond, ...)                                  \
  if (__builtin_expect(!(cond), 0)) {                                      \
    ::taper::detail::fail<::taper::Type>({::torch_compat::check_message(   \
        "Expected " #cond " to be true, but got false.", ##__VA_ARGS__)}); \
  }
#define TORCH_CHECK(cond, ...) TORCH_CHECK_WITH(Error, cond, ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(cond, ...) TORCH_CHECK_WITH(IndexError, cond, ##__VA_ARGS__)
#define TORCH_CHECK_VALUE(cond, ...) TORCH_CHECK_WITH(ValueError, cond, ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(cond, ...) TORCH_CHECK_WITH(TypeError, cond, ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(cond, ...) \
  TORCH_CHECK_WITH(NotImplementedError, cond, ##__VA_ARGS__)
#define TORCH_CHECK_LINALG(cond, ...) TORCH_CHECK_WITH(LinAlgError, cond, ##__VA_ARGS__)

#define TORCH_CHECK_BUFFER(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define TORCH_CHECK_ARG(cond, argN, ...) \
  TORCH_CHECK(cond, "invalid argument ", argN, ": ", __VA_ARGS__)
#define TORCH_CHECK_MSG(cond, type, ...) \
  ::torch_compat::check_message("Expected " #cond " to be true, but got false.", ##__VA_ARGS__)
#if defined(__CUDACC__)
#define TORCH_CHECK_IF_NOT_ON_CUDA(cond, ...)
#else
#define TORCH_CHECK_IF_NOT_ON_CUDA(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#endif
#define C10_THROW_ERROR(Type, text) throw ::taper::Type(text)

// Checks of two values. TORCH_CHECK_EQ(a, b) << "more" throws Error if a != b. TORCH_DCHECK_EQ
// checks only in debug builds, and ends the process if a != b.
#define TORCH_PRIVATE_LOG(severity, exits)                                                       \
  ::taper::MessageLogger({__func__, __FILE__, static_cast<::std::uint32_t>(__LINE__)}, severity, \
                         exits)                                                                  \
      .stream()
#define FATAL_IF(condition) \
  (condition) ? (void)0 : ::taper::LoggerVoidify() & TORCH_PRIVATE_LOG(::taper::GLOG_FATAL, true)
#define NON_FATAL_IF(condition) \
  (condition) ? (void)0 : ::taper::LoggerVoidify() & TORCH_PRIVATE_LOG(::taper::GLOG_FATAL, false)
#define TORCH_PRIVATE_OP_TEXT(a, b, op) \
  "Check failed: " #a " " #op " " #b " (" << (a) << " vs. " << (b) << "). "
#define TORCH_CHECK_OP(a, b, op) NON_FATAL_IF(((a)op(b))) << TORCH_PRIVATE_OP_TEXT(a, b, op)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK_OP(a, b, ==)
#define TORCH_CHECK_NE(a, b) TORCH_CHECK_OP(a, b, !=)
#define TORCH_CHECK_LE(a, b) TORCH_CHECK_OP(a, b, <=)
#define TORCH_CHECK_LT(a, b) TORCH_CHECK_OP(a, b, <)
#define TORCH_CHECK_GE(a, b) TORCH_CHECK_OP(a, b, >=)
#define TORCH_CHECK_GT(a, b) TORCH_CHECK_OP(a, b, >)
#define TORCH_PRIVATE_NOTNULL(p, fatal)                                                        \
  ::taper::CheckNotNull({__func__, __FILE__, static_cast<::std::uint32_t>(__LINE__)}, #p, (p), \
                        fatal)
#define TORCH_CHECK_NOTNULL(p) TORCH_PRIVATE_NOTNULL(p, false)
#ifdef NDEBUG
#define TORCH_PRIVATE_DEBUG_ONLY while (false)
#else
#define TORCH_PRIVATE_DEBUG_ONLY
#endif
#define TORCH_DCHECK_OP(a, b, op) \
  TORCH_PRIVATE_DEBUG_ONLY FATAL_IF(((a)op(b))) << TORCH_PRIVATE_OP_TEXT(a, b, op)
#define TORCH_DCHECK_EQ(a, b) TORCH_DCHECK_OP(a, b, ==)
#define TORCH_DCHECK_NE(a, b) TORCH_DCHECK_OP(a, b, !=)
#define TORCH_DCHECK_LE(a, b) TORCH_DCHECK_OP(a, b, <=)
#define TORCH_DCHECK_LT(a, b) TORCH_DCHECK_OP(a, b, <)
#define TORCH_DCHECK_GE(a, b) TORCH_DCHECK_OP(a, b, >=)
#define TORCH_DCHECK_GT(a, b) TORCH_DCHECK_OP(a, b, >)
#define TORCH_DCHECK_NOTNULL(p) TORCH_PRIVATE_DEBUG_ONLY TORCH_PRIVATE_NOTNULL(p, true)

#define TORCH_INTERNAL_ASSERT(cond, ...)                                                  \
  TAPER_CHECK(cond, #cond " INTERNAL ASSERT FAILED at \"" __FILE__ "\":", __LINE__, ". ", \
              ::torch_compat::check_message("", ##__VA_ARGS__))
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) \
  do {                                        \
  } while (false)
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#endif

#define TORCH_WARN_WITH(Type, ...)                                                           \
  ::taper::warn(                                                                             \
      ::taper::Warning(Type(), {__func__, __FILE__, static_cast<::std::uint32_t>(__LINE__)}, \
                       ::torch_compat::check_message("", ##__VA_ARGS__), /*verbatim=*/false))
#define TORCH_WARN(...) TORCH_WARN_WITH(::taper::UserWarning, ##__VA_ARGS__)
#define TORCH_WARN_DEPRECATION(...) TORCH_WARN_WITH(::taper::DeprecationWarning, ##__VA_ARGS__)
#define TORCH_WARN_ONCE(...)                                              \
  do {                                                                    \
    static ::std::atomic<bool> torch_warned{false};                       \
    if (::taper::detail::is_first(torch_warned)) TORCH_WARN(__VA_ARGS__); \
  } while (false)

#define AT_ERROR(...) TORCH_CHECK(false, ##__VA_ARGS__)
#define AT_INDEX_ERROR(...) TORCH_CHECK_INDEX(false, ##__VA_ARGS__)
#define AT_ASSERT(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define AT_ASSERTM(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define AT_WARN(...) TORCH_WARN(__VA_ARGS__)
