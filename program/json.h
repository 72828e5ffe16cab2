// The JSON text of a program, by PyTorch's schema. Not installed.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <taper/program/graph.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::program {

/// Where the bytes of a tensor are in an archive.
struct Payload {
  std::string path;  ///< name of the record, in its folder
  bool is_parameter = false;
  bool is_pickle = false;  ///< a file of torch.save
  bool has_meta = false;
  TensorMeta meta;
};
using Payloads = std::map<std::string, Payload>;

/// Returns the program in a JSON text, without tensors. Throws Error that begins with `where` for a
/// text that is damaged, or of another major version of the schema.
Program program_of_json(std::string_view text, const std::string& where);
/// Returns the text of a program for PyTorch, without tensors.
std::string json_of_program(const Program& program);

/// Returns the tensors that a file of weights or constants lists by name.
Payloads payloads_of_json(std::string_view text, const std::string& where);
/// Returns the text of such a file.
std::string json_of_payloads(const Payloads& payloads);

/// Returns the schema's number of a dtype. Throws Error if it has none.
int64_t number_of_dtype(ScalarType dtype);

}  // namespace torch::taper::program

#pragma GCC visibility pop
