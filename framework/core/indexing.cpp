#include <taper/framework/core/indexing.h>

#include <cstring>
#include <ostream>

namespace torch::taper::indexing {

Slice::Slice(optional<int64_t> start, optional<int64_t> stop, optional<int64_t> step)
    : start_(start.value_or(0)), stop_(stop.value_or(INDEX_MAX)), step_(step.value_or(1)) {
  TAPER_CHECK_VALUE(step_ != 0, "slice step cannot be zero");
  TAPER_CHECK_VALUE(step_ > 0, "step must be greater than zero");
}

void TensorIndex::check_dots(const char* text) {
  TAPER_CHECK_VALUE(std::strcmp(text, "...") == 0,
                    "Expected \"...\" to represent an ellipsis index, but got \"", text, "\"");
}

std::ostream& operator<<(std::ostream& out, const Slice& s) {
  return out << s.start() << ':' << s.stop() << ':' << s.step();
}

std::ostream& operator<<(std::ostream& out, const TensorIndex& i) {
  switch (i.type()) {
    case TensorIndexType::None:
      return out << "None";
    case TensorIndexType::Ellipsis:
      return out << "...";
    case TensorIndexType::Integer:
      return out << i.integer();
    case TensorIndexType::Boolean:
      return out << (i.boolean() ? "true" : "false");
    case TensorIndexType::Slice:
      return out << i.slice();
    case TensorIndexType::Tensor:
      break;
  }
  return out << i.tensor();
}

}  // namespace torch::taper::indexing
