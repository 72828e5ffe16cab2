// Views OpenCV's images as tensors, and tensors as OpenCV's images, without copying. This header
// needs OpenCV's module "core".
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include <taper/ops/tensor/factory.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {

/// The dtype for each of OpenCV's depths. The index is the depth: CV_8U is 0.
inline constexpr ScalarType kDtypesOfDepths[] = {kByte, kChar,  kUInt16, kShort,
                                                 kInt,  kFloat, kDouble, kHalf};

}  // namespace detail

/// Returns a tensor that shares the memory of a Mat. An image gives [H, W, C], with height H, width
/// W and C channels. A Mat with more dimensions gives [its sizes..., C]. The tensor keeps the
/// memory alive. `permute({2, 0, 1})` gives [C, H, W], the order that Taper's layers expect.
///
///     Tensor image = from_opencv(cv::imread("a.png"));  // bytes, [H, W, 3] in the order BGR
inline Tensor from_opencv(const cv::Mat& image) {
  std::vector<int64_t> sizes, strides;
  const auto element = static_cast<int64_t>(image.elemSize1());
  for (int d = 0; d < image.dims; ++d) {
    sizes.push_back(image.size[d]);
    strides.push_back(static_cast<int64_t>(image.step[d]) / element);
  }
  sizes.push_back(image.channels());
  strides.push_back(1);
  return from_blob(
      image.data, sizes, strides, [kept = image](void*) mutable { kept.release(); },
      detail::kDtypesOfDepths[image.depth()]);
}

/// Returns a Mat that shares the memory of `x`, a tensor [H, W] or [H, W, C] on the CPU. The pixels
/// of a row of `x` must have no gaps between them. `x` must outlive the Mat. Throws Error for other
/// tensors.
inline cv::Mat as_opencv(const Tensor& x) {
  const int64_t channels = x.dim() == 3 ? x.size(2) : 1;
  TAPER_CHECK(x.is_cpu() && (x.dim() == 2 || x.dim() == 3) && channels > 0 && channels <= CV_CN_MAX,
              "as_opencv: expected a tensor [H, W] or [H, W, C] on the CPU, got sizes ", x.sizes(),
              " on ", x.device(), "; images [C, H, W] need permute({1, 2, 0}).contiguous()");
  TAPER_CHECK((x.stride(1) == channels || x.size(1) == 1) &&
                  (x.dim() == 2 || x.stride(2) == 1 || channels == 1),
              "as_opencv: expected pixels without gaps, got strides ", x.strides(),
              "; call contiguous() first");
  for (int depth = 0; depth < 8; ++depth)
    if (detail::kDtypesOfDepths[depth] == x.scalar_type())
      return cv::Mat(static_cast<int>(x.size(0)), static_cast<int>(x.size(1)),
                     CV_MAKETYPE(depth, static_cast<int>(channels)), x.data_ptr(),
                     static_cast<size_t>(x.stride(0)) * x.itemsize());
  throw TypeError(detail::concat("as_opencv: expected a dtype of OpenCV, got ", x.scalar_type(),
                                 "; convert it with to(kFloat) or to(kByte)"));
}
inline cv::Mat as_opencv(Tensor&& x) = delete;

}  // namespace torch::taper

#pragma GCC visibility pop
