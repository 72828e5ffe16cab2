// Images that are kept in memory as bytes. Not installed.
#pragma once

#include <taper/data/example.h>
#include <taper/data/gather_kernels.h>

namespace torch::taper::data {

/// Holds N images as bytes [N, C, H, W], and their labels as int64 [N].
struct ByteImages {
  Tensor images;
  Tensor targets;

  /// Returns the images at `indices` as floats [B, C, H, W], and their labels [B]. Throws
  /// IndexError, which names the data set `name`, for an index out of range.
  Example<> gather(const char* name, ArrayRef<size_t> indices, ImageNumbers numbers) const;
};

}  // namespace torch::taper::data
