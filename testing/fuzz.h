// fuzz(): checks a function with random shapes, layouts and dtypes. It reduces a failing case to a
// smaller one, which can be run again.
//
//   fuzz("rms_norm", [](const Tensor& x, const Tensor& w) { return rms_norm(x, w); },
//        {FuzzInput("... D").sizes(1, 9), FuzzInput("D")});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/testing/compare.h>
#include <taper/testing/function.h>

namespace torch::taper::testing {

/// Describes one input of fuzz() by its shape. A shape consists of names and numbers separated by
/// spaces ("N C 3"). "..." stands for zero to three dimensions. Within a case, a name has one size
/// in all inputs, and "..." has the same sizes in all inputs. "" is a 0-dim tensor.
class FuzzInput {
 public:
  /// Sets the shape.
  FuzzInput(const char* shape) : shape_(shape) {}
  /// Sets the shape.
  FuzzInput(std::string shape) : shape_(std::move(shape)) {}
  /// Sets the range [least, most] of the sizes of the names in this shape that no earlier input
  /// mentions. For "...", sizes above 5 are not used, unless `least` is above 5.
  FuzzInput& sizes(int64_t least, int64_t most);
  /// Sets the range [low, high) of the elements. An input whose dtype() is integral gets integers.
  FuzzInput& range(double low, double high);
  /// Sets this input's dtype in all cases, such as kLong for indices.
  FuzzInput& dtype(ScalarType t);
  /// Excludes the input from checks of gradients.
  FuzzInput& no_gradient();
  /// Lets some cases set sizes to 1, or leave out one or two first dimensions, to check
  /// broadcasting.
  FuzzInput& broadcasts();

  // Used by fuzz().
  const std::string& shape() const { return shape_; }  ///< the argument of the constructor
  int64_t least = 0;                                   ///< see sizes()
  int64_t most = 7;                                    ///< see sizes()
  double low = -2;                                     ///< see range()
  double high = 2;                                     ///< see range()
  ScalarType own_dtype = ScalarType::Undefined;        ///< see dtype()
  bool has_gradient = true;                            ///< see no_gradient()
  bool may_broadcast = false;                          ///< see broadcasts()

 private:
  std::string shape_;
};

/// Options of fuzz().
struct FuzzOptions {
  /// Number of cases.
  TAPER_ARG(int64_t, runs) = 100;
  /// Seed of all random choices.
  TAPER_ARG(uint64_t, seed) = 1;
  /// Dtypes of the inputs whose dtype() is not set. Each case draws one of them.
  TAPER_ARG(std::vector<ScalarType>, dtypes) = {kFloat, kDouble};
  /// Whether to check inputs that are transposed, have gaps in memory or are expanded. The results
  /// must be those of contiguous inputs.
  TAPER_ARG(bool, layouts) = true;
  /// Whether to check gradients in float64 by gradcheck's fast_mode. A case with more than
  /// `gradient_numel` elements in these inputs is not checked.
  TAPER_ARG(bool, gradients) = true;
  /// Whether to check second gradients by gradgradcheck, too. It needs `gradients`.
  TAPER_ARG(bool, second_gradients) = false;
  /// Largest number of elements, over all inputs with gradients, for checks of gradients.
  TAPER_ARG(int64_t, gradient_numel) = 200;
  /// Whether it is a failure if a result is infinite or NaN.
  TAPER_ARG(bool, finite) = true;
  /// Results in narrower dtypes are compared with the results in float64. The allowed difference is
  /// the tolerance of the dtype times this factor. With 0, results in narrower dtypes are not
  /// compared. Comparisons with `reference` in narrower dtypes use the factor, too.
  TAPER_ARG(double, dtype_tolerance) = 50;
  /// Simple versions of the function, which get contiguous inputs in float64. Their results must
  /// agree with the results of the function. The list may be empty.
  TAPER_ARG(std::vector<TensorFunction>, reference) = {};
  /// Devices whose results must agree with the results on the CPU. fuzz() throws ValueError for a
  /// device that does not exist.
  TAPER_ARG(std::vector<Device>, devices) = {};
  /// Whether to print every case before it runs, to find a case that crashes. TAPER_FUZZ_VERBOSE=1
  /// does this too.
  TAPER_ARG(bool, verbose) = false;
};

/// Runs `fn` on random cases, until one fails. In each case, `fn` must not throw. Results must be
/// finite and must not depend on the layout in memory. Results must agree in all dtypes, on all
/// devices and with the reference. Gradients must pass gradcheck. fuzz() simplifies the first
/// failing case as long as the failed check still fails. It tries smaller sizes, fewer dimensions,
/// contiguous layouts and kDouble. The report gives the smallest failing case and its failure. The
/// report also has a line TAPER_FUZZ='...'. If this environment variable is set, fuzz() with this
/// `name` runs only that case. The environment variables TAPER_FUZZ_RUNS and TAPER_FUZZ_SEED
/// replace `runs` and `seed`. Throws ValueError for empty `inputs` or `dtypes`, for invalid shapes,
/// and if an environment variable cannot be read.
Verdict fuzz(const std::string& name, const TensorFunction& fn,
             const std::vector<FuzzInput>& inputs, const FuzzOptions& options = {});

}  // namespace torch::taper::testing
