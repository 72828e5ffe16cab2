// NumPy's files in memory. Not installed.
#pragma once

#include <taper/framework/io/bytes.h>
#include <taper/framework/io/tensor_files.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::serialize::detail {

/// Read a file's bytes: see load_npy and load_npz. `where` names the source in error messages.
Tensor read_npy(Bytes file, const std::string& where);
StateDict read_npz(Bytes file, const std::string& where);

}  // namespace torch::taper::serialize::detail

#pragma GCC visibility pop
