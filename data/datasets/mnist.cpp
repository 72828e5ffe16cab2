#include <taper/data/byte_images.h>
#include <taper/data/datasets/mnist.h>
#include <taper/data/idx.h>

#include <mutex>

namespace torch::taper::data::datasets {

struct MNIST::Files : ByteImages {
  std::once_flag once;
  Tensor float_images;
};

namespace {

std::string join(const std::string& root, const char* name) {
  return root.empty() || root.back() == '/' ? root + name : root + "/" + name;
}

Tensor read_images(const std::string& path) {
  Tensor images = read_idx(path, 3, "images");
  return images.view({images.size(0), 1, images.size(1), images.size(2)});
}

Tensor read_targets(const std::string& path) {
  const Tensor labels = read_idx(path, 1, "labels");
  Tensor targets = taper::detail::make_tensor(labels.sizes(), kLong, Device(kCPU));
  const uint8_t* from = labels.data_ptr<uint8_t>();
  int64_t* to = targets.data_ptr<int64_t>();
  for (int64_t i = 0; i < labels.numel(); ++i) {
    TAPER_CHECK(from[i] < 10, path, ": the file is damaged: expected labels from 0 to 9, got ",
                int{from[i]}, " at position ", i);
    to[i] = from[i];
  }
  return targets;
}

}  // namespace

MNIST::MNIST(const std::string& root, Mode mode) : files_(std::make_shared<Files>()), mode_(mode) {
  const bool train = mode == Mode::kTrain;
  const std::string images =
      join(root, train ? "train-images-idx3-ubyte" : "t10k-images-idx3-ubyte");
  const std::string labels =
      join(root, train ? "train-labels-idx1-ubyte" : "t10k-labels-idx1-ubyte");
  files_->images = read_images(images);
  files_->targets = read_targets(labels);
  TAPER_CHECK(files_->images.size(0) == files_->targets.size(0), labels, ": expected ",
              files_->images.size(0), " labels, one for each image, got ", files_->targets.size(0));
}

optional<size_t> MNIST::size() const { return static_cast<size_t>(files_->images.size(0)); }

const Tensor& MNIST::targets() const { return files_->targets; }

const Tensor& MNIST::raw_images() const { return files_->images; }

const Tensor& MNIST::images() const {
  std::call_once(files_->once, [&files = *files_] {
    Tensor y = taper::detail::make_tensor(files.images.sizes(), kFloat, Device(kCPU));
    TAPER_ON_DEVICE(y, images_to_float, y, files.images);
    files.float_images = y;
  });
  return files_->float_images;
}

Example<> MNIST::get(size_t index) {
  Example<> one = get_stacked(index);
  return {one.data.squeeze(0), one.target.squeeze(0)};
}

Example<> MNIST::get_stacked(ArrayRef<size_t> indices) {
  return files_->gather("MNIST", indices, {0, 1, false});
}

Example<> MNIST::get_stacked(ArrayRef<size_t> indices, float mean, float stddev) {
  return files_->gather("MNIST", indices, {mean, stddev, true});
}

}  // namespace torch::taper::data::datasets
