// Reading of IDX files, the format of MNIST. Not installed for direct use.
#pragma once

#include <string>

#include <taper/framework/core/tensor.h>

namespace torch::taper::data {

/// Reads an IDX file of bytes (http://yann.lecun.com/exdb/mnist) with `dims` dimensions. If `path`
/// does not exist, it reads `path`.gz. If the file cannot be read, throws Error, which names the
/// file and its defect. `kind` describes the content in the message: "images" or "labels".
Tensor read_idx(const std::string& path, int dims, const char* kind);

}  // namespace torch::taper::data
