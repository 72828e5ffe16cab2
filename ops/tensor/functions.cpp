#include <taper/ops/tensor/functions.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <taper/framework/io/bytes.h>
#include <taper/framework/shape.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/statistics.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/tensor/combine.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/shape.h>
#include <taper/ops/tensor/view.h>
#include <taper/ops/tensor/view_scatter.h>

namespace taper {

// ---------------------------------------------------------------------- copies
Tensor fill(const Tensor& self, const Scalar& value) { return self.clone().fill_(value); }
Tensor fill(const Tensor& self, const Tensor& value) { return self.clone().fill_(value); }
Tensor zero(const Tensor& self) { return self.clone().zero_(); }
Tensor resize(const Tensor& self, IntArrayRef size, optional<MemoryFormat> format) {
  return self.clone().resize_(size, format);
}
Tensor resize_as(const Tensor& self, const Tensor& the_template, optional<MemoryFormat> format) {
  return self.clone().resize_as_(the_template, format);
}
Tensor set(const Tensor& self) { return self.clone().set_(); }
Tensor set(const Tensor& self, const Tensor& source) { return self.clone().set_(source); }
Tensor set(const Tensor& self, const Storage& source) { return self.clone().set_(source); }
Tensor set(const Tensor& self, const Storage& source, int64_t storage_offset, IntArrayRef size,
           IntArrayRef stride) {
  return self.clone().set_(source, storage_offset, size, stride);
}

Tensor copy(const Tensor& self, const Tensor& src, bool non_blocking) {
  return self.clone().copy_(src, non_blocking);
}

// ---------------------------------------------------------------------- lists as one tensor
Tensor flatten_dense_tensors(TensorList tensors) {
  TAPER_CHECK(!tensors.empty(), "flatten_dense_tensors: expected at least one tensor, got none");
  std::vector<Tensor> flat;
  for (const Tensor& t : tensors) flat.push_back(t.reshape({-1}));
  return flat.size() == 1 ? flat[0] : cat(flat);
}

std::vector<Tensor> unflatten_dense_tensors(const Tensor& flat, TensorList tensors) {
  check_defined("unflatten_dense_tensors", flat, "flat");
  std::vector<Tensor> parts;
  int64_t offset = 0;
  for (const Tensor& t : tensors) {
    const int64_t n = t.numel();
    parts.push_back(n == 0 ? flat.new_empty({0}) : flat.narrow(0, offset, n).view(t.sizes()));
    offset += n;
  }
  return parts;
}

// ---------------------------------------------------------------------- geometry
namespace {

/// self becomes another tensor over `storage`; the geometry has been checked.
Tensor& take_over(const Tensor& self, const intrusive_ptr<StorageImpl>& storage,
                  const TensorImpl& geometry) {
  TensorImpl& t = self.impl();
  t.storage = storage;
  t.offset = geometry.offset;
  t.data = geometry.data;
  t.sizes = geometry.sizes;
  t.strides = geometry.strides;
  t.update_geometry();
  t.bump_version();
  return const_cast<Tensor&>(self);
}

void check_without_grad(const char* op, const Tensor& self) {
  check_defined(op, self, "self");
  TAPER_CHECK(!self.requires_grad(), op, ": expected a tensor that does not require a gradient");
}

void check_source(const Tensor& self, ScalarType dtype, Device device) {
  check_without_grad("set_", self);
  TAPER_CHECK(self.scalar_type() == dtype, "set_: expected a source of dtype ", self.scalar_type(),
              ", got ", dtype);
  TAPER_CHECK(self.device() == device, "set_: expected a source on ", self.device(),
              ", got one on ", device);
}

}  // namespace

Tensor& Tensor::as_strided_(IntArrayRef size, IntArrayRef stride,
                            optional<int64_t> storage_offset) const {
  check_without_grad("as_strided_", *this);
  return take_over(*this, impl().storage,
                   taper::as_strided(detach(), size, stride, storage_offset).impl());
}

Tensor& Tensor::resize_as_(const Tensor& the_template, optional<MemoryFormat> format) const {
  check_defined("resize_as_", the_template, "the_template");
  if (format == MemoryFormat::Preserve) format = the_template.suggest_memory_format();
  return resize_(the_template.sizes(), format);
}

Tensor& Tensor::set_(const Tensor& source) const {
  check_defined("set_", source, "source");
  check_source(*this, source.scalar_type(), source.device());
  return take_over(*this, source.impl().storage, source.impl());
}

Tensor& Tensor::set_(const Tensor& source, int64_t storage_offset, IntArrayRef size,
                     IntArrayRef stride) const {
  check_defined("set_", source, "source");
  check_source(*this, source.scalar_type(), source.device());
  return set_(source.storage(), storage_offset, size, stride);
}

Tensor& Tensor::set_() const {
  check_without_grad("set_", *this);
  return set_(detail::make_tensor({0}, scalar_type(), device()));
}

Tensor& Tensor::set_(const Storage& source) const {
  TAPER_CHECK(source, "set_: expected a storage, got none");
  const auto n = static_cast<int64_t>(source.nbytes() / elementSize(scalar_type()));
  return set_(source, 0, {n});
}

Tensor& Tensor::set_(const Storage& source, int64_t storage_offset, IntArrayRef size,
                     IntArrayRef stride) const {
  TAPER_CHECK(source, "set_: expected a storage, got none");
  check_source(*this, scalar_type(), source.device());
  const intrusive_ptr<StorageImpl> storage(source.impl());
  // A tensor of all of the storage, whose as_strided checks the geometry.
  const Tensor whole = detail::make_tensor({0}, scalar_type(), source.device());
  TensorImpl& w = whole.impl();
  w.storage = storage;
  w.data = storage->data;
  w.offset = 0;
  w.set_contiguous_sizes({static_cast<int64_t>(storage->nbytes / w.itemsize())});
  Dims strides(stride);
  if (stride.empty() && !size.empty()) contiguous_strides(Dims(size), strides);
  return take_over(*this, storage, taper::as_strided(whole, size, strides, storage_offset).impl());
}

// ---------------------------------------------------------------------- other methods
Tensor Tensor::as_strided_scatter(const Tensor& src, IntArrayRef size, IntArrayRef stride,
                                  optional<int64_t> storage_offset) const {
  return taper::as_strided_scatter(*this, src, size, stride, storage_offset);
}
Tensor Tensor::narrow_copy(int64_t dim, int64_t start, int64_t length) const {
  return narrow(dim, start, length).clone(MemoryFormat::Contiguous);
}
Tensor Tensor::new_empty_strided(IntArrayRef size, IntArrayRef stride,
                                 TensorOptions options) const {
  const Tensor like = new_empty({0}, options);
  return empty_strided(size, stride, like.options().requires_grad(options.requires_grad()));
}
Tensor Tensor::nansum(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const {
  return taper::nansum(*this, dim, keepdim, dtype);
}
Tensor Tensor::addbmm(const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                      const Scalar& alpha) const {
  return taper::addbmm(*this, batch1, batch2, beta, alpha);
}
Tensor& Tensor::addbmm_(const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                        const Scalar& alpha) const {
  return in_place("addbmm_", *this, {batch1, batch2},
                  [&](const Tensor& x) { return taper::addbmm(x, batch1, batch2, beta, alpha); });
}
Tensor& Tensor::put_(const Tensor& index, const Tensor& source, bool accumulate) const {
  return in_place("put_", *this, {index, source},
                  [&](const Tensor& x) { return taper::put(x, index, source, accumulate); });
}
Tensor& Tensor::renorm_(const Scalar& p, int64_t dim, const Scalar& maxnorm) const {
  return in_place("renorm_", *this, {},
                  [&](const Tensor& x) { return taper::renorm(x, p, dim, maxnorm); });
}
Tensor& Tensor::mvlgamma_(int64_t p) const {
  return pointwise_in_place("mvlgamma_", *this, {},
                            [&](const Tensor& x) { return taper::mvlgamma(x, p); });
}
Tensor& Tensor::polygamma_(int64_t n) const {
  return pointwise_in_place("polygamma_", *this, {},
                            [&](const Tensor& x) { return taper::polygamma(n, x); });
}

// ---------------------------------------------------------------------- files
Tensor from_file(std::string_view filename, optional<bool> shared, optional<int64_t> size,
                 TensorOptions options) {
  const std::string path(filename);
  const bool writes = shared.value_or(false);
  const int64_t n = size.value_or(0);
  TAPER_CHECK(n >= 0, "from_file: expected a size of at least 0, got ", n);
  const size_t nbytes = static_cast<size_t>(n) * elementSize(options.scalar_type());
  if (n == 0) return empty({0}, options);
  const serialize::detail::Descriptor file{::open(path.c_str(), writes ? O_RDWR : O_RDONLY)};
  struct stat status = {};
  TAPER_CHECK(file.fd >= 0 && ::fstat(file.fd, &status) == 0, "from_file: ", path,
              " cannot be opened: ", std::strerror(errno));
  TAPER_CHECK(static_cast<size_t>(status.st_size) >= nbytes, "from_file: expected ", path,
              " to have at least ", nbytes, " bytes, got ", status.st_size);
  void* data = ::mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, writes ? MAP_SHARED : MAP_PRIVATE,
                      file.fd, 0);
  TAPER_CHECK(data != MAP_FAILED, "from_file: ", path, " cannot be mapped: ", std::strerror(errno));
  return from_blob(
      data, {n}, [nbytes](void* p) { ::munmap(p, nbytes); }, options);
}

}  // namespace taper
