// Golden tensors: what a step gave once is what it must give.
//
//   NamedTensors step = {{"loss", loss}, {"output", y}};
//   append_gradients(step, *net);
//   testing::golden("first_step", step);
//
// The first run writes golden/first_step.safetensors beside the test's source; later runs compare.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/nn/module.h>
#include <taper/testing/compare.h>

namespace torch::taper::testing {

/// Tensors are not what the golden file holds.
class GoldenError : public Error {
  using Error::Error;
};

/// Where golden files are, and how closely tensors must agree with them.
struct GoldenOptions {
  /// Where the files are. Empty: the environment's TAPER_GOLDEN_DIR, else the folder "golden"
  /// beside the source file that calls (as the compiler was given its path: ccache with a base
  /// folder makes it relative, and then it may lead nowhere).
  TAPER_ARG(std::string, folder) = {};
  /// For the tensors of these names ("weight.grad"), or names that begin so ("layer1.*"): the first
  /// that fits counts. Others have the tolerance of their dtype.
  using Tolerances = std::vector<std::pair<std::string, Tolerance>>;
  /// See Tolerances.
  TAPER_ARG(Tolerances, tolerances) = {};
};

/// Compares `tensors` with those in the file of that name: names, dtypes, sizes, values (a NaN is a
/// failure). `name` consists of letters, digits and ._-/ . TAPER_GOLDEN in the environment says
/// what to do:
///   unset     write the file where there is none (with a note), else compare
///   update    write the file, and note what changes
///   require   a missing file is a failure: for CI
///   compare   the same as require
/// Throws ValueError for bad names, for another TAPER_GOLDEN, for a source file that cannot be
/// found (then the folder must be set), and for tensors to be written that hold a NaN or an
/// infinity; Error for a file that cannot be read: a cut one, or another program's.
Verdict golden_report(const std::string& name, const NamedTensors& tensors,
                      const GoldenOptions& options = {}, const char* file = __builtin_FILE());
/// The same; throws GoldenError with the report's text for a failure. Notes go to standard output.
void golden(const std::string& name, const NamedTensors& tensors, const GoldenOptions& options = {},
            const char* file = __builtin_FILE());

/// Adds the gradients of a module's parameters ("fc.weight.grad"); a parameter without one is a
/// ValueError.
void append_gradients(NamedTensors& to, const nn::Module& module);
/// The same for leaves with names.
void append_gradients(NamedTensors& to, const NamedTensors& leaves);

}  // namespace torch::taper::testing
