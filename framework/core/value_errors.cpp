#include <taper/framework/core/value_errors.h>

#include <ostream>
#include <string>

#include <taper/framework/core/check.h>

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
