#include <taper/data/byte_images.h>
#include <taper/data/datasets/cifar.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <taper/framework/io/bytes.h>

namespace torch::taper::data::datasets {
namespace {

constexpr int64_t kPixels = 3 * 32 * 32;

/// Describes the start of a record: the number of labels before the pixels, the index of the label
/// to use, and the number of classes.
struct RecordFormat {
  int64_t labels, label;
  int classes;
};

std::string read_records(const std::string& path, int64_t nbytes) {
  const char* const why = serialize::detail::why_not_regular(path);
  TAPER_CHECK(!why, path, ": cannot be opened: ", why);
  std::ifstream in(path, std::ios::binary);
  TAPER_CHECK(in, path, ": cannot be opened: ", std::strerror(errno));
  in.seekg(0, std::ios::end);
  const int64_t size = in.tellg();
  TAPER_CHECK(size > 0 && size % nbytes == 0, path, ": expected records of ", nbytes,
              " bytes, got a file of ", size, " bytes: cut, or of another format");
  std::string bytes(static_cast<size_t>(size), '\0');
  in.seekg(0);
  TAPER_CHECK(in.read(bytes.data(), size), path, ": cannot be read");
  return bytes;
}

void unpack(const std::string& path, const std::string& bytes, const RecordFormat& format,
            uint8_t* pixels, int64_t* labels) {
  const auto record = static_cast<size_t>(format.labels + kPixels);
  for (size_t i = 0; i < bytes.size() / record; ++i) {
    const char* from = bytes.data() + i * record;
    labels[i] = static_cast<unsigned char>(from[format.label]);
    TAPER_CHECK(labels[i] < format.classes, path, ": the file is damaged: expected labels from 0 ",
                "to ", format.classes - 1, ", got ", labels[i], " at position ", i);
    std::memcpy(pixels + i * kPixels, from + format.labels, kPixels);
  }
}

std::shared_ptr<const ByteImages> read_cifar(const std::string& root,
                                             const std::vector<std::string>& names,
                                             const RecordFormat& format) {
  std::vector<std::string> paths, files;
  int64_t count = 0;
  for (const std::string& name : names) {
    paths.push_back(root.empty() || root.back() == '/' ? root + name : root + "/" + name);
    files.push_back(read_records(paths.back(), format.labels + kPixels));
    count += static_cast<int64_t>(files.back().size()) / (format.labels + kPixels);
  }
  auto all = std::make_shared<ByteImages>();
  all->images = taper::detail::make_tensor({count, 3, 32, 32}, kByte, Device(kCPU));
  all->targets = taper::detail::make_tensor({count}, kLong, Device(kCPU));
  uint8_t* pixels = all->images.data_ptr<uint8_t>();
  int64_t* labels = all->targets.data_ptr<int64_t>();
  for (size_t i = 0; i < files.size(); ++i) {
    unpack(paths[i], files[i], format, pixels, labels);
    const int64_t done = static_cast<int64_t>(files[i].size()) / (format.labels + kPixels);
    pixels += done * kPixels;
    labels += done;
  }
  return all;
}

std::vector<std::string> batches(bool train) {
  if (!train) return {"test_batch.bin"};
  std::vector<std::string> names;
  for (int i = 1; i <= 5; ++i) names.push_back("data_batch_" + std::to_string(i) + ".bin");
  return names;
}

}  // namespace

template <class Self>
Example<> Cifar<Self>::get(size_t index) {
  Example<> one = get_stacked(index);
  return {one.data.squeeze(0), one.target.squeeze(0)};
}
template <class Self>
Example<> Cifar<Self>::get_stacked(ArrayRef<size_t> indices) {
  return images_->gather("CIFAR", indices, {0, 1, false});
}
template <class Self>
Example<> Cifar<Self>::get_stacked(ArrayRef<size_t> indices, float mean, float stddev) {
  return images_->gather("CIFAR", indices, {mean, stddev, true});
}
template <class Self>
optional<size_t> Cifar<Self>::size() const {
  return static_cast<size_t>(images_->images.size(0));
}
template <class Self>
const Tensor& Cifar<Self>::targets() const {
  return images_->targets;
}
template <class Self>
const Tensor& Cifar<Self>::raw_images() const {
  return images_->images;
}
template class Cifar<CIFAR10>;
template class Cifar<CIFAR100>;

CIFAR10::CIFAR10(const std::string& root, Mode mode)
    : Cifar(read_cifar(root, batches(mode == Mode::kTrain), {1, 0, 10}), mode) {}

CIFAR100::CIFAR100(const std::string& root, Mode mode, Labels labels)
    : Cifar(read_cifar(root, {mode == Mode::kTrain ? "train.bin" : "test.bin"},
                       labels == Labels::kFine ? RecordFormat{2, 1, 100} : RecordFormat{2, 0, 20}),
            mode) {}

}  // namespace torch::taper::data::datasets
