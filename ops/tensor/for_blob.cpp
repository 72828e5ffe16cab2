#include <taper/ops/tensor/for_blob.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/io/bytes.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/factory_finish.h>

namespace torch::taper {

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

}  // namespace torch::taper
