// Fuzzes an op over shapes, layouts and dtypes. A failing case is shrunk and can be run again.
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

/// One input, given by its shape. A shape consists of names and numbers separated by spaces ("N C
/// 3"). "..." stands for zero to three more dimensions. In one case, a name has one size in all
/// inputs, and "..." has the same dimensions in all inputs. "" is a 0-dim tensor.
class FuzzInput {
 public:
  /// Sets the shape.
  FuzzInput(const char* shape) : shape_(shape) {}
  /// Sets the shape.
  FuzzInput(std::string shape) : shape_(std::move(shape)) {}
  /// Sets the range [least, most] of sizes, for names and "..." that this input mentions first.
  FuzzInput& sizes(int64_t least, int64_t most);
  /// Sets the range [low, high) of values. Integral dtypes get whole numbers.
  FuzzInput& range(double low, double high);
  /// Sets this input's dtype, independent of the case: kLong for indices.
  FuzzInput& dtype(ScalarType t);
  /// Excludes the input from checks of gradients.
  FuzzInput& no_gradient();
  /// Lets the size of some dimensions be 1 and the first dimensions be missing, as broadcasting
  /// allows.
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
  /// Whether to check inputs that are transposed, have gaps in memory or are expanded. They must
  /// give the results of contiguous inputs.
  TAPER_ARG(bool, layouts) = true;
  /// Whether to check gradients in float64 by the fast gradcheck, for inputs with at most
  /// `gradient_numel` elements.
  TAPER_ARG(bool, gradients) = true;
  /// Whether to check second gradients by gradgradcheck, too.
  TAPER_ARG(bool, second_gradients) = false;
  /// Largest number of elements for checks of gradients.
  TAPER_ARG(int64_t, gradient_numel) = 200;
  /// Whether finite inputs must give finite results.
  TAPER_ARG(bool, finite) = true;
  /// Results in narrower dtypes are compared with the results in float64. The allowed difference is
  /// the tolerance of the dtype times this factor. With 0, they are not compared.
  TAPER_ARG(double, dtype_tolerance) = 50;
  /// Simple versions of the function. Their results must agree with those of the function. They get
  /// contiguous inputs in float64. The list may be empty.
  TAPER_ARG(std::vector<TensorFunction>, reference) = {};
  /// Other devices on which cases also run. fuzz() throws ValueError for a device that does not
  /// exist.
  TAPER_ARG(std::vector<Device>, devices) = {};
  /// Whether to print every case before it runs, to find a case that crashes. TAPER_FUZZ_VERBOSE=1
  /// does this too.
  TAPER_ARG(bool, verbose) = false;
};

/// Runs `fn` on random cases. For each case, it checks that `fn` does not throw, and that results
/// are finite and do not depend on the layout in memory. Results must agree in all dtypes, on all
/// devices and with the reference. Gradients must pass gradcheck. The first failing case is
/// simplified as long as its check still fails: to smaller sizes, fewer dimensions, contiguous
/// layouts and kDouble. The report gives the smallest case and its failure. It also gives a line
/// TAPER_FUZZ='...'. If this variable is set in the environment, only that case runs.
/// TAPER_FUZZ_RUNS and TAPER_FUZZ_SEED override the options. Throws ValueError for invalid shapes,
/// and if TAPER_FUZZ does not fit the inputs.
Verdict fuzz(const std::string& name, const TensorFunction& fn,
             const std::vector<FuzzInput>& inputs, const FuzzOptions& options = {});

}  // namespace torch::taper::testing
