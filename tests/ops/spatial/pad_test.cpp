#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/spatial/fold.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/tensor/factory.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

// a.i: kernel, dilation, padding, stride, then for col2im the image's height and width.
int64_t windows(int64_t size, const std::vector<int64_t>& s) {
  return (size + 2 * s[2] - s[1] * (s[0] - 1) - 1) / s[3] + 1;
}

// Calls each(image index, column index) for every pixel of every window that is in the image.
template <class Each>
void for_each_pixel(const std::vector<int64_t>& image, const std::vector<int64_t>& s,
                    const Each& each) {
  const int64_t k = s[0], rows = windows(image[2], s), columns = windows(image[3], s);
  for_each_index({image[0], image[1], k * k, rows * columns}, [&](const auto& at) {
    const int64_t y = at[3] / columns * s[3] - s[2] + at[2] / k * s[1];
    const int64_t x = at[3] % columns * s[3] - s[2] + at[2] % k * s[1];
    if (y < 0 || x < 0 || y >= image[2] || x >= image[3]) return;
    each(std::vector<int64_t>{at[0], at[1], y, x},
         std::vector<int64_t>{at[0], at[1] * k * k + at[2], at[3]});
  });
}

const std::vector<std::vector<int64_t>> kSettings = {
    {2, 1, 0, 1}, {3, 1, 1, 2}, {3, 2, 2, 1}, {1, 1, 0, 3}, {2, 3, 1, 2}};

OpCase im2col_case() {
  OpCase c;
  c.name = "im2col";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const auto& s : kSettings) {
      list.push_back(sample_of({{2, 3, 5, 6}}, t, {}, s));
      list.push_back(sample_of({{0, 1, 7, 4}}, t, {}, s));
    }
    return list;
  };
  c.call = [](const Args& a) { return im2col(a.t[0], a.i[0], a.i[1], a.i[2], a.i[3]); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const int64_t n = windows(x.sizes[2], a.i) * windows(x.sizes[3], a.i);
    Array y({x.sizes[0], x.sizes[1] * a.i[0] * a.i[0], n});
    for_each_pixel(x.sizes, a.i,
                   [&](const auto& image, const auto& column) { y.at(column) = x.at(image); });
    return y;
  };
  c.errors = {
      error<Error>("Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other "
                   "non-zero dimensions for input, but got: [4, 4]",
                   [] {
                     im2col(numbers({4, 4}), 2, 1, 0, 1);
                   }),
      error<Error>("calculated shape of the array of sliding blocks as (0, 0), but its components "
                   "must be at least one.",
                   [] {
                     im2col(numbers({1, 1, 2, 2}), 3, 1, 0, 1);
                   }),
      error<Error>("stride should be greater than zero, but got stride_height: 0 stride_width: 0",
                   [] {
                     im2col(numbers({1, 1, 2, 2}), 2, 1, 0, 0);
                   }),
      error<NotImplementedError>("\"im2col_out_cpu\" not implemented for 'Long'", [] {
        im2col(numbers({1, 1, 2, 2}, kLong), 2, 1, 0, 1);
      })};
  return c;
}

OpCase col2im_case() {
  OpCase c;
  c.name = "col2im";
  c.dtypes = {kFloat, kDouble};
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (std::vector<int64_t> s : kSettings) {
      s.insert(s.end(), {5, 6});
      list.push_back(sample_of({{2, 3 * s[0] * s[0], windows(5, s) * windows(6, s)}}, t, {}, s));
    }
    return list;
  };
  c.call = [](const Args& a) {
    return col2im(a.t[0], {a.i[4], a.i[5]}, a.i[0], a.i[1], a.i[2], a.i[3]);
  };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    Array y({x.sizes[0], x.sizes[1] / (a.i[0] * a.i[0]), a.i[4], a.i[5]});
    for_each_pixel(y.sizes, a.i,
                   [&](const auto& image, const auto& column) { y.at(image) += x.at(column); });
    return y;
  };
  c.errors = {
      error<Error>("Expected size of input's dimension 1 to be divisible by the product of "
                   "kernel_size, but got input.size(1)=7 and kernel_size=(2, 2).",
                   [] {
                     col2im(numbers({1, 7, 9}), 4, 2, 1, 0, 1);
                   }),
      error<Error>("expected size of input's dimension 2 to match the calculated number of sliding "
                   "blocks 3 * 3 = 9, but got input.size(2)=8.",
                   [] {
                     col2im(numbers({1, 8, 8}), 4, 2, 1, 0, 1);
                   })};
  return c;
}

