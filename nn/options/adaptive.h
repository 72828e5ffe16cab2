// Options of AdaptiveLogSoftmaxWithLoss.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// `cutoffs` are the first classes of the clusters, increasing, between 1 and n_classes - 1.
struct AdaptiveLogSoftmaxWithLossOptions {
  /// The module throws ValueError for other cutoffs. The head takes the classes before the first,
  /// each further cluster those from one cutoff to the next, the last those up to n_classes.
  AdaptiveLogSoftmaxWithLossOptions(int64_t in_features, int64_t n_classes,
                                    std::vector<int64_t> cutoffs)
      : in_features_(in_features), n_classes_(n_classes), cutoffs_(std::move(cutoffs)) {}
  TAPER_ARG(int64_t, in_features);           ///< size of an input
  TAPER_ARG(int64_t, n_classes);             ///< how many classes there are
  TAPER_ARG(std::vector<int64_t>, cutoffs);  ///< where clusters end, ascending
  /// Each cluster has this times fewer features than the one before.
  TAPER_ARG(double, div_value) = 4.0;
  TAPER_ARG(bool, head_bias) = false;  ///< whether the first cluster has a bias
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
