#include <taper/ops/nn/linear.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/linalg/matmul_kernels.h>
#include <taper/ops/nn/linear_relu.h>
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
  return !has_modes() && w.defined() && isFloatingType(x.scalar_type()) && x.dim() == 2 &&
         w.dim() == 2 && x.sizes()[1] == w.sizes()[1] && is_alike(w) &&
         (!b.defined() || (b.dim() == 1 && b.numel() == w.sizes()[0] && is_alike(b)));
}

Tensor linear_relu(const Tensor& x, const Tensor& w, const Tensor& b) {
  if (auto done = at_door<"linear_relu">(x, w, b)) return done;
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
  if (auto done = at_door<"linear">(input, weight, bias)) return done;
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
TAPER_OUT(linear, (out, input, weight, bias), linear(input, weight, bias), (input, weight, bias),
          const Tensor& input, const Tensor& weight, const Tensor& bias)

// ---------------------------------------------------------------------- bilinear
namespace {

void check_features(const char* of, int64_t got, int64_t expected) {
  TAPER_CHECK(got == expected, "bilinear(): ", of, " size does not match weight size: got ", got,
              " but expected ", expected);
}

}  // namespace

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const optional<Tensor>& given_bias) {
  if (auto done = at_door<"bilinear">(input1, input2, weight, given_bias)) return done;
  const Tensor bias = given_bias.value_or(Tensor());
  TAPER_CHECK(weight.dim() == 3, "bilinear: expected a weight of 3 dimensions, got ",
              weight.sizes());
  TAPER_CHECK(input1.dim() == input2.dim(), "bilinear(): input dimensions do not match: got ",
              input1.dim(), " and ", input2.dim());
  for (int64_t d = 0; d < input1.dim() - 1; ++d)
    TAPER_CHECK(input1.size(d) == input2.size(d),
                "bilinear(): input batch dimensions do not match at dim ", d, ": got ",
                input1.size(d), " and ", input2.size(d));
  check_features("input1", input1.size(-1), weight.size(1));
  check_features("input2", input2.size(-1), weight.size(2));
  if (bias.defined()) check_features("bias", bias.size(0), weight.size(0));
  const int64_t out = weight.size(0), in1 = weight.size(1), in2 = weight.size(2);
  // One product with the weight as (in1, out * in2), then one with the second vector of each
  // sample.
  int64_t samples = 1;
  for (int64_t d = 0; d < input1.dim() - 1; ++d) samples *= input1.size(d);
  const Tensor x1 = input1.reshape({samples, in1}), x2 = input2.reshape({samples, in2, 1});
  const Tensor w = weight.permute({1, 0, 2}).reshape({in1, out * in2});
  Tensor y = x1.mm(w).view({samples, out, in2}).bmm(x2).squeeze(2);
  if (bias.defined()) y = y + bias;
  std::vector<int64_t> sizes = input1.sizes().vec();
  sizes.back() = out;
  return y.view(sizes);
}

}  // namespace torch::taper
