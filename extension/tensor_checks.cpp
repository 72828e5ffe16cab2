#include <taper/extension/tensor_checks.h>

#include <sstream>
#include <utility>

#include <taper/framework/core/type_properties.h>

namespace torch::taper {

// ---------------------------------------------------------------- geometry
std::vector<int64_t> detail::defaultStrides(IntArrayRef sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= sizes[d] > 1 ? sizes[d] : 1;
  }
  return strides;
}

TensorGeometry::TensorGeometry(IntArrayRef sizes)
    : sizes_(sizes.vec()), strides_(detail::defaultStrides(sizes)) {
  for (int64_t s : sizes) numel_ *= s;
}
TensorGeometry::TensorGeometry(const Tensor& t)
    : sizes_(t.sizes().vec()),
      strides_(t.strides().vec()),
      storage_offset_(t.storage_offset()),
      numel_(t.numel()) {}

size_t TensorGeometry::wrapped(int64_t dim) const {
  const int64_t n = this->dim();
  TAPER_CHECK_INDEX(dim >= -n && dim < n, "Dimension out of range (expected to be in range of [",
                    -n, ", ", n - 1, "], but got ", dim, ")");
  return static_cast<size_t>(dim < 0 ? dim + n : dim);
}

bool TensorGeometry::is_contiguous() const {
  int64_t expected = 1;
  if (numel_ == 0) return true;
  for (size_t d = sizes_.size(); d-- > 0;) {
    if (sizes_[d] != 1 && strides_[d] != expected) return false;
    expected *= sizes_[d];
  }
  return true;
}

TensorGeometry TensorGeometry::transpose(int64_t a, int64_t b) const {
  TensorGeometry other(*this);
  std::swap(other.sizes_[wrapped(a)], other.sizes_[wrapped(b)]);
  std::swap(other.strides_[wrapped(a)], other.strides_[wrapped(b)]);
  return other;
}

