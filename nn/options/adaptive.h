// Options of AdaptiveLogSoftmaxWithLoss.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures AdaptiveLogSoftmaxWithLoss. `cutoffs` lists the first class of each cluster. The
/// cutoffs must increase, and be between 1 and n_classes - 1.
struct AdaptiveLogSoftmaxWithLossOptions {
  /// Sets the sizes and the cutoffs. The head holds the classes before the first cutoff. Cluster i
  /// holds the classes from cutoffs[i] to cutoffs[i + 1] - 1. The last cluster ends at n_classes.
  /// The module throws ValueError for other cutoffs.
  AdaptiveLogSoftmaxWithLossOptions(int64_t in_features, int64_t n_classes,
                                    std::vector<int64_t> cutoffs)
      : in_features_(in_features), n_classes_(n_classes), cutoffs_(std::move(cutoffs)) {}
  TAPER_ARG(int64_t, in_features);           ///< size of an input
  TAPER_ARG(int64_t, n_classes);             ///< number of classes
  TAPER_ARG(std::vector<int64_t>, cutoffs);  ///< the first class of each cluster, increasing
  /// The factor by which the number of features shrinks from one cluster to the next.
  TAPER_ARG(double, div_value) = 4.0;
  TAPER_ARG(bool, head_bias) = false;  ///< whether the head adds a bias
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
