// Golden tensors: the stored results of a step, with which later results are compared.
//
//   NamedTensors step = {{"loss", loss}, {"output", y}};
//   append_gradients(step, *net);
//   testing::golden("first_step", step);
//
// The first run writes golden/first_step.safetensors beside the test's source. Later runs compare
// with it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/nn/module.h>
#include <taper/testing/compare.h>

namespace torch::taper::testing {

/// Thrown if tensors differ from the golden file.
class GoldenError : public Error {
  using Error::Error;
};

/// Options of golden files.
struct GoldenOptions {
  /// The folder of the files. The default is TAPER_GOLDEN_DIR of the environment. If that is unset,
  /// the default is the folder "golden" beside the calling source file. (The folder may not be
  /// found if the compiler got a relative path of the file, as from ccache with a base folder.)
  TAPER_ARG(std::string, folder) = {};
  /// Tolerances for tensors by name ("weight.grad"), or by the beginning of the name ("layer1.*").
  /// The first entry that matches is used. Other tensors have the tolerance of their dtype.
  using Tolerances = std::vector<std::pair<std::string, Tolerance>>;
  /// Tolerances by name.
  TAPER_ARG(Tolerances, tolerances) = {};
};

/// Compares `tensors` with the golden file `name`: their names, dtypes, sizes and values. A NaN is
/// a failure. `name` consists of letters, digits and ._-/ . TAPER_GOLDEN in the environment selects
/// the action:
///   unset     writes the file if there is none (with a note), else compares
///   update    writes the file, and notes the changes
///   require   a missing file is a failure: for CI
///   compare   like require
/// Throws ValueError for bad names, for another value of TAPER_GOLDEN, and for NaN or infinity in
/// tensors to be written. Throws ValueError if the source file cannot be found. Set the folder in
/// this case. Throws Error if a file is truncated or not a golden file.
Verdict golden_report(const std::string& name, const NamedTensors& tensors,
                      const GoldenOptions& options = {}, const char* file = __builtin_FILE());
/// Compares like golden_report, and throws GoldenError with the report's text for a failure. Notes
/// go to standard output.
void golden(const std::string& name, const NamedTensors& tensors, const GoldenOptions& options = {},
            const char* file = __builtin_FILE());

/// Appends the gradients of a module's parameters ("fc.weight.grad"). Throws ValueError if a
/// parameter has no gradient.
void append_gradients(NamedTensors& to, const nn::Module& module);
/// Appends the gradients of named leaves.
void append_gradients(NamedTensors& to, const NamedTensors& leaves);

}  // namespace torch::taper::testing
