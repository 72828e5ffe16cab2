#include <taper/ops/tensor/for_blob.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <taper/framework/autograd/door.h>
#include <taper/framework/capture/capture.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/float8.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/io/bytes.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/factory_finish.h>

namespace torch::taper {

using detail::finish;

namespace {

// Returns the device of given memory: the host unless the options name another, whatever the
// default.
Device memory_of(const TensorOptions& options) {
  return options.has_device() ? options.device() : Device();
}

}  // namespace

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 const std::function<void(void*)>& deleter, TensorOptions options) {
  const int64_t reach = detail::strided_numel("from_blob", sizes, strides, options.scalar_type());
  TAPER_CHECK(data || reach == 0, "from_blob: expected a data pointer for sizes ", sizes,
              ", got a null pointer");
  const size_t nbytes = static_cast<size_t>(reach) * elementSize(options.scalar_type());
  Tensor y = detail::make_tensor(0, options.scalar_type(), memory_of(options));
  TensorImpl& impl = y.impl();
  impl.storage = wrap_storage(data, nbytes, impl.device, deleter);
  impl.data = data;
  impl.sizes = sizes;
  impl.strides = strides;
  impl.update_geometry();
  return detail::finish(std::move(y), options);
}

Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                 TensorOptions options) {
  Dims strides;
  contiguous_strides(sizes, strides);
  return from_blob(data, sizes, strides, deleter, options);
}

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, TensorOptions options) {
  return from_blob(data, sizes, strides, std::function<void(void*)>(), options);
}

Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options) {
  return from_blob(data, sizes, std::function<void(void*)>(), options);
}

TensorMaker& TensorMaker::strides(OptionalIntArrayRef v) {
  strides_ = v.has_value() ? optional<Dims>(Dims(*v)) : nullopt;
  return *this;
}

TensorMaker& TensorMaker::context(void* owner, ContextDeleter deleter) {
  deleter_ = [owner, deleter](void*) {
    if (deleter) deleter(owner);
  };
  return *this;
}

Tensor TensorMaker::make_tensor() {
  TAPER_CHECK(offset_ >= 0, "for_blob: expected a storage_offset of at least 0, got ", offset_);
  Dims strides;
  contiguous_strides(sizes_, strides);
  if (strides_) strides = *strides_;
  TensorOptions options = options_.requires_grad(false);
  if (device_) options = options.device(*device_);
  // Without an offset, from_blob checks the geometry and computes the memory that it needs.
  const size_t itemsize = elementSize(options.scalar_type());
  const Storage needed = from_blob(data_, sizes_, strides, options).storage();
  const int64_t n =
      detail::checked_add("for_blob", offset_, static_cast<int64_t>(needed.nbytes() / itemsize));
  const Tensor memory = from_blob(data_, {n}, deleter_, options);
  Tensor y = detail::share_data(memory.impl(), sizes_, strides, offset_);
  if (options_.requires_grad()) y.set_requires_grad(true);
  return y;
}

