#include <taper/nn/modules/dropout.h>

#include <ostream>

#include <taper/nn/functional/dropout.h>

namespace torch::taper::nn {

namespace F = functional;

#define TAPER_DEFINE_DROPOUT(Name, function, FuncOptions)                                        \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                             \
  Name##Impl::Name##Impl(const DropoutOptions& options_) : options(options_) {                   \
    Name##Impl::reset();                                                                         \
  }                                                                                              \
  void Name##Impl::reset() {                                                                     \
    TAPER_CHECK(options.p() >= 0 && options.p() <= 1,                                            \
                #Name ": dropout probability has to be between 0 and 1, but got ", options.p()); \
  }                                                                                              \
  void Name##Impl::pretty_print(std::ostream& stream) const {                                    \
    stream << "torch::nn::" #Name "(p=" << options.p()                                           \
           << ", inplace=" << detail::text_of(options.inplace()) << ")";                         \
  }                                                                                              \
  Tensor Name##Impl::forward(Tensor input) {                                                     \
    return F::function(                                                                          \
        std::move(input),                                                                        \
        F::FuncOptions().p(options.p()).training(is_training()).inplace(options.inplace()));     \
  }

TAPER_DEFINE_DROPOUT(Dropout, dropout, DropoutFuncOptions)
TAPER_DEFINE_DROPOUT(Dropout2d, dropout2d, DropoutFuncOptions)
TAPER_DEFINE_DROPOUT(Dropout3d, dropout3d, DropoutFuncOptions)
TAPER_DEFINE_DROPOUT(AlphaDropout, alpha_dropout, AlphaDropoutFuncOptions)
TAPER_DEFINE_DROPOUT(FeatureAlphaDropout, feature_alpha_dropout, FeatureAlphaDropoutFuncOptions)

}  // namespace torch::taper::nn
