// Fuzzing an op over shapes, layouts and dtypes; a failing case is shrunk and can be run again.
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

/// One input, by its shape: names and numbers between spaces ("N C 3"), "..." for zero to three
/// more dimensions. A name has the same size wherever it stands in one case, and "..." the same
/// dimensions. "" is a 0-dim tensor.
class FuzzInput {
 public:
  /// Of such a shape.
  FuzzInput(const char* shape) : shape_(shape) {}
  /// The same.
  FuzzInput(std::string shape) : shape_(std::move(shape)) {}
  /// Sizes of the names and of "..." that this input is the first to mention, in [least, most].
  FuzzInput& sizes(int64_t least, int64_t most);
  /// Values, in [low, high); whole numbers for integral dtypes.
  FuzzInput& range(double low, double high);
  /// A dtype of its own, whatever the case has: kLong for indices.
  FuzzInput& dtype(ScalarType t);
  /// Has no gradient to be checked.
  FuzzInput& no_gradient();
  /// Some dimensions may be 1, and the first ones missing, as broadcasting allows.
  FuzzInput& broadcasts();

  // Read by fuzz().
  const std::string& shape() const { return shape_; }  ///< as it was given
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

/// What fuzz() draws and checks.
struct FuzzOptions {
  /// Cases.
  TAPER_ARG(int64_t, runs) = 100;
  /// Of all that is drawn.
  TAPER_ARG(uint64_t, seed) = 1;
  /// Of the inputs without a dtype of their own; one is drawn for each case.
  TAPER_ARG(std::vector<ScalarType>, dtypes) = {kFloat, kDouble};
  /// Transposed inputs, inputs with gaps in memory, expanded ones: all must give what contiguous
  /// ones give.
  TAPER_ARG(bool, layouts) = true;
  /// Gradients in float64 by the fast gradcheck, of inputs with at most `gradient_numel` elements.
  TAPER_ARG(bool, gradients) = true;
  /// Gradients of gradients, too, by gradgradcheck.
  TAPER_ARG(bool, second_gradients) = false;
  /// See gradients.
  TAPER_ARG(int64_t, gradient_numel) = 200;
  /// Finite inputs must give finite results.
  TAPER_ARG(bool, finite) = true;
  /// Results in narrower dtypes must be those of float64 within the tolerance of the dtype, times
  /// this; 0: not compared.
  TAPER_ARG(double, dtype_tolerance) = 50;
  /// The same function written plainly; it gets the inputs in float64, contiguous. May be empty.
  TAPER_ARG(std::vector<TensorFunction>, reference) = {};
  /// Cases run there too. A device that is not there is a ValueError.
  TAPER_ARG(std::vector<Device>, devices) = {};
  /// Print every case before it runs: to find the one that crashes. TAPER_FUZZ_VERBOSE=1 too.
  TAPER_ARG(bool, verbose) = false;
};

/// Runs `fn` on random cases and checks, for each: it does not throw; results are finite, do not
/// depend on the layout in memory, agree in all dtypes, with the reference and on all devices; the
/// gradients pass gradcheck. The first failure is shrunk: smaller sizes, fewer dimensions, plain
/// layouts, kDouble, as long as the same check fails. The report gives the smallest case, what is
/// wrong with it, and TAPER_FUZZ='...' , which set in the environment runs that case alone.
/// TAPER_FUZZ_RUNS and TAPER_FUZZ_SEED override the options.
/// Throws ValueError for shapes it cannot read and for a TAPER_FUZZ that is no case of these
/// inputs.
Verdict fuzz(const std::string& name, const TensorFunction& fn,
             const std::vector<FuzzInput>& inputs, const FuzzOptions& options = {});

}  // namespace torch::taper::testing