// ---------------------------------------------------------------- checks
namespace {

/// Formats a name as "argument #1 'x'".
struct Name {
  const char* name;
  int pos;
  friend std::ostream& operator<<(std::ostream& out, const Name& n) {
    return out << "argument #" << n.pos << " '" << n.name << "'";
  }
};
template <class Arg>
Name name_of(const Arg& arg) {
  return {arg.name, arg.pos};
}

template <class... Parts>
void require(bool holds, CheckedFrom c, const Parts&... parts) {
  if (__builtin_expect(!holds, 0))
    throw Error(detail::concat(parts..., " (while checking arguments for ", c, ")"));
}

using Pairwise = void (*)(CheckedFrom, const TensorArg&, const TensorArg&);
/// Checks each defined tensor against the first one.
void check_all(CheckedFrom c, ArrayRef<TensorArg> tensors, Pairwise check) {
  const TensorArg* first = nullptr;
  for (const TensorArg& t : tensors) {
    if (!t->defined()) continue;
    if (first) check(c, *first, t);
    if (!first) first = &t;
  }
}

void check_dim(CheckedFrom c, int64_t got, Name name, int64_t dim) {
  require(got == dim, c, "Expected ", dim, "-dimensional tensor, but got ", got,
          "-dimensional tensor for ", name);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const TensorGeometryArg& arg) {
  return out << name_of(arg);
}

void checkDim(CheckedFrom c, const TensorGeometryArg& t, int64_t dim) {
  check_dim(c, t->dim(), name_of(t), dim);
}
void checkDim(CheckedFrom c, const Tensor& t, const char* name, int pos, int64_t dim) {
  check_dim(c, t.dim(), {name, pos}, dim);
}
void checkDimRange(CheckedFrom c, const TensorGeometryArg& t, int64_t dim_start, int64_t dim_end) {
  require(t->dim() >= dim_start && t->dim() < dim_end, c, "Expected ", dim_start, " to ",
          dim_end - 1, " dimensions, but got ", t->dim(), "-dimensional tensor for ", name_of(t));
}
void checkSameDim(CheckedFrom c, const TensorGeometryArg& t1, const TensorGeometryArg& t2) {
  require(t1->dim() == t2->dim(), c, "Expected tensor for ", name_of(t1),
          " to have the same dimension as tensor for ", name_of(t2), "; but ", t1->dim(),
          " does not equal ", t2->dim());
}

void checkContiguous(CheckedFrom c, const TensorGeometryArg& t) {
  require(t->is_contiguous(), c, "Expected contiguous tensor, but got non-contiguous tensor for ",
          name_of(t));
}
void checkAllContiguous(CheckedFrom c, ArrayRef<TensorArg> tensors) {
  for (const TensorArg& t : tensors)
    if (t->defined()) checkContiguous(c, t);
}

void checkSize(CheckedFrom c, const TensorGeometryArg& t, IntArrayRef sizes) {
  check_dim(c, t->dim(), name_of(t), static_cast<int64_t>(sizes.size()));
  require(t->sizes() == sizes, c, "Expected tensor of size ", sizes, ", but got tensor of size ",
          t->sizes(), " for ", name_of(t));
}
void checkSize(CheckedFrom c, const TensorGeometryArg& t, int64_t dim, int64_t size) {
  require(t->size(dim) == size, c, "Expected tensor to have size ", size, " at dimension ", dim,
          ", but got size ", t->size(dim), " for ", name_of(t));
}

void checkNumel(CheckedFrom c, const TensorGeometryArg& t, int64_t numel) {
  require(t->numel() == numel, c, "Expected tensor for ", name_of(t), " to have ", numel,
          " elements; but it actually has ", t->numel(), " elements");
}
void checkSameNumel(CheckedFrom c, const TensorArg& t1, const TensorArg& t2) {
  require(t1->numel() == t2->numel(), c, "Expected tensor for ", name_of(t1),
          " to have same number of elements as tensor for ", name_of(t2), "; but ", t1->numel(),
          " does not equal ", t2->numel());
}
void checkAllSameNumel(CheckedFrom c, ArrayRef<TensorArg> tensors) {
  check_all(c, tensors, checkSameNumel);
}
void checkSameSize(CheckedFrom c, const TensorArg& t1, const TensorArg& t2) {
  require(t1->sizes() == t2->sizes(), c, "Expected tensor for ", name_of(t1),
          " to have same size as tensor for ", name_of(t2), "; but ", t1->sizes(),
          " does not equal ", t2->sizes());
}
void checkAllSameSize(CheckedFrom c, ArrayRef<TensorArg> tensors) {
  check_all(c, tensors, checkSameSize);
}

void checkScalarType(CheckedFrom c, const TensorArg& t, ScalarType dtype) {
  require(t->scalar_type() == dtype, c, "Expected tensor for ", name_of(t), " to have scalar type ",
          toString(dtype), "; but got ", t->toString(), " instead");
}
void checkScalarTypes(CheckedFrom c, const TensorArg& t, ArrayRef<ScalarType> dtypes) {
  std::string names;
  for (ScalarType s : dtypes) {
    if (t->scalar_type() == s) return;
    names += std::string(names.empty() ? "" : ", ") + toString(s);
  }
  require(false, c, "Expected tensor for ", name_of(t),
          " to have one of the following scalar types: ", names, "; but got ", t->toString(),
          " instead");
}

void checkSameType(CheckedFrom c, const TensorArg& t1, const TensorArg& t2) {
  require(t1->type() == t2->type(), c, "Expected tensor for ", name_of(t1),
          " to have the same type as tensor for ", name_of(t2), "; but type ", t1->toString(),
          " does not equal ", t2->toString());
}
void checkAllSameType(CheckedFrom c, ArrayRef<TensorArg> tensors) {
  check_all(c, tensors, checkSameType);
}

void checkSameGPU(CheckedFrom c, const TensorArg& t1, const TensorArg& t2) {
  std::ostringstream on_host;
  for (const TensorArg* t : {&t1, &t2})
    if ((*t)->is_cpu()) on_host << "Tensor for " << name_of(*t) << " is on CPU, ";
  require(on_host.str().empty(), c, on_host.str(), "but expected ",
          t1->is_cpu() && t2->is_cpu() ? "it" : "them", " to be on GPU");
  require(t1->device() == t2->device(), c, "Expected tensor for ", name_of(t1),
          " to have the same device as tensor for ", name_of(t2), "; but device ", t1->get_device(),
          " does not equal ", t2->get_device());
}
void checkAllSameGPU(CheckedFrom c, ArrayRef<TensorArg> tensors) {
  check_all(c, tensors, checkSameGPU);
}

void checkDefined(CheckedFrom c, const TensorArg& t) {
  require(t->defined(), c, "Expected tensor for ", name_of(t), " to be non-null, but it was ",
          "undefined");
}
void checkAllDefined(CheckedFrom c, ArrayRef<TensorArg> tensors) {
  for (const TensorArg& t : tensors) checkDefined(c, t);
}

void checkBackend(CheckedFrom c, ArrayRef<Tensor> tensors, Backend backend) {
  const auto name = [](Backend b) { return b == Backend::CUDA ? "CUDA" : "CPU"; };
  for (const Tensor& t : tensors)
    require(!t.defined() || t.type().backend() == backend, c, "Expected tensor to have ",
            name(backend), " Backend, but got tensor with ", name(t.type().backend()), " Backend");
}
void checkDeviceType(CheckedFrom c, ArrayRef<Tensor> tensors, DeviceType type) {
  for (const Tensor& t : tensors)
    require(!t.defined() || t.device().type() == type, c, "Expected tensor to have ", type,
            " DeviceType, but got tensor with ", t.device().type(), " DeviceType");
}
void checkLayout(CheckedFrom c, const Tensor& t, Layout layout) {
  require(!t.defined() || t.layout() == layout, c,
          "Expected tensor to have another layout: ", "all tensors here are strided");
}
void checkLayout(CheckedFrom c, ArrayRef<Tensor> tensors, Layout layout) {
  for (const Tensor& t : tensors) checkLayout(c, t, layout);
}

void check_dim_size(const Tensor& t, int64_t dim, int64_t dim_size, int64_t size) {
  const bool there = t.dim() == dim;
  TAPER_CHECK(there && t.size(dim_size) == size, "Expected a tensor of dimension ", dim,
              " and tensor.size[", dim_size, "] == ", size, " but got: dimension ", t.dim(),
              " and tensor.size[", dim_size,
              "] = ", dim_size < t.dim() ? std::to_string(t.size(dim_size)) : std::string("none"));
}

void* maybe_data_ptr(const Tensor& t) { return t.defined() ? t.data_ptr() : nullptr; }
void* maybe_data_ptr(const TensorArg& t) { return maybe_data_ptr(t.tensor); }

}  // namespace torch::taper
