#include <taper/nn/init.h>

#include <cmath>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/runtime/access.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn::init {

namespace {

double fan_of(const Tensor& tensor, FanModeType mode) {
  const auto fans = _calculate_fan_in_and_fan_out(tensor);
  return static_cast<double>(holds_alternative<enumtype::kFanIn>(mode) ? std::get<0>(fans)
                                                                       : std::get<1>(fans));
}

/// Returns the standard deviation of Kaiming initialization.
double kaiming_std(const Tensor& tensor, double a, FanModeType mode,
                   NonlinearityType nonlinearity) {
  return calculate_gain(nonlinearity, a) / std::sqrt(fan_of(tensor, mode));
}

double xavier_std(const Tensor& tensor, double gain) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  return gain * std::sqrt(2.0 / static_cast<double>(fan_in + fan_out));
}

}  // namespace

double calculate_gain(NonlinearityType nonlinearity, double param) {
  if (holds_alternative<enumtype::kTanh>(nonlinearity)) return 5.0 / 3.0;
  if (holds_alternative<enumtype::kReLU>(nonlinearity)) return std::sqrt(2.0);
  if (holds_alternative<enumtype::kLeakyReLU>(nonlinearity))
    return std::sqrt(2.0 / (1 + param * param));
  return 1.0;
}

std::tuple<int64_t, int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor) {
  TAPER_CHECK(tensor.dim() >= 2,
              "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
  int64_t kernel = 1;
  for (int64_t d = 2; d < tensor.dim(); ++d) kernel *= tensor.size(d);
  return {tensor.size(1) * kernel, tensor.size(0) * kernel};
}

Tensor constant_(Tensor tensor, Scalar value) {
  NoGradGuard no_grad;
  return tensor.fill_(value);
}
Tensor ones_(Tensor tensor) { return constant_(std::move(tensor), 1); }
Tensor zeros_(Tensor tensor) { return constant_(std::move(tensor), 0); }

Tensor eye_(Tensor matrix) {
  NoGradGuard no_grad;
  TAPER_CHECK(matrix.dim() == 2, "Only tensors with 2 dimensions are supported");
  matrix.zero_();
  matrix.diagonal().fill_(1);
  return matrix;
}

Tensor dirac_(Tensor tensor) {
  NoGradGuard no_grad;
  TAPER_CHECK(tensor.dim() >= 3 && tensor.dim() <= 5,
              "Only tensors with 3, 4, or 5 dimensions are supported");
  tensor.zero_();
  Tensor centre = tensor;
  while (centre.dim() > 2) centre = centre.select(2, centre.size(2) / 2);
  centre.diagonal().fill_(1);
  return tensor;
}

Tensor uniform_(Tensor tensor, double low, double high) {
  NoGradGuard no_grad;
  return tensor.uniform_(low, high);
}
Tensor normal_(Tensor tensor, double mean, double std) {
  NoGradGuard no_grad;
  return tensor.normal_(mean, std);
}

Tensor trunc_normal_(Tensor tensor, double mean, double std, double a, double b) {
  TAPER_CHECK(std > 0 && a < b, "trunc_normal_: expected std > 0 and a < b, got std ", std, ", a ",
              a, " and b ", b);
  NoGradGuard no_grad;
  // Computes 2 P - 1, where P is the probability of a value below the bound.
  const auto place = [&](double bound) {
    return std::erf((bound - mean) / (std * std::sqrt(2.0)));
  };
  tensor.uniform_(place(a), place(b));
  return tensor.erfinv_().mul_(std * std::sqrt(2.0)).add_(mean).clamp_(a, b);
}

Tensor xavier_uniform_(Tensor tensor, double gain) {
  const double bound = std::sqrt(3.0) * xavier_std(tensor, gain);
  return uniform_(std::move(tensor), -bound, bound);
}
Tensor xavier_normal_(Tensor tensor, double gain) {
  const double std = xavier_std(tensor, gain);
  return normal_(std::move(tensor), 0, std);
}
Tensor kaiming_uniform_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  const double bound = std::sqrt(3.0) * kaiming_std(tensor, a, mode, nonlinearity);
  return uniform_(std::move(tensor), -bound, bound);
}
Tensor kaiming_normal_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  const double std = kaiming_std(tensor, a, mode, nonlinearity);
  return normal_(std::move(tensor), 0, std);
}

