// IDX files: the format of the MNIST data set. Not installed as a user's interface of its own.
#pragma once

#include <string>

#include <taper/framework/core/tensor.h>

namespace torch::taper::data {

/// Reads an IDX file of bytes (http://yann.lecun.com/exdb/mnist) with `dims` dimensions. `path`
/// without a file means `path`.gz. Throws Error, naming the file and what is wrong with it.
/// `kind` is what the file holds, for the message: "images" or "labels".
Tensor read_idx(const std::string& path, int dims, const char* kind);

}  // namespace torch::taper::data
