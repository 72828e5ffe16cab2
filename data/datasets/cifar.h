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

/// What both have in common. Examples are {float image [3, 32, 32] with values 0 to 1, int64
/// label}. In memory the images stay bytes, shared by all copies of the data set.
template <class Self>
class Cifar : public Dataset<Self> {
 public:
  /// Which of the two parts: that to train on, or that to test with.
  enum class Mode { kTrain, kTest };

  /// The image [3, 32, 32] of that number and its label [].
  Example<> get(size_t index) override;
  /// The images [B, 3, 32, 32] and labels [B] at `indices`; with mean and stddev each value x
  /// becomes (x - mean) / stddev. Throws IndexError for an index out of range.
  Example<> get_stacked(ArrayRef<size_t> indices);
  /// The same, with mean and standard deviation.
  Example<> get_stacked(ArrayRef<size_t> indices, float mean, float stddev);
  /// The number of images: of the published files 50,000 to train on, 10,000 to test with.
  optional<size_t> size() const override;
  /// Whether it is the part to train on.
  bool is_train() const noexcept { return mode_ == Mode::kTrain; }
  /// All labels as int64 [N].
  const Tensor& targets() const;
  /// All images as bytes [N, 3, 32, 32].
  const Tensor& raw_images() const;

 protected:
  /// Keeps `images`, which copies share, as the part `mode`.
  Cifar(std::shared_ptr<const ByteImages> images, Mode mode)
      : images_(std::move(images)), mode_(mode) {}

 private:
  std::shared_ptr<const ByteImages> images_;
  Mode mode_;
};

/// CIFAR-10, from a folder with the files of its "binary version": data_batch_1.bin to
/// data_batch_5.bin, or test_batch.bin for kTest. Throws Error, naming the file, when one is
/// missing, cut, or has a label above 9.
class CIFAR10 : public Cifar<CIFAR10> {
 public:
  /// Reads the files of that part.
  explicit CIFAR10(const std::string& root, Mode mode = Mode::kTrain);
};

/// CIFAR-100, from a folder with the files of its "binary version": train.bin, or test.bin for
/// kTest. Its labels are those of the hundred classes, or of the twenty groups of them.
class CIFAR100 : public Cifar<CIFAR100> {
 public:
  /// A hundred classes, or twenty groups of them.
  enum class Labels { kFine, kCoarse };
  /// Reads the file of that part.
  explicit CIFAR100(const std::string& root, Mode mode = Mode::kTrain,
                    Labels labels = Labels::kFine);
};

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
