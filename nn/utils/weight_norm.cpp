#include <taper/nn/utils/weight_norm.h>

#include <numeric>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/shape.h>
#include <taper/nn/modules/conv.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/linalg/matrix_norms.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper::nn::utils::detail {

void check_is_weight(const char* function, const std::string& name) {
  TAPER_CHECK(name == "weight", function, ": expected the name 'weight', got '", name,
              "'; for another name give a pointer to the member variable too");
}

namespace {

class WeightNorm : public nn::detail::Parametrization {
 public:
  WeightNorm(const std::string& name, int64_t dim, Member member)
      : Parametrization("weight_norm", name, std::move(member)), dim_(dim) {}

  void register_parts(Module& module, const Tensor& value) const override {
    const Tensor v = value.detach();
    module.register_parameter(name() + "_g", norm_except_dim(v, 2, dim_));
    module.register_parameter(name() + "_v", v);
  }
  void unregister_parts(Module& module) const override {
    module.unregister_parameter(name() + "_g");
    module.unregister_parameter(name() + "_v");
  }
  Tensor compute(Module& module, bool) const override {
    const auto parameters = module.named_parameters(/*recurse=*/false);
    const Tensor& v = parameters[name() + "_v"];
    return v * (parameters[name() + "_g"] / norm_except_dim(v, 2, dim_));
  }

 private:
  int64_t dim_;
};

/// Returns x / max(|x|, eps).
Tensor unit(const Tensor& x, double eps) { return x / x.norm().clamp_min(eps); }

class SpectralNorm : public nn::detail::Parametrization {
 public:
  SpectralNorm(const std::string& name, int64_t iterations, double eps, int64_t dim, Member member)
      : Parametrization("spectral_norm", name, std::move(member)),
        iterations_(iterations),
        eps_(eps),
        dim_(dim) {}

  void register_parts(Module& module, const Tensor& value) const override {
    const Tensor matrix = as_matrix(value.detach());
    const Tensor u = unit(value.detach().new_empty({matrix.size(0)}).normal_(), eps_);
    const Tensor v = unit(value.detach().new_empty({matrix.size(1)}).normal_(), eps_);
    module.register_parameter(name() + "_orig", value);
    module.register_buffer(name() + "_u", u);
    module.register_buffer(name() + "_v", v);
  }
  void unregister_parts(Module& module) const override {
    module.unregister_parameter(name() + "_orig");
    module.unregister_buffer(name() + "_u");
    module.unregister_buffer(name() + "_v");
  }
  Tensor compute(Module& module, bool calling) const override {
    const Tensor weight = module.named_parameters(/*recurse=*/false)[name() + "_orig"];
    const auto buffers = module.named_buffers(/*recurse=*/false);
    const Tensor &u = buffers[name() + "_u"], &v = buffers[name() + "_v"];
    const Tensor matrix = as_matrix(weight);
    if (calling && module.is_training()) iterate(matrix, u, v);
    // Copies, because the next call changes u and v before backward of this call may have run.
    const Tensor sigma = dot(u.clone(), mv(matrix, v.clone()));
    return weight / sigma;
  }

 private:
  /// Reshapes the weight to a matrix with rows along dim_.
  Tensor as_matrix(const Tensor& weight) const {
    const Tensor first = weight.movedim(dim_, 0);
    return first.reshape({first.size(0), -1});
  }
  void iterate(const Tensor& matrix, const Tensor& u, const Tensor& v) const {
    NoGradGuard no_grad;
    for (int64_t i = 0; i < iterations_; ++i) {
      v.copy_(unit(mv(matrix.t(), u), eps_));
      u.copy_(unit(mv(matrix, v), eps_));
    }
  }

  int64_t iterations_;
  double eps_;
  int64_t dim_;
};

bool is_transposed(const Module& module) {
  return module.as<ConvTranspose1d>() || module.as<ConvTranspose2d>() ||
         module.as<ConvTranspose3d>();
}

}  // namespace

void weight_norm(Module& module, const std::string& name, int64_t dim, Member member) {
  nn::detail::add_parametrization(module,
                                  std::make_shared<WeightNorm>(name, dim, std::move(member)));
}

void spectral_norm(Module& module, const std::string& name, int64_t n_power_iterations, double eps,
                   optional<int64_t> dim, Member member) {
  TAPER_CHECK_VALUE(n_power_iterations > 0,
                    "Expected n_power_iterations to be positive, but got n_power_iterations=",
                    n_power_iterations);
  nn::detail::add_parametrization(
      module, std::make_shared<SpectralNorm>(name, n_power_iterations, eps,
                                             dim.value_or(is_transposed(module) ? 1 : 0),
                                             std::move(member)));
}

}  // namespace torch::taper::nn::utils::detail
