// make_grid and PNG files.
#include <gtest/gtest.h>

#include <taper/taper.h>
#include <taper/utils/image_grid.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using utils::ImageGridOptions;
using utils::make_grid;

std::vector<double> flat(const Tensor& t) {
  const Tensor all = t.to(kDouble).contiguous();
  return {all.data_ptr<double>(), all.data_ptr<double>() + all.numel()};
}

// Three images of one pixel, two in a row, one pixel between and around.
TEST(ImageGrid, Places) {
  const Tensor images = tensor({1., 2., 3.}).view({3, 1, 1, 1});
  const Tensor grid = make_grid(images, ImageGridOptions().nrow(2).padding(1).pad_value(9));
  ASSERT_EQ(grid.sizes(), IntArrayRef({3, 5, 5}));
  const std::vector<double> plane = {9, 9, 9, 9, 9,  //
                                     9, 1, 9, 2, 9,  //
                                     9, 9, 9, 9, 9,  //
                                     9, 3, 9, 9, 9,  //
                                     9, 9, 9, 9, 9};
  for (int64_t c = 0; c < 3; ++c) EXPECT_EQ(flat(grid[c]), plane);
}

TEST(ImageGrid, FewerImagesThanARowHolds) {
  EXPECT_EQ(make_grid(zeros({2, 3, 4, 5})).sizes(), IntArrayRef({3, 4 + 4, 2 * 7 + 2}));
  EXPECT_EQ(make_grid(zeros({1, 3, 4, 5})).sizes(), IntArrayRef({3, 4, 5}));
  EXPECT_EQ(make_grid(zeros({4, 5})).sizes(), IntArrayRef({3, 4, 5}));
}

TEST(ImageGrid, Normalizes) {
  const Tensor images = tensor({0., 2., 4., 8.}).view({2, 1, 1, 2});
  const auto row = [&](const ImageGridOptions& o) { return flat(make_grid(images, o)[0]); };
  ImageGridOptions options = ImageGridOptions().padding(0).normalize(true);
  EXPECT_EQ(row(options), (std::vector<double>{0, .25, .5, 1}));
  EXPECT_EQ(row(options.scale_each(true)), (std::vector<double>{0, 1, 0, 1}));
  EXPECT_EQ(row(options.scale_each(false).value_range(ImageGridOptions::Range(2, 4))),
            (std::vector<double>{0, 0, 1, 1}));
}

TEST(ImageGrid, RoundTripThroughAFile) {
  const TemporaryFolder folder;
  const Tensor image = arange(2 * 3 * 4 * 4, kByte).view({2, 3, 4, 4});
  utils::save_image(image, folder.path("grid.png"));
  EXPECT_TRUE(data::read_image(folder.path("grid.png")).equal(make_grid(image)));
  utils::save_image(tensor({-1., 0.5, 2.}).view({1, 3}), folder.path("row.png"));
  EXPECT_EQ(flat(data::read_image(folder.path("row.png"))[0]), (std::vector<double>{0, 128, 255}));
}

TEST(ImageGrid, BadInputIsRefused) {
  expect_error<ValueError>("make_grid: expected images [N, C, H, W]",
                           [] { make_grid(zeros({3})); });
  expect_error<ValueError>("make_grid: expected images [N, C, H, W]", [] {
    make_grid(zeros({0, 3, 2, 2}));
  });
  expect_error<ValueError>("make_grid: expected nrow of at least 1", [] {
    make_grid(zeros({2, 2}), ImageGridOptions().nrow(0));
  });
  expect_error<ValueError>("make_grid: expected value_range (low, high)", [] {
    make_grid(zeros({2, 2}), ImageGridOptions().value_range(ImageGridOptions::Range(1, 1)));
  });
  expect_error<ValueError>("encode_png: expected bytes or floats in [0, 1], got Long", [] {
    utils::encode_png(zeros({3, 2, 2}, kLong));
  });
  expect_error("save: cannot open", [] { utils::save_image(zeros({2, 2}), "/proc/none.png"); });
}

}  // namespace
}  // namespace torch::taper::testing