// The place of a pixel of images that are r times larger in the many channels of the small ones.
std::vector<int64_t> shuffled(std::vector<int64_t> at, int64_t r) {
  const size_t n = at.size();
  const int64_t row = at[n - 2] % r, column = at[n - 1] % r;
  at[n - 3] = (at[n - 3] * r + row) * r + column;
  at[n - 2] /= r;
  at[n - 1] /= r;
  return at;
}

OpCase shuffle_case(bool back) {
  OpCase c;
  c.name = back ? "pixel_unshuffle" : "pixel_shuffle";
  c.dtypes = {kFloat, kDouble, kLong, kBool};
  c.samples = [back](ScalarType t) {
    if (back)
      return std::vector<Args>{sample_of({{2, 3, 4, 6}}, t, {}, {2}),
                               sample_of({{2, 6, 3}}, t, {}, {3})};
    return std::vector<Args>{sample_of({{2, 8, 3, 2}}, t, {}, {2}),
                             sample_of({{9, 2, 1}}, t, {}, {3})};
  };
  c.call = [back](const Args& a) {
    return back ? pixel_unshuffle(a.t[0], a.i[0]) : pixel_shuffle(a.t[0], a.i[0]);
  };
  c.reference = [back](const ArrayArgs& a) {
    const Array& x = a.t[0];
    std::vector<int64_t> sizes = x.sizes;
    const size_t n = sizes.size();
    const int64_t r = a.i[0], s = back ? r : 1, d = back ? 1 : r;
    sizes[n - 3] = sizes[n - 3] * s * s / (d * d);
    sizes[n - 2] = sizes[n - 2] * d / s;
    sizes[n - 1] = sizes[n - 1] * d / s;
    Array y(sizes);
    for_each_index(back ? x.sizes : sizes, [&](const auto& at) {
      if (back)
        y.at(shuffled(at, r)) = x.at(at);
      else
        y.at(at) = x.at(shuffled(at, r));
    });
    return y;
  };
  return c;
}

TAPER_OP_CASES(fold_cases, {
  OpCase shuffle = shuffle_case(false);
  shuffle.errors = {
      error<Error>("pixel_shuffle expects a positive upscale_factor, but got 0",
                   [] {
                     pixel_shuffle(numbers({3, 2, 2}), 0);
                   }),
      error<Error>("but input.size(-3)=3 is not divisible by 4",
                   [] {
                     pixel_shuffle(numbers({3, 2, 2}), 2);
                   }),
      error<Error>(
          "pixel_shuffle expects input to have at least 3 dimensions, but got input with 2 "
          "dimension(s)",
          [] {
            pixel_shuffle(numbers({3, 2}), 2);
          })};
  OpCase unshuffle = shuffle_case(true);
  unshuffle.errors = {error<Error>(
      "pixel_unshuffle expects width to be divisible by downscale_factor, but input.size(-1)=3 is "
      "not divisible by 2",
      [] {
        pixel_unshuffle(numbers({3, 2, 3}), 2);
      })};
  return std::vector<OpCase>{im2col_case(), col2im_case(), shuffle, unshuffle};
});

TEST(Fold, ImagesWithoutABatch) {
  const Tensor x = numbers({2, 4, 5});
  const Tensor columns = im2col(x, {2, 3}, 1, 0, 1);
  EXPECT_EQ(columns.sizes().vec(), (std::vector<int64_t>{12, 9}));
  EXPECT_TRUE(columns.equal(im2col(x.unsqueeze(0), {2, 3}, 1, 0, 1)[0]));
  EXPECT_EQ(col2im(columns, {4, 5}, {2, 3}, 1, 0, 1).sizes().vec(),
            (std::vector<int64_t>{2, 4, 5}));
}