Tensor from_file(std::string_view filename, optional<bool> shared, optional<int64_t> size,
                 TensorOptions options) {
  if (auto done = at_door<"from_file">(filename, shared, size, options)) return done;
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

// ---------------------------------------------------------------- from numbers
namespace detail {

TensorDataContainer::TensorDataContainer() : kind_(Kind::kList), dtype_(default_dtype()) {}

TensorDataContainer::TensorDataContainer(const void* values, size_t count, ScalarType dtype)
    : kind_(Kind::kArray), dtype_(dtype) {
  array_ = make_tensor(static_cast<int64_t>(count), dtype, Device());
  if (count > 0) __builtin_memcpy(array_.data_ptr(), values, count * elementSize(dtype));
}

TensorDataContainer::TensorDataContainer(const std::vector<bool>& values)
    : kind_(Kind::kArray), dtype_(kBool) {
  array_ = make_tensor(static_cast<int64_t>(values.size()), kBool, Device());
  bool* p = array_.data_ptr<bool>();
  for (bool v : values) *p++ = v;
}

ScalarType TensorDataContainer::dtype() const {
  return kind_ == Kind::kList && count_ > 0 ? list_->dtype() : dtype_;
}

void TensorDataContainer::append_sizes(Dims& sizes) const {
  if (kind_ == Kind::kArray) sizes.push_back(array_.numel());
  if (kind_ != Kind::kList) return;
  sizes.push_back(static_cast<int64_t>(count_));
  if (count_ > 0) list_->append_sizes(sizes);
}

std::string TensorDataContainer::text() const {
  if (kind_ == Kind::kNumber) return concat(number_);
  const size_t count = kind_ == Kind::kArray ? static_cast<size_t>(array_.numel()) : count_;
  std::string s = "{";
  for (size_t i = 0; i < count; ++i) {
    if (i) s += ", ";
    s += kind_ == Kind::kArray ? concat(array_[static_cast<int64_t>(i)].item()) : list_[i].text();
  }
  return s + "}";
}

std::ostream& operator<<(std::ostream& out, const TensorDataContainer& data) {
  return out << data.text();
}

const Scalar& TensorDataContainer::scalar() const {
  TAPER_CHECK(is_scalar(),
              "Can only call `scalar()` on a TensorDataContainer that has `is_scalar() == true`");
  return number_;
}

ArrayRef<TensorDataContainer> TensorDataContainer::init_list() const {
  TAPER_CHECK(
      is_init_list(),
      "Can only call `init_list()` on a TensorDataContainer that has `is_init_list() == true`");
  return {list_, count_};
}

const Tensor& TensorDataContainer::tensor() const {
  TAPER_CHECK(is_tensor(),
              "Can only call `tensor()` on a TensorDataContainer that has `is_tensor() == true`");
  return array_;
}

std::vector<int64_t> TensorDataContainer::sizes() const {
  Dims sizes;
  append_sizes(sizes);
  return {sizes.begin(), sizes.end()};
}

namespace {

/// Returns sizes in the format of LibTorch's errors for nested lists: "2 3".
std::string listed(const Dims& sizes) {
  std::string s;
  for (int64_t size : sizes) s += (s.empty() ? "" : " ") + std::to_string(size);
  return s;
}

}  // namespace

void TensorDataContainer::check_uniform() const {
  if (kind_ != Kind::kList || count_ == 0) return;
  Dims first;
  list_->append_sizes(first);
  for (size_t i = 0; i < count_; ++i) {
    list_[i].check_uniform();
    Dims sizes;
    list_[i].append_sizes(sizes);
    TAPER_CHECK(sizes == first, "tensor: Expected all sub-lists to have sizes: ", listed(first),
                " (e.g. ", list_->text(), "), but got sub-list ", list_[i].text(),
                " with sizes: ", listed(sizes));
    TAPER_CHECK(list_[i].dtype() == list_->dtype(),
                "tensor: Expected all elements of the tensor to have the same scalar type: ",
                toString(list_->dtype()),
                ", but got element of scalar type: ", toString(list_[i].dtype()));
  }
}

template <class T>
void TensorDataContainer::write(T*& to) const {
  if (kind_ == Kind::kNumber) {
    check_fits(number_, CppTypeToScalarType<T>::value);
    *to++ = number_.to<T>();
  } else if (kind_ == Kind::kArray) {
    const Tensor values = array_.to(CppTypeToScalarType<T>::value);
    const T* from = values.data_ptr<T>();
    to = std::copy_n(from, values.numel(), to);
  } else {
    for (size_t i = 0; i < count_; ++i) list_[i].write(to);
  }
}

Tensor TensorDataContainer::to_tensor(const TensorOptions& options) const {
  const Tensor y = to_host_tensor(options);
  if (captures_host()) {
    keep_for_replays(Device(), y);
    return y.clone();  // a replay copies them again
  }
  if (options.pinned_memory())
    return y.to(TensorOptions(y.scalar_type()).device(options.device()).pinned_memory(true));
  return options.device() == y.device() ? y : y.to(options.device());
}

Tensor TensorDataContainer::to_host_tensor(const TensorOptions& options) const {
  const CaptureSuspension now;
  check_uniform();
  ScalarType dtype = options.scalar_type();
  if (!options.has_dtype() && !isFloatingType(this->dtype()))
    dtype = this->dtype() == kInt ? kLong : this->dtype();
  if (!options.has_dtype() && isReducedFloatingType(this->dtype())) dtype = this->dtype();
  Dims sizes;
  append_sizes(sizes);
  Tensor y = make_tensor(sizes, dtype, Device());
  const auto write_all = [&](auto zero) {
    auto* to = y.data_ptr<decltype(zero)>();
    write(to);
  };
  switch_dtype<dtypes::Joined<dtypes::Any, dtypes::Stored>>(
      dtype, "tensor", [&]<class scalar_t>() { write_all(scalar_t()); });
  return y;
}

}  // namespace detail

Tensor tensor(const detail::TensorDataContainer& data, const TensorOptions& options) {
  return finish(data.to_tensor(options), options);
}

}  // namespace torch::taper
