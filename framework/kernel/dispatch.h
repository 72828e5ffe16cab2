// Dispatch: the one place that selects a kernel by a tensor's device.
//
//   TAPER_KERNEL(softmax, Out y, In x, int64_t dim)      declares cpu::softmax and cuda::softmax
//   TAPER_ON_DEVICE(x, softmax, y, x, dim)               runs the one of x's device
//
// A kernel takes views and numbers by value. It owns nothing and waits for nothing, so a launch can
// outlive the call that made it. A simulated device queues the CPU kernel, a GPU its CUDA kernel.
#pragma once

#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/access.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper {

/// An operand that a kernel reads. It owns nothing, and holds sizes and strides by value. A 0-dim
/// In may hold a number (`immediate`) instead of memory.
struct In {
  const void* data = nullptr;
  ScalarType dtype = ScalarType::Undefined;
  bool contiguous = true;
  int64_t numel = 1;
  Dims sizes;
  Dims strides;
  /// The bytes of a number that replaces a tensor. Used if data is null and numel is 1.
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
  /// Returns an In that holds the number `v` as `dtype`.
  static In number(const Scalar& v, ScalarType dtype);
  bool defined() const { return dtype != ScalarType::Undefined; }
  int64_t dim() const { return sizes.size(); }
  /// Returns the address of the memory or of the number. The address is valid while this In lives.
  const void* bytes() const { return data || numel != 1 ? data : immediate; }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(bytes());
  }
};

/// An operand of which a kernel writes every element, without reading it first.
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

/// An operand that a kernel reads and writes, or writes only in part.
struct InOut : Out {
  using Out::Out;
};

namespace detail {

template <class A>
void check_on_device(const char*, Device, int, const A&) {}
void check_on_device(const char* kernel, Device device, int input, const Tensor& t);

// Append the memory accesses that a kernel may make through an argument to `all`.
template <class A>
void add_accesses(std::vector<Access>&, const A&) {}
void add_accesses(std::vector<Access>& all, const In& x);
void add_accesses(std::vector<Access>& all, const Out& y);
void add_accesses(std::vector<Access>& all, const InOut& y);
void add_accesses(std::vector<Access>& all, const std::vector<In>& xs);

/// A tuple of a kernel's arguments, held by value. (A std::tuple of trivial types is not trivial.)
template <class... P>
struct Arguments {
  template <class F, class... Q>
  void pass_to(const F& f, const Q&... q) const {
    f(q...);
  }
};
template <class P, class... Rest>
struct Arguments<P, Rest...> {
  P first;
  Arguments<Rest...> rest;
  template <class F, class... Q>
  void pass_to(const F& f, const Q&... q) const {
    rest.pass_to(f, q..., first);
  }
};
inline Arguments<> pack(Arguments<>*) { return {}; }
/// Returns the tuple of the arguments. Each argument is constructed in place.
template <class P, class... Rest, class A, class... More>
Arguments<P, Rest...> pack(Arguments<P, Rest...>*, A&& a, More&&... more) {
  return {P(std::forward<A>(a)),
          pack(static_cast<Arguments<Rest...>*>(nullptr), std::forward<More>(more)...)};
}

/// A kernel with its arguments.
template <class... P>
struct KernelLaunch : Launch {
  using Args = Arguments<std::decay_t<P>...>;
  void (*kernel)(P...);
  Args args;

  template <class... A>
  explicit KernelLaunch(const cpu::KernelInfo* info, void (*k)(P...), A&&... a)
      : Launch{its_kind, info},
        kernel(k),
        args(pack(static_cast<Args*>(nullptr), std::forward<A>(a)...)) {}
  static const KernelLaunch& of(const Launch& l) { return static_cast<const KernelLaunch&>(l); }
  static void run(const Launch& l) { of(l).args.pass_to(of(l).kernel); }
  static __attribute__((cold)) void add_accesses_to(const Launch& l, std::vector<Access>& all) {
    of(l).args.pass_to([&all](const auto&... p) { (add_accesses(all, p), ...); });
  }
  template <class L>
  static void move_to(void* to, Launch& from) {
    new (to) L(std::move(static_cast<L&>(from)));
  }
  template <class L>
  static void destroy(const Launch& l) {
    static_cast<const L&>(l).~L();
  }
  static constexpr LaunchKind make_kind() {
    if constexpr (std::is_trivially_destructible<Args>::value)  // it owns nothing
      return {sizeof(KernelLaunch), run, add_accesses_to, nullptr, nullptr};
    else
      return {sizeof(KernelLaunch), run, add_accesses_to, move_to<KernelLaunch>,
              destroy<KernelLaunch>};
  }
  static const LaunchKind its_kind;
};
template <class... P>
const LaunchKind KernelLaunch<P...>::its_kind = KernelLaunch<P...>::make_kind();

/// Queues `kernel` with copies of the arguments on the current stream of `device`. On a GPU, the
/// CUDA kernel is launched at once. On the CPU, the kernel runs at once. If the CPU's work is
/// captured, it runs only in replays.
template <class... P, class... A>
__attribute__((cold, noinline)) void launch_known(const char* name, Device device,
                                                  const cpu::KernelInfo* info, void (*kernel)(P...),
                                                  A&&... args) {
  int input = 0;  // outputs are not counted
  if (!device.is_cpu())
    (check_on_device(name, device, input += !std::is_same<std::decay_t<P>, Out>::value, args), ...);
  make_launch(name, device, KernelLaunch<P...>(info, kernel, std::forward<A>(args)...));
}
/// Launches a kernel without a KernelInfo.
template <class... P, class... A>
void launch(const char* name, Device device, void (*kernel)(P...), A&&... args) {
  launch_known(name, device, nullptr, kernel, std::forward<A>(args)...);
}

/// Returns the kernel that runs on CUDA devices: `cuda`, or `cpu` on simulated devices in a build
/// without CUDA kernels.
template <class Kernel>
Kernel* kernel_for_cuda(Kernel* cpu, Kernel* cuda) {
  return runs_cuda_kernels() ? cuda : cpu;
}

}  // namespace detail
}  // namespace torch::taper

/// Declares both kernels of a name, and the CPU kernel's info (kernel_info.h). The reference to the
/// CUDA kernel is weak, because a build without CUDA kernels lacks it and never calls it.
/// (tests/gpu/kernels.sh checks that other builds have all kernels.) With a weak reference, sources
/// that call kernels compile to equal code in all builds.
#define TAPER_KERNEL(name, ...)                                                           \
  namespace cpu {                                                                         \
  void name(__VA_ARGS__);                                                                 \
  extern __attribute__((weak, visibility("hidden"))) const struct KernelInfo name##_info; \
  }                                                                                       \
  namespace cuda {                                                                        \
  __attribute__((weak)) void name(__VA_ARGS__);                                           \
  }

/// Runs `kernel(args...)` on the device of tensor `t`.
#define TAPER_ON_DEVICE(t, kernel, ...)                                                         \
  do {                                                                                          \
    const ::taper::Device taper_where = (t).device();                                           \
    if (__builtin_expect(taper_where.is_cpu() && !::taper::detail::observes_launches(), 1))     \
      cpu::kernel(__VA_ARGS__);                                                                 \
    else                                                                                        \
      ::taper::detail::launch_known(                                                            \
          #kernel, taper_where, &cpu::kernel##_info,                                            \
          taper_where.is_cpu() ? &cpu::kernel                                                   \
                               : ::taper::detail::kernel_for_cuda(&cpu::kernel, &cuda::kernel), \
          __VA_ARGS__);                                                                         \
  } while (false)
