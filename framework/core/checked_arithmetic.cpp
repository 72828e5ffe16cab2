#include <taper/framework/core/checked_arithmetic.h>

#include <taper/framework/core/shape.h>

namespace torch::taper::detail {
namespace {

[[noreturn]] void fail_overflow(const char* op, int64_t a, const char* sign, int64_t b) {
  fail<Error>({op, ": integer overflow in ", a, sign, b});
}

}  // namespace

int64_t checked_add(const char* op, int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) fail_overflow(op, a, " + ", b);
  return sum;
}

int64_t checked_sub(const char* op, int64_t a, int64_t b) {
  int64_t difference;
  if (__builtin_sub_overflow(a, b, &difference)) fail_overflow(op, a, " - ", b);
  return difference;
}

int64_t checked_mul(const char* op, int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) fail_overflow(op, a, " * ", b);
  return product;
}

int64_t embedded_size(const char* op, int64_t n, int64_t offset) {
  return offset < 0 ? checked_sub(op, n, offset) : checked_add(op, n, offset);
}

int64_t checked_extent(const char* op, IntArrayRef sizes, IntArrayRef strides, int64_t offset,
                       size_t itemsize) {
  if (checked_numel(sizes, op) == 0) return 0;
  int64_t last = offset;
  bool overflow = offset < 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t reach = 0;
    overflow |= strides[d] < 0 || __builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) ||
                __builtin_add_overflow(last, reach, &last);
  }
  TAPER_CHECK(!overflow && last < INT64_MAX / static_cast<int64_t>(itemsize), op,
              ": Storage size calculation overflowed with sizes=", sizes, " and strides=", strides);
  return last + 1;
}

}  // namespace torch::taper::detail
