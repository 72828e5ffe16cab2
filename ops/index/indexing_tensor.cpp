// t.index({...}), t.index_put_({...}, v), t[i] and assignment to a temporary. The brackets become
// views, and one advanced index for the tensors among them.
#include <taper/framework/core/indexing.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/index/index_advanced.h>

namespace torch::taper {

using indexing::TensorIndex;
using indexing::TensorIndexType;

namespace {

using Indices = std::vector<optional<Tensor>>;

Tensor select_at(const Tensor& x, int64_t dim, int64_t i, int64_t dim_given) {
  TAPER_CHECK_INDEX(dim_given != 0 || x.dim() > 0,
                    "index: invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                    "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
  const int64_t size = x.size(dim);
  TAPER_CHECK_INDEX(i >= -size && i < size, "index: index ", i, " is out of bounds for dimension ",
                    dim_given, " with size ", size);
  return x.select(dim, i);
}

/// Returns the index of one row (true) or none (false) in a dimension of size 1.
Tensor index_of_bool(const Tensor& x, bool v) {
  return v ? x.new_zeros({1}, kLong) : x.new_empty({0}, kLong);
}

/// Returns how many of x's dimensions an index covers.
int64_t dims_taken(const TensorIndex& i) {
  switch (i.type()) {
    case TensorIndexType::Integer:
    case TensorIndexType::Slice:
      return 1;
    case TensorIndexType::Tensor: {
      const ScalarType t = i.tensor().scalar_type();
      return t == kBool || t == kByte ? i.tensor().dim() : 1;
    }
    case TensorIndexType::None:
    case TensorIndexType::Ellipsis:
    case TensorIndexType::Boolean:
      break;
  }
  return 0;
}

/// Applies indices one by one. `view` is the current view of x, `tensors` the rest for an advanced
/// index.
class Brackets {
 public:
  Brackets(const Tensor& x, ArrayRef<TensorIndex> indices) : view_(x) {
    int64_t taken = 0;
    for (const TensorIndex& i : indices) {
      if (i.is_tensor()) check_defined("index", i.tensor(), "index");
      taken += dims_taken(i);
    }
    TAPER_CHECK_INDEX(taken <= x.dim(), too_many(x, indices));
    free_ = x.dim() - taken;
    only_ = indices.size() == 1;
    for (const TensorIndex& i : indices) {
      apply(i);
      ++position_;
    }
  }
  const Tensor& view() const { return view_; }
  const Indices& tensors() const { return tensors_; }

 private:
  static std::string too_many(const Tensor& x, ArrayRef<TensorIndex> indices) {
    if (x.dim() == 0 && indices.size() == 1 && indices[0].is_integer())
      return "index: invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
             "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number";
    return detail::concat("index: too many indices for tensor of dimension ", x.dim());
  }
  void apply(const TensorIndex& i) {
    switch (i.type()) {
      case TensorIndexType::Integer:
        view_ = select_at(view_, dim_, i.integer(), position_);
        return;
      case TensorIndexType::Slice:
        return apply_slice(i.slice());
      case TensorIndexType::Ellipsis:
        dim_ += free_;
        return;
      case TensorIndexType::None:
        view_ = view_.unsqueeze(dim_++);
        return;
      case TensorIndexType::Boolean:
        return apply_bool(i.boolean());
      case TensorIndexType::Tensor:
        return apply_tensor(i.tensor());
    }
  }
  void apply_slice(const indexing::Slice& s) {
    const bool whole = s.start() == 0 && s.stop() == indexing::INDEX_MAX && s.step() == 1;
    if (!whole || only_) view_ = view_.slice(dim_, s.start(), s.stop(), s.step());
    ++dim_;
  }
  void apply_bool(bool v) {
    view_ = view_.unsqueeze(dim_);
    push(index_of_bool(view_, v));
  }
  void apply_tensor(const Tensor& t) {
    const ScalarType type = t.scalar_type();
    if (t.dim() > 0 || !isIntegralType(type, true)) return push(t);
    if (type == kBool || type == kByte) return apply_bool(t.item().toBool());
    view_ = select_at(view_, dim_, t.item().toLong(), position_);
  }
  void push(const Tensor& t) {
    tensors_.resize(static_cast<size_t>(dim_) + 1);
    tensors_[static_cast<size_t>(dim_++)] = t;
  }

  Tensor view_;
  Indices tensors_;
  int64_t dim_ = 0;       // of view_, for the next index
  int64_t free_ = 0;      // dimensions of an ellipsis
  int64_t position_ = 0;  // of the index, for messages
  bool only_ = false;     // one index only: a whole slice makes a view as well
};

/// Returns `value` without its leading dimensions of size 1, which NumPy drops in assignments.
Tensor without_leading_ones(const Tensor& value) {
  size_t ones = 0;
  const IntArrayRef sizes = value.sizes();
  while (ones < sizes.size() && sizes[ones] == 1) ++ones;
  return ones == 0 ? value : value.reshape(sizes.slice(ones));
}

void write_view(const Tensor& view, const Tensor& value) {
  if (value.sizes() == view.sizes())
    view.copy_(value);
  else if (value.dim() == 0)
    view.fill_(value);
  else
    view.copy_(without_leading_ones(value).expand(view.sizes()));
}

void check_not_empty(const char* method, ArrayRef<TensorIndex> indices) {
  TAPER_CHECK(!indices.empty(), method, ": Passing an empty index list to Tensor::", method,
              "() is not valid syntax");
}

/// Returns the number as a tensor of x's dtype.
Tensor number_like(const Tensor& x, const Scalar& value) { return x.new_full({}, value); }

}  // namespace

Tensor Tensor::index(ArrayRef<TensorIndex> indices) const {
  check_defined("index", *this, "self");
  check_not_empty("index", indices);
  const Brackets brackets(*this, indices);
  if (!brackets.tensors().empty()) return taper::index(brackets.view(), brackets.tensors());
  return brackets.view().is_same(*this) ? alias() : brackets.view();
}

Tensor& Tensor::index_put_(ArrayRef<TensorIndex> indices, const Tensor& value) const {
  check_defined("index_put_", *this, "self");
  check_defined("index_put_", value, "value");
  check_not_empty("index_put_", indices);
  const Brackets brackets(*this, indices);
  Tensor view = brackets.view();
  if (brackets.tensors().empty())
    write_view(view, value);
  else
    taper::index_put_(view, brackets.tensors(), without_leading_ones(value));
  return detail::as_mutable(*this);
}

Tensor& Tensor::index_put_(ArrayRef<TensorIndex> indices, const Scalar& value) const {
  check_defined("index_put_", *this, "self");
  return index_put_(indices, number_like(*this, value));
}

Tensor Tensor::index(std::initializer_list<TensorIndex> indices) const {
  return index(ArrayRef<TensorIndex>(indices));
}
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Tensor& value) const {
  return index_put_(ArrayRef<TensorIndex>(indices), value);
}
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value) const {
  return index_put_(ArrayRef<TensorIndex>(indices), value);
}

Tensor Tensor::operator[](int64_t index) const { return select(0, index); }

Tensor Tensor::operator[](const Scalar& index) const {
  TAPER_CHECK_INDEX(index.isIntegral(false),
                    "index_put_: Can only index tensors with integral scalars");
  return select(0, index.toLong());
}

Tensor Tensor::operator[](const Tensor& index) const {
  check_defined("operator[]", index, "index");
  TAPER_CHECK_INDEX(index.dim() == 0,
                    "index_put_: Can only index with tensors that are scalars (zero-dim)");
  TAPER_CHECK_INDEX(isIntegralType(index.scalar_type(), false),
                    "index_put_: Can only index tensors with integral scalars");
  return (*this)[index.item()];
}

Tensor& Tensor::operator=(const Tensor& o) && { return copy_(o); }
Tensor& Tensor::operator=(Tensor&& o) && { return copy_(o); }
Tensor& Tensor::operator=(const Scalar& v) && { return fill_(v); }

}  // namespace torch::taper
