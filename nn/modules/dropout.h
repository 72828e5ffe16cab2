// Dropout modules: random in training, the identity in evaluation. See functional/dropout.h.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/dropout.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Single elements.
class DropoutImpl : public Cloneable<DropoutImpl> {
 public:
  /// Drops elements with probability p (default 0.5). Throws Error unless it is in [0, 1].
  ///@{
  explicit DropoutImpl(double p) : DropoutImpl(DropoutOptions(p)) {}
  explicit DropoutImpl(const DropoutOptions& options_ = {});
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::dropout, random when is_training()
  DropoutOptions options;        ///< read at every call
};
TAPER_LIBRARY_MODULE(Dropout);

/// Whole channels of (N, C, H, W), or of one sample (C, ...).
class Dropout2dImpl : public Cloneable<Dropout2dImpl> {
 public:
  /// Drops channels with probability p (default 0.5). Throws Error unless it is in [0, 1].
  ///@{
  explicit Dropout2dImpl(double p) : Dropout2dImpl(DropoutOptions(p)) {}
  explicit Dropout2dImpl(const DropoutOptions& options_ = {});
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::dropout2d, random when is_training()
  DropoutOptions options;        ///< read at every call
};
TAPER_LIBRARY_MODULE(Dropout2d);

/// Whole channels of (N, C, D, H, W).
class Dropout3dImpl : public Cloneable<Dropout3dImpl> {
 public:
  /// Drops channels with probability p (default 0.5). Throws Error unless it is in [0, 1].
  ///@{
  explicit Dropout3dImpl(double p) : Dropout3dImpl(DropoutOptions(p)) {}
  explicit Dropout3dImpl(const DropoutOptions& options_ = {});
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::dropout3d, random when is_training()
  DropoutOptions options;        ///< read at every call
};
TAPER_LIBRARY_MODULE(Dropout3d);

/// Single elements, for networks of SELU: mean and variance stay.
class AlphaDropoutImpl : public Cloneable<AlphaDropoutImpl> {
 public:
  /// Drops elements with probability p (default 0.5). Throws Error unless it is in [0, 1].
  ///@{
  explicit AlphaDropoutImpl(double p) : AlphaDropoutImpl(DropoutOptions(p)) {}
  explicit AlphaDropoutImpl(const DropoutOptions& options_ = {});
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::alpha_dropout, random when is_training()
  DropoutOptions options;        ///< read at every call
};
TAPER_LIBRARY_MODULE(AlphaDropout);

/// AlphaDropout of whole channels of (N, C, ...).
class FeatureAlphaDropoutImpl : public Cloneable<FeatureAlphaDropoutImpl> {
 public:
  /// Drops channels with probability p (default 0.5). Throws Error unless it is in [0, 1].
  ///@{
  explicit FeatureAlphaDropoutImpl(double p) : FeatureAlphaDropoutImpl(DropoutOptions(p)) {}
  explicit FeatureAlphaDropoutImpl(const DropoutOptions& options_ = {});
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::feature_alpha_dropout, random when is_training()
  DropoutOptions options;        ///< read at every call
};
TAPER_LIBRARY_MODULE(FeatureAlphaDropout);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
