// Which kernel: the one place that looks at a tensor's device.
//
//   TAPER_KERNEL(softmax, Out y, In x, int64_t dim)      declares cpu::softmax and cuda::softmax
//   TAPER_ON_DEVICE(x, softmax, y, x, dim)               runs the right one
//
// A kernel takes views and numbers by value. It owns nothing and waits for nothing, so a launch can
// outlive the call that made it: a simulated device queues the CPU kernel, a GPU queues its own.
#pragma once

#include <tuple>

#include <taper/framework/runtime/access.h>
#include <taper/framework/runtime/stream.h>
#include <taper/framework/tensor.h>

namespace taper {

/// What a kernel may read: no ownership, all geometry by value. A 0-dim In may hold the number
/// itself (`immediate`) in place of memory.
struct In {
  const void* data = nullptr;
  ScalarType dtype = ScalarType::Undefined;
  bool contiguous = true;
  int64_t numel = 1;
  Dims sizes;
  Dims strides;
  /// Storage for a number given in place of a tensor; used when data is null and numel is 1.
  alignas(8) unsigned char immediate[16];

  In() = default;
  In(const Tensor& t) {
    if (!t.defined()) {
      numel = 0;
      return;
    }
    const TensorImpl& i = *t.impl_ptr();
    data = i.data;
    dtype = i.dtype;
    contiguous = i.contiguous;
    numel = i.numel;
    sizes = i.sizes;
    strides = i.strides;
  }
  /// A number of the given dtype.
  static In number(const Scalar& v, ScalarType dtype);
  bool defined() const { return dtype != ScalarType::Undefined; }
  int64_t dim() const { return sizes.size(); }
  /// The memory, or the number itself. Valid while this In lives.
  const void* bytes() const { return data || numel != 1 ? data : immediate; }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(bytes());
  }
};

/// What a kernel writes (every element, without reading it first).
struct Out {
  void* data = nullptr;
  ScalarType dtype = ScalarType::Undefined;
  bool contiguous = true;
  int64_t numel = 0;
  Dims sizes;
  Dims strides;

  Out() = default;
  Out(const Tensor& t) {
    if (!t.defined()) return;
    const TensorImpl& i = *t.impl_ptr();
    data = i.data;
    dtype = i.dtype;
    contiguous = i.contiguous;
    numel = i.numel;
    sizes = i.sizes;
    strides = i.strides;
  }
  bool defined() const { return dtype != ScalarType::Undefined; }
  int64_t dim() const { return sizes.size(); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

/// What a kernel reads and writes, or writes only in part.
struct InOut : Out {
  using Out::Out;
};

namespace detail {

template <class A>
void check_on_device(const char*, Device, int, const A&) {}
inline void check_on_device(const char* kernel, Device device, int input, const Tensor& t) {
  TAPER_CHECK(!t.defined() || t.device() == device,
              "Expected all tensors to be on the same device, but found at least two devices, ",
              device, " and ", t.device(), "! (when checking input ", input, " of '", kernel, "')");
}

// What an argument lets a kernel read or write.
template <class A>
void add_accesses(std::vector<Access>&, const A&) {}
inline void add_accesses(std::vector<Access>& all, const In& x) {
  if (x.data) all.push_back({x.data, elementSize(x.dtype), x.sizes, x.strides, false});
}
inline void add_accesses(std::vector<Access>& all, const Out& y) {
  if (y.data) all.push_back({y.data, elementSize(y.dtype), y.sizes, y.strides, true});
}
inline void add_accesses(std::vector<Access>& all, const InOut& y) {
  add_accesses(all, static_cast<const Out&>(y));
}
inline void add_accesses(std::vector<Access>& all, const std::vector<In>& xs) {
  for (const In& x : xs) add_accesses(all, x);
}

/// Tells the race detector and captures what the arguments `pack` of a kernel let it read and
/// write.
template <class... P>
void watch_arguments(const char* name, Device device, const std::tuple<P...>& pack) {
  std::vector<Access> accesses;
  std::apply([&](const P&... p) { (add_accesses(accesses, p), ...); }, pack);
  watch_kernel(name, device, accesses);
}

/// Queues `kernel` on the current stream of `device` with the arguments by value; on a GPU that is
/// the CUDA kernel's own launch, made at once. The host runs it at once, or in replays where it is
/// captured.
template <class... P, class... A>
void launch(const char* name, Device device, void (*kernel)(P...), A&&... args) {
  int input = 0;  // outputs do not count
  if (!device.is_cpu())
    (check_on_device(name, device, input += !std::is_same<std::decay_t<P>, Out>::value, args), ...);
  std::tuple<std::decay_t<P>...> pack(std::forward<A>(args)...);
  if (observes_launches()) watch_arguments(name, device, pack);
  if (device.is_cpu() && !captures_host()) return std::apply(kernel, pack);
  const auto work = [kernel, pack = std::move(pack)] { std::apply(kernel, pack); };
  return device.is_cpu() ? record_on_host(name, work) : launch_on(device.index(), name, work);
}

}  // namespace detail
}  // namespace taper

// TAPER_CUDA_KERNELS: undefined where there are none, 1 for kernels that nvcc has compiled, 2 for
// those that the host's compiler has, for simulated devices. A build that lacks one does not link.
#if !defined(TAPER_CUDA_KERNELS)
#define TAPER_CUDA_KERNEL(kernel) &cpu::kernel
#elif TAPER_CUDA_KERNELS == 1
#define TAPER_CUDA_KERNEL(kernel) (::taper::detail::on_gpu() ? &cuda::kernel : &cpu::kernel)
#else
#define TAPER_CUDA_KERNEL(kernel) &cuda::kernel
#endif

#define TAPER_KERNEL(name, ...) \
  namespace cpu {               \
  void name(__VA_ARGS__);       \
  }                             \
  namespace cuda {              \
  void name(__VA_ARGS__);       \
  }

/// Runs `kernel(args...)` where tensor `t` lives.
#define TAPER_ON_DEVICE(t, kernel, ...)                                                        \
  do {                                                                                         \
    const ::taper::Device taper_where = (t).device();                                          \
    if (__builtin_expect(taper_where.is_cpu() && !::taper::detail::observes_launches(), 1))    \
      cpu::kernel(__VA_ARGS__);                                                                \
    else                                                                                       \
      ::taper::detail::launch(#kernel, taper_where,                                            \
                              taper_where.is_cpu() ? &cpu::kernel : TAPER_CUDA_KERNEL(kernel), \
                              __VA_ARGS__);                                                    \
  } while (false)
