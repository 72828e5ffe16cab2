// ImageFolder: a folder of image files for each class.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <taper/data/map.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// Reads the images root/CLASS/.../NAME with the endings .png, .jpg and .jpeg (upper or lower
/// case), like torchvision's ImageFolder. Classes are numbered in the order of their names. Images
/// are ordered by class and path.
///
/// Examples are {float image [3, H, W] with values 0 to 1, int64 label}. Each access decodes the
/// image again. The workers of a loader decode in parallel. To get images of one size for a batch,
/// use map(transforms::Resize<>(256)) or a crop. Threads may share a data set. Throws Error for a
/// root without class folders, and for a class without images. get() throws Error if a file cannot
/// be read (see read_image).
class ImageFolder : public Dataset<ImageFolder> {
 public:
  /// Lists the files, without reading an image. Copies share the list.
  explicit ImageFolder(const std::string& root);

  /// Decodes the image and returns it with its label []. Throws IndexError for an index out of
  /// range.
  Example<> get(size_t index) override;
  optional<size_t> size() const override;
  /// Returns the image as bytes: uint8 [3, H, W].
  Tensor raw(size_t index) const;
  /// Returns the names of the classes, by number.
  const std::vector<std::string>& classes() const;
  /// Returns the path and the class of each image.
  const std::vector<std::pair<std::string, int64_t>>& samples() const;
  /// Returns all labels as int64 [N].
  Tensor targets() const;

 private:
  struct Listing;
  std::shared_ptr<const Listing> listing_;
};

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
