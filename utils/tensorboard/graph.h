// A network's graph for TensorBoard.
#pragma once

#include <functional>

#include <taper/nn/module.h>

#include <taper/utils/tensorboard/schema.h>

namespace torch::taper::utils::tensorboard::detail {

/// Returns the graph of the ops that computed `output`, in the order of execution. Parameters of
/// `module` become nodes of the op "Parameter", with their names. Other leaves become nodes of the
/// op "Input".
schema::GraphDef graph_of(const nn::Module& module, const Tensor& output);
/// Returns the kernels that `step` launches, in order. See SummaryWriter::add_kernel_graph.
schema::GraphDef kernel_graph_of(const nn::Module& module, const std::function<void()>& step);

}  // namespace torch::taper::utils::tensorboard::detail
