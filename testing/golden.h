// Golden tensors: the results of a step are stored in a file, and later results are compared with
// the file.
//
//   NamedTensors step = {{"loss", loss}, {"output", y}};
//   append_gradients(step, *net);
//   testing::golden("first_step", step);
//
// The first call writes golden/first_step.safetensors in the folder of the test's source. Later
// calls compare `step` with this file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/nn/module.h>
#include <taper/testing/compare.h>

namespace torch::taper::testing {

/// Thrown by golden() if tensors differ from the golden file.
class GoldenError : public Error {
  using Error::Error;
};

/// Options of golden files.
struct GoldenOptions {
  /// The folder of the files. The default is the environment variable TAPER_GOLDEN_DIR. If the
  /// variable is unset, the default is the folder "golden" beside the calling source file. (If the
  /// compiler got a relative path of the source file, as from ccache with a base folder, the source
  /// file may not be found.)
  TAPER_ARG(std::string, folder) = {};
  /// Pairs of a name and its tolerance. The name is that of a tensor ("weight.grad"), or the
  /// beginning of names, followed by an asterisk ("layer1.*"). The first pair that matches is used.
  /// Other tensors have the default_tolerance of their dtype.
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
/// Throws ValueError for bad or repeated names, for undefined tensors, for an empty list, and for
/// another value of TAPER_GOLDEN. Also throws ValueError for a NaN or infinity in tensors to be
/// written, and if the source file cannot be found. In the last case, set the folder. Throws Error
/// if the file is truncated, or was not written for `name`.
Verdict golden_report(const std::string& name, const NamedTensors& tensors,
                      const GoldenOptions& options = {}, const char* file = __builtin_FILE());
/// Calls golden_report. If the report has failures, throws GoldenError with the report's text.
/// Otherwise, prints the notes to standard output.
void golden(const std::string& name, const NamedTensors& tensors, const GoldenOptions& options = {},
            const char* file = __builtin_FILE());

/// Appends the gradients of those parameters of a module that require gradients ("fc.weight.grad").
/// Throws ValueError if one of them has no gradient.
void append_gradients(NamedTensors& to, const nn::Module& module);
/// Appends the gradients of `leaves`, each with the name of the leaf and ".grad". Throws ValueError
/// if a leaf has no gradient.
void append_gradients(NamedTensors& to, const NamedTensors& leaves);

}  // namespace torch::taper::testing
