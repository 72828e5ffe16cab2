// A network's graph for TensorBoard.
#pragma once

#include <functional>

#include <taper/nn/module.h>

#include <taper/utils/tensorboard/schema.h>

namespace torch::taper::utils::tensorboard::detail {

/// Returns the ops on the tape behind `output`, as nodes in the order of execution. Leaves that are
/// parameters of `module` become nodes of the op "Parameter", with their names. Other leaves become
/// nodes of the op "Input".
schema::GraphDef graph_of(const nn::Module& module, const Tensor& output);
/// Returns the kernels that `step` launches, in order. See SummaryWriter::add_kernel_graph.
schema::GraphDef kernel_graph_of(const nn::Module& module, const std::function<void()>& step);

}  // namespace torch::taper::utils::tensorboard::detail
