#include <taper/nn/modules/activation.h>

#include <ostream>

#include <taper/nn/functional/activation.h>
#include <taper/nn/init.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn {

namespace F = functional;

namespace {

const char* alone(bool inplace) { return inplace ? "inplace=true" : ""; }
const char* more(bool inplace) { return inplace ? ", inplace=true" : ""; }

template <class Options>
void check_options(const Options&) {}
void check_options(const HardtanhOptions& o) {
  TAPER_CHECK(o.min_val() < o.max_val(), "max_val must be greater than min_val");
}

}  // namespace

// Defines the common functions of an activation from its forward() and the printed text.
#define TAPER_DEFINE_ACTIVATION(Name, Input, call, ...)                       \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                          \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) { \
    Name##Impl::reset();                                                      \
  }                                                                           \
  void Name##Impl::reset() { check_options(options); }                        \
  Tensor Name##Impl::forward(Input input) { return call; }                    \
  void Name##Impl::pretty_print(std::ostream& stream) const {                 \
    stream << "torch::nn::" #Name "(" << __VA_ARGS__ << ")";                  \
  }
#define TAPER_DEFINE_PLAIN_ACTIVATION(Name, call)                  \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                               \
  Name##Impl::Name##Impl() = default;                              \
  void Name##Impl::reset() {}                                      \
  Tensor Name##Impl::forward(const Tensor& input) { return call; } \
  void Name##Impl::pretty_print(std::ostream& stream) const { stream << "torch::nn::" #Name "()"; }

TAPER_DEFINE_ACTIVATION(ReLU, Tensor, F::relu(input, options), alone(options.inplace()))
TAPER_DEFINE_ACTIVATION(ReLU6, Tensor, F::relu6(input, options), alone(options.inplace()))
TAPER_DEFINE_ACTIVATION(SELU, Tensor, F::selu(input, options), alone(options.inplace()))
TAPER_DEFINE_ACTIVATION(LeakyReLU, Tensor, F::leaky_relu(input, options),
                        "negative_slope=" << options.negative_slope() << more(options.inplace()))
TAPER_DEFINE_ACTIVATION(ELU, Tensor, F::elu(input, options),
                        "alpha=" << options.alpha() << more(options.inplace()))
TAPER_DEFINE_ACTIVATION(CELU, Tensor, F::celu(input, options),
                        "alpha=" << options.alpha() << more(options.inplace()))
TAPER_DEFINE_ACTIVATION(GELU, Tensor, F::gelu(input, options), "")
TAPER_DEFINE_ACTIVATION(GLU, Tensor, F::glu(input, options), "dim=" << options.dim())
TAPER_DEFINE_ACTIVATION(Hardtanh, Tensor, F::hardtanh(input, options),
                        "min_val=" << options.min_val() << ", max_val=" << options.max_val()
                                   << more(options.inplace()))
TAPER_DEFINE_ACTIVATION(Hardshrink, Tensor, F::hardshrink(input, options), options.lambda())
TAPER_DEFINE_ACTIVATION(Softshrink, Tensor, F::softshrink(input, options), options.lambda())
TAPER_DEFINE_ACTIVATION(Softplus, Tensor, F::softplus(input, options),
                        "beta=" << options.beta() << ", threshold=" << options.threshold())
TAPER_DEFINE_ACTIVATION(RReLU, Tensor,
                        F::rrelu(input, F::RReLUFuncOptions()
                                            .lower(options.lower())
                                            .upper(options.upper())
                                            .training(is_training())
                                            .inplace(options.inplace())),
                        "lower=" << options.lower() << ", upper=" << options.upper()
                                 << more(options.inplace()))
TAPER_DEFINE_ACTIVATION(Threshold, Tensor, F::threshold(input, options),
                        "threshold=" << options.threshold() << ", value=" << options.value()
                                     << more(options.inplace()))
TAPER_DEFINE_ACTIVATION(Softmax, const Tensor&, F::softmax(input, options.dim()),
                        "dim=" << options.dim())
TAPER_DEFINE_ACTIVATION(Softmin, const Tensor&, F::softmin(input, options.dim()),
                        "dim=" << options.dim())
TAPER_DEFINE_ACTIVATION(LogSoftmax, const Tensor&, F::log_softmax(input, options.dim()),
                        "dim=" << options.dim())

TAPER_DEFINE_PLAIN_ACTIVATION(SiLU, F::silu(input))
TAPER_DEFINE_PLAIN_ACTIVATION(Mish, F::mish(input))
TAPER_DEFINE_PLAIN_ACTIVATION(Hardswish, hardswish(input))
TAPER_DEFINE_PLAIN_ACTIVATION(Hardsigmoid, hardsigmoid(input))
TAPER_DEFINE_PLAIN_ACTIVATION(Sigmoid, input.sigmoid())
TAPER_DEFINE_PLAIN_ACTIVATION(LogSigmoid, F::logsigmoid(input))
TAPER_DEFINE_PLAIN_ACTIVATION(Tanh, input.tanh())
TAPER_DEFINE_PLAIN_ACTIVATION(Tanhshrink, F::tanhshrink(input))
TAPER_DEFINE_PLAIN_ACTIVATION(Softsign, F::softsign(input))

// ---------------------------------------------------------------------- Softmax2d
TAPER_DEFINE_LIBRARY_MODULE(Softmax2d);

Softmax2dImpl::Softmax2dImpl() = default;
void Softmax2dImpl::reset() {}
void Softmax2dImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::Softmax2d()"; }
Tensor Softmax2dImpl::forward(const Tensor& input) {
  TAPER_CHECK(input.dim() == 4 || input.dim() == 3,
              "Softmax2d requires a 3D or 4D tensor as input");
  return F::softmax(input, /*dim=*/-3);
}

// ---------------------------------------------------------------------- PReLU
TAPER_DEFINE_LIBRARY_MODULE(PReLU);

PReLUImpl::PReLUImpl(const PReLUOptions& options_) : options(options_) { PReLUImpl::reset(); }
void PReLUImpl::reset() {
  weight = register_parameter("weight", full({options.num_parameters()}, options.init()));
}
void PReLUImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::PReLU(num_parameters=" << options.num_parameters() << ")";
}
Tensor PReLUImpl::forward(const Tensor& input) { return F::prelu(input, weight); }

}  // namespace torch::taper::nn