TEST(PixelShuffle, OfNothing) {
  EXPECT_EQ(pixel_shuffle(numbers({2, 0, 4, 1, 1}), 2).sizes().vec(),
            (std::vector<int64_t>{2, 0, 1, 2, 2}));
}

TEST(ChannelShuffle, TakesChannelsOfTheGroupsInTurns) {
  const Tensor x = counting({1, 6, 1});
  expect_values(channel_shuffle(x, 2), {1, 6, 1}, {0, 3, 1, 4, 2, 5});
  expect_error("Number of channels must be divisible by groups. Got 6 channels and 4 groups.",
               [&] { channel_shuffle(x, 4); });
}

TEST(PixelShuffle, RefusesAFactorWhoseSquareNoIntegerHolds) {
  const Tensor x = ones({1, 4, 2, 2});
  EXPECT_NE(message_of([&] { pixel_shuffle(x, int64_t{1} << 33); }).find("divisible"),
            std::string::npos);
  EXPECT_EQ(pixel_shuffle(x, 2).sizes(), IntArrayRef({1, 1, 4, 4}));
}

// Channel i * (C / groups) + j at j * groups + i.
TAPER_OP_CASES(shuffled_channels, {
  OpCase c = moving_case(
      "channel_shuffle",
      {{{1, 6, 2}, {2}}, {{2, 4, 1, 3}, {4}}, {{2, 6, 2, 1, 2}, {3}}, {{2, 3, 2, 2}, {1}}},
      [](const Tensor& x, const Sizes& i) { return channel_shuffle(x, i[0]); },
      [](const Array& x, const Sizes& i) {
        const int64_t groups = i[0], each = x.sizes[1] / groups;
        return taken(x, x.sizes, [&](Sizes index) {
          index[1] = index[1] % groups * each + index[1] / groups;
          return index;
        });
      });
  c.errors = {error<Error>("Number of channels must be divisible by groups",
                           [] {
                             channel_shuffle(numbers({1, 5, 2, 2}), 2);
                           }),
              error<Error>("channel_shuffle expects input with > 2 dims",
                           [] {
                             channel_shuffle(numbers({2, 2}), 2);
                           }),
              error<Error>("Number of groups to divide channels in must be positive.", [] {
                channel_shuffle(numbers({1, 2, 2}), 0);
              })};
  c.is_view = true;  // with one group
  return std::vector<OpCase>{c};
});

// Elements of the kernel that meet padding alone, in front and behind.
TEST(Fold, KernelElementsThatMeetPaddingAlone) {
  const Tensor x = counting({1, 1, 2, 2}, kDouble, 1).requires_grad_();
  const Tensor y = im2col(x, {3, 3}, {2, 2}, {2, 2}, {1, 1});
  EXPECT_EQ(y.sizes(), IntArrayRef({1, 9, 4}));
  EXPECT_EQ(values_of(y[0][4]), (std::vector<double>{1, 2, 3, 4}));
  for (int64_t k : {0, 1, 2, 3, 5, 6, 7, 8})
    EXPECT_EQ(values_of(y[0][k]), (std::vector<double>(4, 0))) << k;
  y.sum().backward();
  EXPECT_EQ(values_of(x.grad()), (std::vector<double>(4, 1)));
}

/// The element of a dimension of length n that place i (from -before on) shows; -1 for none.
int64_t padded_source(const std::string& mode, int64_t i, int64_t n, int64_t before,
                      int64_t after) {
  if (mode == "replicate") return std::min(std::max<int64_t>(i, 0), n - 1);
  if (mode == "circular") {  // what negative padding leaves goes round
    const int64_t first = std::max<int64_t>(-before, 0);
    const int64_t left = n - first - std::max<int64_t>(-after, 0);
    return first + (i - first + 5 * left) % left;
  }
  if (mode == "reflect") return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
  return i < 0 || i >= n ? -1 : i;
}

