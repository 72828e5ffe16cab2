// OpenCV's images and tensors over one memory.
#include <taper/extension/opencv.h>
#include <torch/torch.h>

#include "expect.h"

namespace {

void images_go_in() {
  torch::Tensor x, part;
  {
    cv::Mat image(2, 4, CV_8UC3);
    for (int i = 0; i < 24; ++i) image.data[i] = static_cast<unsigned char>(i);
    x = taper::from_opencv(image);
    part = taper::from_opencv(image(cv::Rect(1, 0, 2, 2)));
    EXPECT(x.data_ptr() == image.data);
    EXPECT(image.u->refcount == 3);
  }
  EXPECT(x.equal(torch::arange(24, torch::kByte).view({2, 4, 3})));  // the tensor keeps the memory
  EXPECT(part.equal(x.narrow(1, 1, 2)));
  const int sizes[] = {2, 3, 4};
  const cv::Mat cube(3, sizes, CV_32F, cv::Scalar(7));
  EXPECT(taper::from_opencv(cube).equal(torch::full({2, 3, 4, 1}, 7.f)));
  EXPECT(taper::from_opencv(cv::Mat(1, 1, CV_16U)).scalar_type() == torch::kUInt16);
}

void tensors_go_out() {
  const torch::Tensor x = torch::arange(24, torch::kFloat).view({2, 4, 3});
  cv::Mat image = taper::as_opencv(x);
  EXPECT(image.type() == CV_32FC3 && image.rows == 2 && image.cols == 4);
  EXPECT(image.at<cv::Vec3f>(1, 2)[1] == 19 && image.data == x.data_ptr());
  image *= 2;
  EXPECT(x[1][2][1].item<float>() == 38);
  const torch::Tensor part = x.narrow(1, 1, 2), gray = torch::ones({3, 2}, torch::kDouble);
  EXPECT(taper::as_opencv(part).at<cv::Vec3f>(0, 0)[0] == 6);
  EXPECT(taper::as_opencv(part).at<cv::Vec3f>(1, 0)[0] == 30);
  EXPECT(taper::as_opencv(gray).type() == CV_64F);
  EXPECT(cv::sum(taper::as_opencv(gray))[0] == 6);
}

void others_are_refused() {
  const torch::Tensor planes = torch::ones({3, 2, 4}).permute({1, 2, 0});
  EXPECT(has(thrown<taper::Error>([&] { taper::as_opencv(planes); }),
             "as_opencv: expected pixels without gaps, got strides [4, 1, 8]"));
  const torch::Tensor gaps = torch::ones({16}).as_strided({2, 2, 2}, {8, 2, 3});
  EXPECT(has(thrown<taper::Error>([&] { taper::as_opencv(gaps); }), "got strides [8, 2, 3]"));
  const torch::Tensor longs = torch::ones({2, 2}, torch::kLong), row = torch::ones({2});
  EXPECT(has(thrown<taper::TypeError>([&] { taper::as_opencv(longs); }),
             "as_opencv: expected a dtype of OpenCV, got Long"));
  EXPECT(has(thrown<taper::Error>([&] { taper::as_opencv(row); }), "got sizes [2] on cpu"));
}

}  // namespace

int main() {
  images_go_in();
  tensors_go_out();
  others_are_refused();
}
