// The tape behind a tensor, for what shows it.
#pragma once

#include <vector>

#include <taper/framework/autograd/node.h>

namespace taper::utils::detail {

/// All nodes that lead to `root`, leaves first, then in the order in which they ran.
std::vector<autograd::Node*> nodes_behind(autograd::Node* root);

/// "AddmmBackward0" is the derivative of "Addmm".
std::string op_of(const autograd::Node& node);

}  // namespace taper::utils::detail
