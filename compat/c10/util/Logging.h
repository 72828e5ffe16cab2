// LibTorch's macros for logging, and operators that print standard containers: `std::cout <<
// vector`.
#pragma once

#include <map>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include <c10/util/Exception.h>
#include <taper/extension/logging.h>
#include <torch/names.h>

namespace torch_compat {

/// Prints the first 100 elements of `list`, separated by spaces. If there are more elements, prints
/// " ..." after them.
template <class List>
std::ostream& print_elements(std::ostream& out, const List& list) {
  int printed = 0;
  for (const auto& element : list) {
    if (printed == 100) return out << " ...";
    out << (printed++ ? " " : "") << element;
  }
  return out;
}

}  // namespace torch_compat

// These operators are in namespace std, because argument-dependent lookup for containers of numbers
// searches only there.
namespace std {

template <class First, class Second>
ostream& operator<<(ostream& out, const pair<First, Second>& p) {
  return out << '(' << p.first << ", " << p.second << ')';
}
template <class... T>
ostream& operator<<(ostream& out, const vector<T...>& list) {
  return torch_compat::print_elements(out, list);
}
template <class... T>
ostream& operator<<(ostream& out, const map<T...>& list) {
  return torch_compat::print_elements(out, list);
}
template <class... T>
ostream& operator<<(ostream& out, const set<T...>& list) {
  return torch_compat::print_elements(out, list);
}

}  // namespace std

#define LOG(n) LOG_IF(n, true)
#define LOG_IF(n, condition)                                      \
  !((condition) && ::taper::GLOG_##n >= ::taper::log_threshold()) \
      ? (void)0                                                   \
      : ::taper::LoggerVoidify() & TORCH_PRIVATE_LOG(::taper::GLOG_##n, true)
#define VLOG_IS_ON(level) (-(level) >= ::taper::log_threshold())
#define VLOG_IF(level, condition)     \
  !((condition) && VLOG_IS_ON(level)) \
      ? (void)0                       \
      : ::taper::LoggerVoidify() & TORCH_PRIVATE_LOG(-(level), true)
#define VLOG(level) VLOG_IF(level, true)
#define DLOG(n) TORCH_PRIVATE_DEBUG_ONLY LOG(n)
#define C10_LOG_FIRST_N(n, count) LOG(n)
#define C10_LOG_EVERY_N(n, count) LOG(n)
#define C10_LOG_EVERY_MS(n, ms) LOG(n)
/// Does nothing. (LibTorch's macro reports the call of an API to a logger.)
#define C10_LOG_API_USAGE_ONCE(...) \
  do {                              \
  } while (false)

// Checks that, if they fail, write a line to the log and end the process.
#define CHECK(condition) FATAL_IF(condition) << "Check failed: " #condition " "
#define DCHECK(condition) TORCH_PRIVATE_DEBUG_ONLY CHECK(condition)
#define TORCH_PRIVATE_FATAL_OP(a, b, op) FATAL_IF(((a)op(b))) << TORCH_PRIVATE_OP_TEXT(a, b, op)
#define CHECK_EQ(a, b) TORCH_PRIVATE_FATAL_OP(a, b, ==)
#define CHECK_NE(a, b) TORCH_PRIVATE_FATAL_OP(a, b, !=)
#define CHECK_LE(a, b) TORCH_PRIVATE_FATAL_OP(a, b, <=)
#define CHECK_LT(a, b) TORCH_PRIVATE_FATAL_OP(a, b, <)
#define CHECK_GE(a, b) TORCH_PRIVATE_FATAL_OP(a, b, >=)
#define CHECK_GT(a, b) TORCH_PRIVATE_FATAL_OP(a, b, >)
#define CHECK_NOTNULL(p) TORCH_PRIVATE_NOTNULL(p, true)
#define DCHECK_EQ(a, b) TORCH_DCHECK_EQ(a, b)
#define DCHECK_NE(a, b) TORCH_DCHECK_NE(a, b)
#define DCHECK_LE(a, b) TORCH_DCHECK_LE(a, b)
#define DCHECK_LT(a, b) TORCH_DCHECK_LT(a, b)
#define DCHECK_GE(a, b) TORCH_DCHECK_GE(a, b)
#define DCHECK_GT(a, b) TORCH_DCHECK_GT(a, b)

// Checks that throw Error if they fail.
#define CAFFE_ENFORCE(condition, ...) TORCH_CHECK(condition, ##__VA_ARGS__)
#define CAFFE_THROW(...) TORCH_CHECK(false, ##__VA_ARGS__)
#define CAFFE_ENFORCE_EQ(a, b, ...) TORCH_CHECK_EQ(a, b)
#define CAFFE_ENFORCE_NE(a, b, ...) TORCH_CHECK_NE(a, b)
#define CAFFE_ENFORCE_LE(a, b, ...) TORCH_CHECK_LE(a, b)
#define CAFFE_ENFORCE_LT(a, b, ...) TORCH_CHECK_LT(a, b)
#define CAFFE_ENFORCE_GE(a, b, ...) TORCH_CHECK_GE(a, b)
#define CAFFE_ENFORCE_GT(a, b, ...) TORCH_CHECK_GT(a, b)
