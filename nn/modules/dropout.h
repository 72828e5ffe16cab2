// Dropout modules. In training, they drop random elements or channels. In evaluation, they return
// the input. functional/dropout.h describes the functions.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/dropout.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// During training, zeroes each element with probability `p` and scales the rest by `1 / (1 - p)`.
/// The input may have any shape. In evaluation, it returns the input.
///
///     Dropout dropout(0.2);
///     Tensor y = dropout(x);  // a fifth of the elements are 0 if dropout->is_training()
class DropoutImpl : public Cloneable<DropoutImpl> {
 public:
  /// Sets the probability p of dropping an element (default 0.5). Throws Error unless p is in [0,
  /// 1].
  ///@{
  explicit DropoutImpl(double p) : DropoutImpl(DropoutOptions(p)) {}
  explicit DropoutImpl(const DropoutOptions& options_ = {});
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::dropout, random if is_training()
  DropoutOptions options;        ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Dropout);

/// During training, zeroes each channel of (N, C, H, W) with probability `p` and multiplies the
/// other channels by `1 / (1 - p)`. An input with another number of dimensions than 4 is one sample
/// (C, ...).
class Dropout2dImpl : public Cloneable<Dropout2dImpl> {
 public:
  /// Sets the probability p of dropping a channel (default 0.5). Throws Error unless p is in [0,
  /// 1].
  ///@{
  explicit Dropout2dImpl(double p) : Dropout2dImpl(DropoutOptions(p)) {}
  explicit Dropout2dImpl(const DropoutOptions& options_ = {});
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::dropout2d, random if is_training()
  DropoutOptions options;        ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Dropout2d);

/// During training, zeroes each channel of (N, C, D, H, W) with probability `p` and multiplies the
/// other channels by `1 / (1 - p)`. An input with another number of dimensions than 5 is one sample
/// (C, ...).
class Dropout3dImpl : public Cloneable<Dropout3dImpl> {
 public:
  /// Sets the probability p of dropping a channel (default 0.5). Throws Error unless p is in [0,
  /// 1].
  ///@{
  explicit Dropout3dImpl(double p) : Dropout3dImpl(DropoutOptions(p)) {}
  explicit Dropout3dImpl(const DropoutOptions& options_ = {});
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::dropout3d, random if is_training()
  DropoutOptions options;        ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Dropout3d);

/// During training, drops each element with probability `p`. The mean and the variance do not
/// change, as networks with SELU need (Klambauer et al., 2017).
class AlphaDropoutImpl : public Cloneable<AlphaDropoutImpl> {
 public:
  /// Sets the probability p of dropping an element (default 0.5). Throws Error unless p is in [0,
  /// 1].
  ///@{
  explicit AlphaDropoutImpl(double p) : AlphaDropoutImpl(DropoutOptions(p)) {}
  explicit AlphaDropoutImpl(const DropoutOptions& options_ = {});
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::alpha_dropout, random if is_training()
  DropoutOptions options;        ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(AlphaDropout);

/// During training, drops each channel of (N, C, ...) with probability `p`. The mean and the
/// variance do not change, as networks with SELU need.
class FeatureAlphaDropoutImpl : public Cloneable<FeatureAlphaDropoutImpl> {
 public:
  /// Sets the probability p of dropping a channel (default 0.5). Throws Error unless p is in [0,
  /// 1].
  ///@{
  explicit FeatureAlphaDropoutImpl(double p) : FeatureAlphaDropoutImpl(DropoutOptions(p)) {}
  explicit FeatureAlphaDropoutImpl(const DropoutOptions& options_ = {});
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::feature_alpha_dropout, random if is_training().
  Tensor forward(Tensor input);
  DropoutOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(FeatureAlphaDropout);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
