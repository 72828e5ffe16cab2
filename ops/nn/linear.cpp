#include <taper/ops/nn/linear.h>

#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/linalg/matmul_kernels.h>
#include <taper/ops/nn/linear_relu.h>
#include <taper/ops/shared/autocast.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {

void check_linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  const IntArrayRef in = x.sizes(), weight = w.sizes();
  TAPER_CHECK(weight.size() == 2,
              "linear: expected a weight of 2 dimensions (out x in), or 1 (in), got ", weight);
  TAPER_CHECK(in[1] == weight[1], "linear: mat1 and mat2 shapes cannot be multiplied (", in[0], "x",
              in[1], " and ", weight[1], "x", weight[0], "): the input has ", in[1],
              " features, but the weight takes in_features = ", weight[1]);
  check_same_device("linear", x, w);
  if (!b.defined()) {
    TAPER_CHECK(x.scalar_type() == w.scalar_type(), "linear: expected scalar type ",
                toString(x.scalar_type()), " but found ", toString(w.scalar_type()),
                " in the weight; convert the input or the layer with to(dtype)");
    return;
  }
  check_same_device("linear", x, b);
  TAPER_CHECK(x.scalar_type() == w.scalar_type() && b.scalar_type() == w.scalar_type(),
              "linear: mat1 and mat2 must have the same dtype, but got ", toString(x.scalar_type()),
              " and ", toString(w.scalar_type()), ": the input is ", toString(x.scalar_type()),
              ", the weight ", toString(w.scalar_type()), ", the bias ", toString(b.scalar_type()),
              "; convert the input or the layer with to(dtype)");
  TAPER_CHECK(b.dim() != 1 || b.numel() == weight[0] || b.numel() == 1,
              "linear: The expanded size of the tensor (", weight[0],
              ") must match the existing size (", b.numel(),
              ") at non-singleton dimension 1.  Target sizes: [", in[0], ", ", weight[0],
              "].  Tensor sizes: ", b.sizes());
}

// Returns the transpose as a kernel's operand, without a new tensor.
In transposed(const Tensor& w) {
  In t(w);
  std::swap(t.sizes[0], t.sizes[1]);
  std::swap(t.strides[0], t.strides[1]);
  t.contiguous = false;
  return t;
}

/// Returns the gradients of the bias, x and the weight. `bias_size` is 0 without a bias.
std::array<Tensor, 3> linear_gradients(const Grads& g, const Tensor& gy, const Saved& x,
                                       const Saved& w, int64_t bias_size) {
  std::array<Tensor, 3> r;
  if (g.needs(0)) r[0] = bias_size == 1 ? gy.sum_to_size({1}) : gy.sum(0);
  if (g.needs(1)) r[1] = mm(gy, w.get());
  if (g.needs(2)) r[2] = mm(gy.t(), x.get());
  return r;
}

/// Records x w^T. Its node has two inputs, as PyTorch's.
void record_product(const Tensor& y, const Tensor& x, const Tensor& w) {
  record("MmBackward0", y, {x, w},
         [xs = saved_if(w.requires_grad(), x), ws = saved_if(x.requires_grad(), w)](Grads& g) {
           std::array<Tensor, 2> r;
           if (g.needs(0)) r[0] = mm(g[0], ws.get());
           if (g.needs(1)) r[1] = mm(g[0].t(), xs.get());
           return r;
         });
}

Tensor linear_2d(const Tensor& x, const Tensor& w, const Tensor& b) {
  check_linear(x, w, b);
  const bool rare_bias = b.defined() && b.dim() != 1;  // a number or a matrix
  if (x.is_complex() || rare_bias) return b.defined() ? addmm(b, x, w.t()) : mm(x, w.t());
  Tensor y = detail::make_tensor({x.sizes()[0], w.sizes()[0]}, x.scalar_type(), x.device());
  TAPER_ON_DEVICE(y, matmul_kernel, y, x, transposed(w), b, 1, 1);
  if (!needs_grad(x, w, b)) return y;
  if (!b.defined())
    record_product(y, x, w);
  else
    record(
        "AddmmBackward0", y, {b, x, w},
        [xs = saved_if(w.requires_grad(), x), ws = saved_if(x.requires_grad(), w),
         bias_size = b.numel()](Grads& g) { return linear_gradients(g, g[0], xs, ws, bias_size); });
  return y;
}

}  // namespace

namespace detail {

bool takes_linear_relu(const Tensor& x, const Tensor& w, const Tensor& b) {
  const auto is_alike = [&](const Tensor& t) {
    return t.scalar_type() == x.scalar_type() && t.device() == x.device();
  };
  return w.defined() && isFloatingType(x.scalar_type()) && x.dim() == 2 && w.dim() == 2 &&
         x.sizes()[1] == w.sizes()[1] && is_alike(w) &&
         (!b.defined() || (b.dim() == 1 && b.numel() == w.sizes()[0] && is_alike(b)));
}

Tensor linear_relu(const Tensor& x, const Tensor& w, const Tensor& b) {
  if (auto cast = autocast_call("linear", linear_relu, x, w, b)) return *cast;
  Tensor y = detail::make_tensor({x.sizes()[0], w.sizes()[0]}, x.scalar_type(), x.device());
  TAPER_ON_DEVICE(y, matmul_activation_kernel, y, x, transposed(w), b, 1, 1,
                  cuda::GemmActivation::kRelu);
  if (needs_grad(x, w, b))
    record(
        "AddmmActivationBackward0", y, {b, x, w},
        [ys = saved_output(y), xs = saved_if(w.requires_grad(), x),
         ws = saved_if(x.requires_grad(), w), bias_size = b.defined() ? b.numel() : 0](Grads& g) {
          return linear_gradients(g, relu_backward(g[0], ys.get()), xs, ws, bias_size);
        });
  return y;
}

}  // namespace detail

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  if (auto cast = autocast_call("linear", linear, input, weight, bias)) return *cast;
  if (weight.dim() == 1) {  // one output without a dimension
    const Tensor y = matmul(input, weight);
    return bias.defined() ? y + bias.expand(y.sizes()) : y;
  }
  if (input.dim() == 2) return linear_2d(input, weight, bias);
  TAPER_CHECK(input.dim() > 0,
              "linear: both arguments to matmul need to be at least 1D, but they are 0D "
              "and ",
              weight.dim(), "D");
  if (input.dim() == 1) return linear_2d(input.unsqueeze(0), weight, bias).squeeze(0);
  Dims shape = input.sizes();
  int64_t rows = 1;
  for (int64_t d = 0; d + 1 < input.dim(); ++d) rows *= shape[d];
  const Tensor y = linear_2d(input.reshape({rows, shape.back()}), weight, bias);
  shape.back() = weight.size(0);
  return _unsafe_view(y, shape);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(linear, linear(input, weight, bias), (input, weight, bias), const Tensor& input,
          const Tensor& weight, const Tensor& bias)

}  // namespace torch::taper
