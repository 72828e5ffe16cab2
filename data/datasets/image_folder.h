// ImageFolder: a folder of image files for each class.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <taper/data/map.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// The images root/CLASS/.../NAME of type .png, .jpg and .jpeg (in any case). Classes are numbered
/// by their names in order, images follow in the order of classes and paths: torchvision's
/// ImageFolder. Examples are {float image [3, H, W] with values 0 to 1, int64 label}, read anew
/// each time, so that several workers of a loader decode at once; images of one size for a batch
/// come by map(transforms::Resize<>(256)) and the like. Threads may share one. Throws Error for a
/// root without class folders and for a class without images; get() throws for a file that cannot
/// be read (see read_image).
class ImageFolder : public Dataset<ImageFolder> {
 public:
  /// Lists the files; reads no image yet. Copies share the list.
  explicit ImageFolder(const std::string& root);

  /// The image, decoded now, and its label []. Throws IndexError for a number out of range.
  Example<> get(size_t index) override;
  optional<size_t> size() const override;
  /// The image's bytes: uint8 [3, H, W].
  Tensor raw(size_t index) const;
  /// The classes' names, by number.
  const std::vector<std::string>& classes() const;
  /// Each image's path and class.
  const std::vector<std::pair<std::string, int64_t>>& samples() const;
  /// All labels as int64 [N].
  Tensor targets() const;

 private:
  struct Listing;
  std::shared_ptr<const Listing> listing_;
};

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
