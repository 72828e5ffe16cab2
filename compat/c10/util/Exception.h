// LibTorch's checks and warnings. They throw taper's errors, which c10's names refer to.
#pragma once

#include <cstdio>
#include <string>

#include <taper/framework/check.h>
#include <torch/names.h>

namespace torch_compat {

/// The text of a failed check: what the program gave, else the condition.
inline std::string check_message(const char* otherwise) { return otherwise; }
template <class... Parts>
std::string check_message(const char*, const Parts&... parts) {
  return ::taper::detail::concat(parts...);
}
template <class... Parts>
void warn(const char* function, const char* file, int line, const Parts&... parts) {
  std::fprintf(stderr, "[W %s:%d] Warning: %s (function %s)\n", file, line,
               ::taper::detail::concat(parts...).c_str(), function);
}

}  // namespace torch_compat

#define TORCH_CHECK_WITH(Type, cond, ...)                                                       \
  TAPER_CHECK_AS(Type, cond,                                                                    \
                 ::torch_compat::check_message("Expected " #cond " to be true, but got false.", \
                                               ##__VA_ARGS__))
#define TORCH_CHECK(cond, ...) TORCH_CHECK_WITH(Error, cond, ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(cond, ...) TORCH_CHECK_WITH(IndexError, cond, ##__VA_ARGS__)
#define TORCH_CHECK_VALUE(cond, ...) TORCH_CHECK_WITH(ValueError, cond, ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(cond, ...) TORCH_CHECK_WITH(TypeError, cond, ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(cond, ...) \
  TORCH_CHECK_WITH(NotImplementedError, cond, ##__VA_ARGS__)
#define TORCH_CHECK_LINALG(cond, ...) TORCH_CHECK_WITH(LinAlgError, cond, ##__VA_ARGS__)

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

#define TORCH_WARN(...) ::torch_compat::warn(__func__, __FILE__, __LINE__, __VA_ARGS__)
#define TORCH_WARN_ONCE(...)                                                           \
  do {                                                                                 \
    [[maybe_unused]] static const bool torch_warned = (TORCH_WARN(__VA_ARGS__), true); \
  } while (false)

#define AT_ERROR(...) TORCH_CHECK(false, ##__VA_ARGS__)
#define AT_INDEX_ERROR(...) TORCH_CHECK_INDEX(false, ##__VA_ARGS__)
#define AT_ASSERT(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define AT_ASSERTM(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define AT_WARN(...) TORCH_WARN(__VA_ARGS__)
