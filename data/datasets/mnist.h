// MNIST: images of handwritten digits in IDX files.
#pragma once

#include <memory>
#include <string>

#include <taper/data/map.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// The MNIST data set, from a folder with the files train-images-idx3-ubyte and
/// train-labels-idx1-ubyte (or t10k-... for kTest), each as it is or compressed by gzip with ".gz"
/// behind its name. Other images in these formats work too.
///
/// Examples are {float image [1, H, W] with values 0 to 1, int64 label}. In memory the images stay
/// bytes, shared by all copies of the data set.
class MNIST : public Dataset<MNIST> {
 public:
  /// Which of the two parts: that to train on, or that to test with.
  enum class Mode { kTrain, kTest };

  /// Reads the files. Throws Error, naming the file, when one is missing, cut, too long, damaged or
  /// of another format, or when there are not as many labels as images.
  explicit MNIST(const std::string& root, Mode mode = Mode::kTrain);

  /// The image [1, H, W] of that number and its label [].
  Example<> get(size_t index) override;
  /// The images [B, 1, H, W] and labels [B] at `indices`; with mean and stddev each value x becomes
  /// (x - mean) / stddev. Throws IndexError for an index out of range.
  Example<> get_stacked(ArrayRef<size_t> indices);
  /// The same, with mean and standard deviation.
  Example<> get_stacked(ArrayRef<size_t> indices, float mean, float stddev);
  optional<size_t> size() const override;
  /// Whether it is the part to train on.
  bool is_train() const noexcept { return mode_ == Mode::kTrain; }

  /// All images as floats [N, 1, H, W] from 0 to 1; made when first asked for.
  const Tensor& images() const;
  /// All labels as int64 [N].
  const Tensor& targets() const;
  /// The images as they are in the file: bytes [N, 1, H, W].
  const Tensor& raw_images() const;

 private:
  struct Files;
  std::shared_ptr<Files> files_;
  Mode mode_;
};

/// Fashion-MNIST: the same files, of clothes in ten classes.
using FashionMNIST = MNIST;

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