OpCase pad_case(const std::string& mode) {
  OpCase c;
  c.name = "pad_" + mode;
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [mode](ScalarType t) {
    std::vector<Args> list = {
        sample_of({{2, 3}}, t, {}, {1, 2}),
        sample_of({{2, 3, 5}}, t, {}, {0, 3}),
        sample_of({{2, 3, 4}}, t, {}, {2, 0, 1, 1}),
        sample_of({{1, 2, 3, 4}}, t, {}, {3, 2, 1, 2}),
        sample_of({{1, 1, 2, 3, 2}}, t, {}, {1, 1, 2, 0, 1, 1}),
    };
    if (mode == "circular") {
      list.push_back(sample_of({{2, 1, 3, 5}}, t, {}, {5, 4, 3, 0}));
      list.push_back(sample_of({{1, 2, 5}}, t, {}, {2, -1}));
    }
    if (mode != "constant") return list;
    list.push_back(sample_of({{5}}, t, {}, {1, 2}));
    list.push_back(sample_of({{5, 4}}, t, {}, {-1, 2, 1, -2}));
    list.push_back(sample_of({{0, 4}}, t, {}, {1, 1, 1, 2}));
    list.push_back(sample_of({{3}}, t, {}, {-2, -1}));
    return list;
  };
  c.call = [mode](const Args& a) { return pad(a.t[0], a.i, mode); };
  c.reference = [mode](const ArrayArgs& a) {
    const Array& x = a.t[0];
    Sizes sizes = x.sizes;
    const auto padding = [&](int64_t d, size_t side) {
      const size_t k = 2 * static_cast<size_t>(x.dim() - 1 - d) + side;
      return k < a.i.size() ? a.i[k] : 0;
    };
    for (size_t k = 0; k < a.i.size(); ++k) sizes[sizes.size() - 1 - k / 2] += a.i[k];
    return rearranged(x, sizes, [&](Sizes& index) {
      for (int64_t d = 0; d < x.dim(); ++d) {
        const int64_t before = padding(d, 0);
        index[d] = padded_source(mode, index[d] - before, x.sizes[d], before, padding(d, 1));
        if (index[d] < 0) return false;
      }
      return true;
    });
  };
  c.covers = {"constant_pad_nd", "reflection_pad1d", "replication_pad1d"};
  return c;
}

TAPER_OP_CASES(padded, {
  return std::vector<OpCase>{pad_case("constant"), pad_case("reflect"), pad_case("replicate"),
                             pad_case("circular")};
});

TEST(Pad, OfAnEmptyBatch) {
  const Tensor x = zeros({0, 2, 3}).requires_grad_();
  for (const char* mode : {"circular", "reflect", "replicate"}) {
    const Tensor y = pad(x, {1, 1}, mode);
    EXPECT_EQ(y.sizes(), IntArrayRef({0, 2, 5}));
    y.sum().backward();
  }
  EXPECT_EQ(pad(zeros({2, 0, 3, 4}), {1, 1, 1, 1}, "circular").sizes(), IntArrayRef({2, 0, 5, 6}));
  EXPECT_EQ(x.grad().sizes(), x.sizes());
}

TEST(Pad, ErrorsAndValue) {
  expect_values(pad(arange(2), {1, 1}, "constant", 7.0), {4}, {7, 0, 1, 7});
  expect_error("Padding length too large", [] { pad(zeros({3}), {1, 1, 1, 1}); });
  expect_error("Padding length must be divisible by 2", [] { pad(zeros({3}), {1}); });
  expect_error("resulted in a negative output size", [] { pad(zeros({3}), {-2, -2}); });
  expect_error("length must be non-negative", [] { pad(zeros({3}), {-4, 2}); });
  expect_error("Padding size should be less than the corresponding input dimension", [] {
    pad(zeros({1, 3}), {3, 3}, "reflect");
  });
  expect_error<NotImplementedError>("Only 2D, 3D, 4D, 5D padding", [] {
    pad(zeros({3}), {1, 1}, "reflect");
  });
  expect_error<NotImplementedError>("Unrecognised padding mode", [] {
    pad(zeros({1, 3}), {1, 1}, "x");
  });
}

}  // namespace
}  // namespace torch::taper::testing
