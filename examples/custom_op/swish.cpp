// mine::swish(x, beta) = x * sigmoid(beta * x): its kernels for the CPU, its derivative and its
// registration. (P. Ramachandran, B. Zoph, Q. V. Le: Searching for Activation Functions, 2017.)
#include <ATen/Parallel.h>
#include <torch/library.h>
#include <torch/torch.h>

#include <cmath>

namespace {

using torch::Tensor;

void check(const char* op, const Tensor& x) {
  TORCH_CHECK(x.is_floating_point(), op, ": expected floating-point numbers, got ",
              x.scalar_type());
}

// y[i] = f(a[i], b[i]) for dense tensors of one size, on all cores.
template <class T, class F>
void map(const Tensor& a, const Tensor& b, Tensor& y, F f) {
  const T* const pa = a.const_data_ptr<T>();
  const T* const pb = b.const_data_ptr<T>();
  T* const py = y.mutable_data_ptr<T>();
  at::parallel_for(0, y.numel(), 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) py[i] = f(pa[i], pb[i]);
  });
}

Tensor swish_cpu(const Tensor& x, double beta) {
  check("swish", x);
  const Tensor in = x.contiguous();
  Tensor y = torch::empty_like(in);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "swish", [&] {
    const auto b = static_cast<scalar_t>(beta);
    map<scalar_t>(in, in, y, [=](scalar_t v, scalar_t) { return v / (1 + std::exp(-b * v)); });
  });
  return y;
}
Tensor swish_backward_cpu(const Tensor& grad, const Tensor& x, double beta) {
  check("swish_backward", x);
  TORCH_CHECK(grad.sizes() == x.sizes() && grad.scalar_type() == x.scalar_type(),
              "swish_backward: expected a gradient like x, got sizes ", grad.sizes(), " for ",
              x.sizes());
  const Tensor g = grad.contiguous(), in = x.contiguous();
  Tensor y = torch::empty_like(in);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "swish_backward", [&] {
    const auto b = static_cast<scalar_t>(beta);
    map<scalar_t>(g, in, y, [=](scalar_t dy, scalar_t v) {
      const scalar_t s = 1 / (1 + std::exp(-b * v));
      return dy * (s + b * v * s * (1 - s));
    });
  });
  return y;
}

// Call the operators by name, on the device of their tensors.
Tensor swish(const Tensor& x, double beta) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("mine::swish", "")
                             .typed<Tensor(const Tensor&, double)>();
  return op.call(x, beta);
}
Tensor swish_backward(const Tensor& grad, const Tensor& x, double beta) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("mine::swish_backward", "")
                             .typed<Tensor(const Tensor&, const Tensor&, double)>();
  return op.call(grad, x, beta);
}

struct Swish : torch::autograd::Function<Swish> {
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, double beta) {
    ctx->save_for_backward({x});
    ctx->saved_data["beta"] = beta;
    const at::AutoDispatchBelowADInplaceOrView kernels_only;
    return swish(x, beta);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {swish_backward(grads[0], x, ctx->saved_data["beta"].toDouble()), Tensor()};
  }
};

}  // namespace

TORCH_LIBRARY(mine, m) {
  m.def("swish(Tensor x, float beta=1.) -> Tensor");
  m.def("swish_backward(Tensor grad, Tensor x, float beta) -> Tensor");
}
TORCH_LIBRARY_IMPL(mine, CPU, m) {
  m.impl("swish", swish_cpu);
  m.impl("swish_backward", swish_backward_cpu);
}
TORCH_LIBRARY_IMPL(mine, Autograd, m) {
  m.impl("swish", [](const Tensor& x, double beta) { return Swish::apply(x, beta); });
}
