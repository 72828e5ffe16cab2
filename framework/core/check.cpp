#include <taper/framework/core/check.h>

#include <cstdio>
#include <cstring>
#include <ostream>
#include <sstream>
#include <string>

#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/core/value_errors.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/debug/backtrace.h>
#include <taper/framework/runtime/environment.h>

namespace torch::taper {

Error::Error(std::string msg) : msg_(std::move(msg)), text_(msg_) {
  if (detail::is_on("TAPER_SHOW_CALLER"))
    backtrace_ = detail::describe_stack(detail::capture_stack());
  what_ = text_ + backtrace_;
}

void Error::add_context(const std::string& context) {
  text_ += " (" + context + ")";
  what_ = text_ + backtrace_;
}

namespace detail {

void Part::write_text(std::ostream& out, const void* at) { out << static_cast<const char*>(at); }

template void Part::write<char>(std::ostream&, const void*);
template void Part::write<bool>(std::ostream&, const void*);
template void Part::write<int>(std::ostream&, const void*);
template void Part::write<unsigned>(std::ostream&, const void*);
template void Part::write<long>(std::ostream&, const void*);
template void Part::write<unsigned long>(std::ostream&, const void*);
template void Part::write<double>(std::ostream&, const void*);
template void Part::write<std::string>(std::ostream&, const void*);

template void fail<Error>(std::initializer_list<Part>);
template void fail<IndexError>(std::initializer_list<Part>);
template void fail<ValueError>(std::initializer_list<Part>);
template void fail<TypeError>(std::initializer_list<Part>);
template void fail<NotImplementedError>(std::initializer_list<Part>);

std::string concat(std::initializer_list<Part> parts) {
  std::ostringstream out;
  for (const Part& part : parts) out << part;
  return out.str();
}

void internal_failure(const char* condition, const char* file, int line,
                      std::initializer_list<Part> parts) {
  const std::string text = concat(parts);
  fail<Error>({"internal check failed: ", condition, " at ", file, ":", line,
               text.empty() ? "" : ": ", text,
               "; this is a defect of Taper, please report it with the program that shows it"});
}

}  // namespace detail

}  // namespace torch::taper

// ---------------------------------------------------------------------- value_errors
namespace torch::taper {

void throw_index_out_of_range(const char* op, int64_t value, int64_t size, int64_t dim,
                              IndexWording wording) {
  const std::string in_dim = detail::concat(
      op, ": index ", value, " is out of bounds for dimension ", dim, " with size ", size);
  switch (wording) {
    case IndexWording::kInSelf:
      throw IndexError(
          detail::concat(op, ": index out of range in self: expected at least 0 and below ", size,
                         ", but got ", value));
    case IndexWording::kDimensionRt:
      throw Error(in_dim);
    case IndexWording::kTake:
      throw IndexError(detail::concat(op, ": out of range: tried to access index ", value,
                                      " on a tensor of ", size, " elements."));
    case IndexWording::kDimension:
      break;
  }
  if (size == 0)
    throw IndexError(detail::concat(op, ": index is out of bounds for dimension with size 0"));
  throw IndexError(in_dim);
}

void throw_target_out_of_range(const char* op, int64_t value) {
  throw IndexError(detail::concat(op, ": Target ", value, " is out of bounds."));
}

void throw_wrong_bag_offset(int64_t b, int64_t value, int64_t before, int64_t length) {
  TAPER_CHECK(b > 0 || value == 0,
              "embedding_bag: offsets[0] has to be 0, i.e., the first sequence in the mini-batch "
              "has to start from "
              "position 0. However, got ",
              value);
  TAPER_CHECK(value <= length, "embedding_bag: offsets[-1] can not be greater than input's length ",
              length, " but got offsets[-1] of ", value);
  throw Error(detail::concat("embedding_bag: expected offsets that do not fall, got ", value,
                             " after ", before));
}

void throw_not_a_probability() {
  throw Error("binary_cross_entropy: all elements of input should be between 0 and 1");
}

void throw_not_ldl_pivots() {
  throw Error("torch.linalg.ldl_solve: expected pivots as ldl_factor returns them");
}

}  // namespace torch::taper

// ---------------------------------------------------------------------- checked_arithmetic
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

namespace torch::taper {
namespace {

WarningHandler& to_stderr() {
  static WarningHandler handler;
  return handler;
}

thread_local WarningHandler* thread_handler = nullptr;
std::atomic<bool> warn_always{false};

/// Returns the file's name without its folders, which belong to the machine that compiled it.
const char* without_folders(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const SourceLocation& place) {
  return out << place.function << " at " << place.file << ':' << place.line;
}

void WarningUtils::set_warning_handler(WarningHandler* handler) noexcept {
  thread_handler = handler;
}
WarningHandler* WarningUtils::get_warning_handler() noexcept {
  return thread_handler ? thread_handler : &to_stderr();
}
void WarningUtils::set_warnAlways(bool always) noexcept { warn_always = always; }
bool WarningUtils::get_warnAlways() noexcept { return warn_always; }

void Warning::warn(const SourceLocation& place, const std::string& text, bool verbatim) {
  taper::warn(Warning(UserWarning(), place, text, verbatim));
}

void warn(const Warning& warning) { WarningUtils::get_warning_handler()->process(warning); }

WarningHandler::~WarningHandler() = default;

void WarningHandler::process(const Warning& warning) {
  process(warning.source_location(), warning.msg(), warning.verbatim());
}

void WarningHandler::process(const SourceLocation& place, const std::string& text, bool) {
  // One call writes the whole line, so that the lines of several threads do not mix.
  const std::string line =
      detail::concat("[W ", without_folders(place.file), ":", place.line, "] Warning: ", text,
                     " (function ", place.function, ")\n");
  std::fputs(line.c_str(), stderr);
}

bool detail::is_first(std::atomic<bool>& given) { return !given.exchange(true) || warn_always; }

void detail::warn_user(const std::string& text, const SourceLocation& place) {
  taper::warn(Warning(UserWarning(), place, text, /*verbatim=*/false));
}

}  // namespace torch::taper
