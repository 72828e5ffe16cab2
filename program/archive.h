// Reads files of Python's torch.export.save. Not installed.
#pragma once

#include <string>

#include <taper/framework/io/bytes.h>
#include <taper/program/graph.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::program {

/// Returns the program of a file with its tensors, on the CPU. A file with several programs needs
/// the name of one: `model`. Throws Error that begins with "load: '<path>'" for a file that is
/// damaged or of another kind. No code of the file is run.
Program read_program(const std::string& path, const std::string& model = "");
/// Reads the program of these bytes. `where` names them in errors.
Program read_program(serialize::detail::Bytes bytes, const std::string& where,
                     const std::string& model = "");

}  // namespace torch::taper::program

#pragma GCC visibility pop
