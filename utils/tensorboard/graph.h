// A network as TensorBoard draws it.
#pragma once

#include <functional>

#include <taper/nn/module.h>

#include <taper/utils/tensorboard/schema.h>

namespace torch::taper::utils::tensorboard::detail {

/// The ops on the tape behind `output`, as nodes in the order in which they ran; leaves are nodes
/// of the op "Parameter" (those of `module`, under their names) or "Input".
schema::GraphDef graph_of(const nn::Module& module, const Tensor& output);
/// The kernels that `step` launches, in their order; see SummaryWriter::add_kernel_graph.
schema::GraphDef kernel_graph_of(const nn::Module& module, const std::function<void()>& step);

}  // namespace torch::taper::utils::tensorboard::detail
