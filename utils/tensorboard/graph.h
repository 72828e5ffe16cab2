// A network as TensorBoard draws it.
#pragma once

#include <taper/nn/module.h>

#include <utils/tensorboard/schema.pb.h>

namespace taper::utils::tensorboard::detail {

/// The ops on the tape behind `output`, as nodes in the order in which they ran; leaves are nodes
/// of the op "Parameter" (those of `module`, under their names) or "Input".
schema::GraphDef graph_of(const nn::Module& module, const Tensor& output);

}  // namespace taper::utils::tensorboard::detail
