// save_onnx: writes a program as an ONNX model. Not part of <taper/taper.h>.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/program/graph.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Texts by name that a model keeps.
using OnnxMetadata = std::map<std::string, std::string>;

/// Configures save_onnx.
struct OnnxOptions {
  /// The version of the set of operators, 18 to 22. From 20 on, gelu is one operator.
  TAPER_ARG(int64_t, opset) = 18;
  /// Names of the arguments. The default names are those of the program's graph.
  TAPER_ARG(std::vector<std::string>, input_names);
  /// Names of the results. The default names are "y", or "y0", "y1", ...
  TAPER_ARG(std::vector<std::string>, output_names);
  /// Texts by name that the model keeps.
  TAPER_ARG(OnnxMetadata, metadata);
  /// Weights of more bytes in all go into a file beside the model, "<path>.data". A model cannot
  /// have 2 GiB.
  TAPER_ARG(int64_t, largest_model) = int64_t{1} << 30;
};

/// Writes a program as an ONNX model. Weights have the names of the parameters. Dynamic sizes have
/// the names of their symbols. Dropout is left out, recurrent layers are one operator for each
/// layer, and attention is made of products and a softmax.
///
/// Throws NotImplementedError that lists all ops without a translation, with their counts. Throws
/// Error for a program in training mode. Files are replaced completely or not at all.
void save_onnx(const std::string& path, const program::Program& program,
               const OnnxOptions& options = {});

}  // namespace torch::taper

#pragma GCC visibility pop
