// CIFAR-10 and CIFAR-100: small photographs in ten or a hundred classes.
#pragma once

#include <memory>
#include <string>

#include <taper/data/map.h>

#pragma GCC visibility push(default)

namespace torch::taper::data {
struct ByteImages;
}

namespace torch::taper::data::datasets {

/// Holds the images of CIFAR-10 or CIFAR-100. Examples are {float image [3, 32, 32] with values 0
/// to 1, int64 label}. The images are kept in memory as bytes. All copies of the data set share
/// this memory.
template <class Self>
class Cifar : public Dataset<Self> {
 public:
  /// Selects the training or the test part.
  enum class Mode { kTrain, kTest };

  /// Returns the image [3, 32, 32] at `index` and its label [].
  Example<> get(size_t index) override;
  /// Returns the images [B, 3, 32, 32] and labels [B] at `indices`. Throws IndexError for an index
  /// out of range.
  Example<> get_stacked(ArrayRef<size_t> indices);
  /// Returns normalized images: each value x becomes (x - mean) / stddev.
  Example<> get_stacked(ArrayRef<size_t> indices, float mean, float stddev);
  /// Returns the number of images. The published files have 50,000 for training and 10,000 for
  /// tests.
  optional<size_t> size() const override;
  /// Returns whether this is the training part.
  bool is_train() const noexcept { return mode_ == Mode::kTrain; }
  /// Returns all labels as int64 [N].
  const Tensor& targets() const;
  /// Returns all images as bytes [N, 3, 32, 32].
  const Tensor& raw_images() const;

 protected:
  /// Takes the images of the part `mode`. Copies of the data set share these images.
  Cifar(std::shared_ptr<const ByteImages> images, Mode mode)
      : images_(std::move(images)), mode_(mode) {}

 private:
  std::shared_ptr<const ByteImages> images_;
  Mode mode_;
};

/// Reads CIFAR-10 from a folder with the files of its "binary version": data_batch_1.bin to
/// data_batch_5.bin, or test_batch.bin for kTest. Throws Error, which names the file, if a file is
/// missing or truncated, or has a label above 9.
class CIFAR10 : public Cifar<CIFAR10> {
 public:
  /// Reads the files of the part `mode`.
  explicit CIFAR10(const std::string& root, Mode mode = Mode::kTrain);
};

/// Reads CIFAR-100 from a folder with the files of its "binary version": train.bin, or test.bin for
/// kTest. Labels are the hundred classes, or the twenty groups of classes.
class CIFAR100 : public Cifar<CIFAR100> {
 public:
  /// Selects the hundred classes or the twenty groups.
  enum class Labels { kFine, kCoarse };
  /// Reads the file of the part `mode`.
  explicit CIFAR100(const std::string& root, Mode mode = Mode::kTrain,
                    Labels labels = Labels::kFine);
};

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
