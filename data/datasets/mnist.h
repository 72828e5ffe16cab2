// MNIST: images of handwritten digits in IDX files.
#pragma once

#include <memory>
#include <string>

#include <taper/data/map.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// Reads MNIST from a folder with the files train-images-idx3-ubyte and train-labels-idx1-ubyte (or
/// t10k-... for kTest). Each file may be compressed with gzip and have ".gz" after its name. Files
/// of other images in this format work too.
///
/// Examples are {float image [1, H, W] with values 0 to 1, int64 label}. The images are kept in
/// memory as bytes. All copies of the data set share this memory.
///
///     auto data = datasets::MNIST("mnist").map(transforms::Stack<>());
class MNIST : public Dataset<MNIST> {
 public:
  /// Selects the training or the test part.
  enum class Mode { kTrain, kTest };

  /// Reads the files. Throws Error, which names the file, if a file is missing, truncated, too
  /// long, damaged or not an IDX file. Also throws Error if the numbers of images and labels
  /// differ.
  explicit MNIST(const std::string& root, Mode mode = Mode::kTrain);

  /// Returns the image [1, H, W] at `index` and its label [].
  Example<> get(size_t index) override;
  /// Returns the images [B, 1, H, W] and labels [B] at `indices`. Throws IndexError for an index
  /// out of range.
  Example<> get_stacked(ArrayRef<size_t> indices);
  /// Returns normalized images: each value x becomes (x - mean) / stddev.
  Example<> get_stacked(ArrayRef<size_t> indices, float mean, float stddev);
  optional<size_t> size() const override;
  /// Returns whether this is the training part.
  bool is_train() const noexcept { return mode_ == Mode::kTrain; }

  /// Returns all images as floats [N, 1, H, W] from 0 to 1. The first call makes this tensor.
  const Tensor& images() const;
  /// Returns all labels as int64 [N].
  const Tensor& targets() const;
  /// Returns the images of the file as bytes [N, 1, H, W].
  const Tensor& raw_images() const;

 private:
  struct Files;
  std::shared_ptr<Files> files_;
  Mode mode_;
};

/// Reads Fashion-MNIST: images of clothes in ten classes. Its files have the format of MNIST.
using FashionMNIST = MNIST;

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
