// Schemas of ops, such as "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) ->
// Tensor", in parts. Not installed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <taper/ops/shared/op_mode.h>

namespace torch::taper::program {

/// A parameter in a schema.
struct SchemaArgument {
  std::string type;      ///< "Tensor", "int[]", "Scalar?": "SymInt" is "int", and no annotations
  std::string name;      ///< "self"
  std::string fallback;  ///< text of the default, empty if there is none
  bool keyword_only = false;

  bool is_optional() const { return !type.empty() && type.back() == '?'; }
  bool is(std::string_view expected) const {
    return type == expected || (is_optional() && type.substr(0, type.size() - 1) == expected);
  }
};

/// Returns the parameters of a schema.
std::vector<SchemaArgument> schema_arguments(std::string_view schema);
/// Returns the row of an op by its name in a graph ("torch.ops.aten.add.Tensor"), or null.
const OpInfo* op_of_target(const std::string& target);
/// Returns the row of an op by its name with the overload ("aten::add.Tensor"), or null.
const OpInfo* op_of_name(const std::string& aten_name);
/// Returns the name in a graph of "aten::add.Tensor".
std::string target_of_name(std::string_view aten_name);

}  // namespace torch::taper::program