namespace {

double dot(const double* a, const double* b, int64_t n) {
  double sums[4] = {};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int64_t lane = 0; lane < 4; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Computes x -= 2 u (u.x), the reflection at the plane orthogonal to the unit vector u.
void reflect(double* x, const double* u, int64_t n) {
  const double twice = 2 * dot(u, x, n);
  for (int64_t i = 0; i < n; ++i) x[i] -= twice * u[i];
}

/// Replaces `count` contiguous vectors of `length` (>= count) numbers by an orthonormal basis of
/// their span. It is the factor Q of their QR decomposition whose R has a positive diagonal,
/// computed by Householder reflections.
void orthonormalise(double* vectors, int64_t count, int64_t length) {
  std::vector<double> reflections(static_cast<size_t>(count * length), 0.0);
  std::vector<double> sign(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    const double* x = vectors + k * length + k;
    double* u = &reflections[static_cast<size_t>(k * length + k)];
    const int64_t n = length - k;
    const double diagonal = x[0] > 0 ? -std::sqrt(dot(x, x, n)) : std::sqrt(dot(x, x, n));
    for (int64_t i = 0; i < n; ++i) u[i] = x[i];
    u[0] -= diagonal;
    const double norm = std::sqrt(dot(u, u, n));
    if (norm > 0)
      for (int64_t i = 0; i < n; ++i) u[i] /= norm;
    sign[static_cast<size_t>(k)] = diagonal < 0 ? -1.0 : 1.0;
    for (int64_t j = k; j < count; ++j) reflect(vectors + j * length + k, u, n);
  }
  for (int64_t j = 0; j < count; ++j) {
    double* q = vectors + j * length;
    for (int64_t i = 0; i < length; ++i) q[i] = i == j ? sign[static_cast<size_t>(j)] : 0.0;
    for (int64_t k = count - 1; k >= 0; --k)
      reflect(q + k, &reflections[static_cast<size_t>(k * length + k)], length - k);
  }
}

}  // namespace

Tensor orthogonal_(Tensor tensor, double gain) {
  NoGradGuard no_grad;
  taper::detail::check_not_capturing("orthogonal_", Device());
  TAPER_CHECK(tensor.dim() >= 2, "Only tensors with 2 or more dimensions are supported");
  TAPER_CHECK(isFloatingOrComplexType(tensor.scalar_type()), "result type ", default_dtype(),
              " can't be cast to the desired output type ", tensor.scalar_type());
  const int64_t rows = tensor.size(0);
  const int64_t columns = rows > 0 ? tensor.numel() / rows : 0;
  if (tensor.numel() == 0) return tensor;
  // The columns are made orthonormal, or the rows if there are fewer.
  const bool by_columns = rows >= columns;
  // As in LibTorch, the random numbers have the default dtype, which changes their values.
  const Tensor values = randn({rows, columns}, TensorOptions().device(kCPU)).to(kDouble);
  Tensor q = (by_columns ? values.t() : values).contiguous();
  orthonormalise(q.data_ptr<double>(), q.size(0), q.size(1));
  if (by_columns) q = q.t();
  return tensor.copy_(q.mul(gain).reshape(tensor.sizes()));
}

Tensor sparse_(Tensor tensor, double sparsity, double std) {
  NoGradGuard no_grad;
  TAPER_CHECK(tensor.dim() == 2, "Only tensors with 2 dimensions are supported");
  taper::detail::check_not_capturing("sparse_", Device());
  TAPER_CHECK(sparsity >= 0 && sparsity <= 1, "sparse_: expected a sparsity from 0 to 1, got ",
              sparsity);
  const int64_t rows = tensor.size(0), columns = tensor.size(1);
  const auto zeros = static_cast<int64_t>(std::ceil(sparsity * static_cast<double>(rows)));
  tensor.normal_(0, std);
  for (int64_t column = 0; column < columns; ++column) {
    const Tensor places = randperm(rows, TensorOptions(kLong).device(kCPU));
    for (int64_t i = 0; i < zeros; ++i)
      tensor.select(0, places.data_ptr<int64_t>()[i]).select(0, column).zero_();
  }
  return tensor;
}

}  // namespace torch::taper::nn::init
