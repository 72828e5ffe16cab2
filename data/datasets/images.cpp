// Datasets of images: MNIST and folders.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <mutex>

#include <taper/data/byte_images.h>
#include <taper/data/datasets/image_folder.h>
#include <taper/data/datasets/mnist.h>
#include <taper/data/idx.h>
#include <taper/data/image_file.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::data::datasets {

// ---------------------------------------------------------------------- mnist
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

// ---------------------------------------------------------------------- image_folder
namespace fs = std::filesystem;

struct ImageFolder::Listing {
  std::vector<std::string> classes;
  std::vector<std::pair<std::string, int64_t>> samples;
};

namespace {

bool is_image(const fs::path& path) {
  std::string type = path.extension().string();
  for (char& c : type) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return type == ".png" || type == ".jpg" || type == ".jpeg";
}

std::vector<std::string> names_of_folders(const fs::path& root) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(root))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Lists the images in a folder and below it: folders in the order of their paths, files by name.
std::vector<std::string> images_below(const fs::path& top) {
  std::vector<fs::path> folders{top};
  const auto options = fs::directory_options::follow_directory_symlink;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top, options))
    if (entry.is_directory()) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end(),
            [](const fs::path& a, const fs::path& b) { return a.string() < b.string(); });
  std::vector<std::string> images;
  for (const fs::path& folder : folders) {
    const auto first = static_cast<std::ptrdiff_t>(images.size());
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.is_regular_file() && is_image(entry.path()))
        images.push_back(entry.path().string());
    std::sort(images.begin() + first, images.end());
  }
  return images;
}

}  // namespace

ImageFolder::ImageFolder(const std::string& root) {
  auto listing = std::make_shared<Listing>();
  std::string without;
  try {
    TAPER_CHECK(fs::is_directory(root), root, ": expected a folder");
    listing->classes = names_of_folders(root);
    for (size_t c = 0; c < listing->classes.size(); ++c) {
      const std::vector<std::string> images = images_below(fs::path(root) / listing->classes[c]);
      for (const std::string& path : images)
        listing->samples.emplace_back(path, static_cast<int64_t>(c));
      if (images.empty()) without += (without.empty() ? "" : ", ") + listing->classes[c];
    }
  } catch (const fs::filesystem_error& e) {
    throw Error(std::string("ImageFolder: ") + e.what());
  }
  TAPER_CHECK(!listing->classes.empty(), "Couldn't find any class folder in ", root, ".");
  TAPER_CHECK(without.empty(), "Found no valid file for the classes ", without,
              ". Supported extensions are: .jpg, .jpeg, .png");
  listing_ = std::move(listing);
}

Tensor ImageFolder::raw(size_t index) const {
  TAPER_CHECK_INDEX(index < listing_->samples.size(), "ImageFolder: expected an index below ",
                    listing_->samples.size(), ", got ", index);
  return read_image(listing_->samples[index].first);
}

Example<> ImageFolder::get(size_t index) {
  const Tensor image = raw(index).to(kFloat).div_(255);
  return {image, tensor(listing_->samples[index].second, kLong)};
}

optional<size_t> ImageFolder::size() const { return listing_->samples.size(); }
const std::vector<std::string>& ImageFolder::classes() const { return listing_->classes; }
const std::vector<std::pair<std::string, int64_t>>& ImageFolder::samples() const {
  return listing_->samples;
}
Tensor ImageFolder::targets() const {
  std::vector<int64_t> labels;
  for (const auto& sample : listing_->samples) labels.push_back(sample.second);
  return tensor(labels, kLong);
}

}  // namespace torch::taper::data::datasets
