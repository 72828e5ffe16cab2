// Writes the files of TensorBoard's projector, which are not event files.
#pragma once

#include <string>
#include <vector>

#include <taper/framework/core/tensor.h>

namespace torch::taper::utils::tensorboard::detail {

/// Writes tensors.tsv, metadata.tsv and sprite.png into <log_dir>/<step>/<tag>, and adds an entry
/// for them to <log_dir>/projector_config.pbtxt. If the numbers of points, lines and images differ,
/// throws ValueError before anything is written.
void write_embedding(const std::string& log_dir, const Tensor& points,
                     const std::vector<std::string>& metadata, const Tensor& label_images,
                     int64_t step, const std::string& tag);

}  // namespace torch::taper::utils::tensorboard::detail
