// Convolutions of 3 x 3 kernels by Winograd's F(2 x 2, 3 x 3) (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2016). For f32. Part of conv_cpu.cpp.
//
// A tile of 2 x 2 results needs 16 multiplications. Direct sums over the kernel elements need 36.
// The tile's 4 x 4 inputs and the kernel are transformed by additions and factors of 1/2. The 16
// transformed elements of both are multiplied, and the products are transformed back. With the sum
// over channels, the products of each of the 16 elements are one product of matrices.
//
// Along each dimension, the transform multiplies kernel elements by 1 or 1/2 only. A sum has a
// ninth of the terms of a direct sum, and at most kDepth terms are summed at a time. For 16 to 512
// channels, the root mean square error of result images is 1.0 to 1.8 times the error of oneDNN's
// direct sums. For gradients of weights, the error is 0.6 to 1.4 times oneDNN's. An infinity would
// spread over a tile. So if a result is infinite or NaN, all results are discarded and computed in
// another way.
#pragma once

#include <algorithm>
#include <atomic>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/isa.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/spatial/conv/conv_shape.h>

namespace torch::taper::cpu::winograd {

constexpr int64_t kPlaces = 16;  ///< number of elements of a transformed tile
constexpr int64_t kPanel = 64;   ///< number of adjacent tiles in one product
/// The largest number of channels that are summed together. This many rows of a panel stay in the
/// cache. Partial sums also have smaller errors than one long sum.
constexpr int64_t kDepth = 128;
constexpr int64_t kSlack = 64;  ///< number of elements that may be written after a buffer
/// The least number of channels. Fewer channels give too few products per transformed element.
constexpr int64_t kLeastChannels = 16;
/// If there are many kernels per tile, the kernels are transformed in blocks of channels just
/// before use. If all kernels were transformed first, the transformed kernels would be read from L3
/// or memory. The limits are numbers of kernels per tile: kManyKernels for up to kFewTiles tiles,
/// kManyKernelsOfMoreTiles for more. Above kMostKernels kernels per tile, the transforms cost as
/// much time as they save. (Zen 4, 512 to 512 channels, 32 images of 4 x 4: 16.4 ms by oneDNN, 14.8
/// with all kernels transformed first, 12.6 in blocks. For 16 images: 8.7 ms with all kernels
/// transformed first, 6.9 in blocks.)
constexpr int64_t kFewTiles = 256, kManyKernels = 128, kManyKernelsOfMoreTiles = 1024;
constexpr int64_t kMostKernels = 4096;
/// The number of output channels per block. The transformed kernels of a block stay in L2.
constexpr int64_t kChannelBlock = 32;

/// One channel of an image and its tiles. Tile (i, j) starts at row 2 i - above and column 2 j -
/// left.
struct Plane {
  int64_t height, width, above, left, tiles_wide, tiles_high;
  int64_t tiles() const { return tiles_wide * tiles_high; }
};

// ---------------------------------------------------------------------- transforms
// In arrays of transformed tiles, element p of tile j has index p * step + j. `rows` is a
// workspace.
/// Tiles [first, first + count) of a plane. If `count` exceeds the tiles of the plane, the strip
/// holds all tiles of several planes. These planes are image_step elements apart.
struct Strip {
  Plane plane;
  int64_t image_step, first, count;
};
/// Returns the size of `rows` for input_tiles and gradient_tiles.
int64_t row_space(const Plane& plane, int64_t tiles);
/// Transforms the 4 x 4 input elements of each tile.
void input_tiles(float* to, int64_t step, const float* x, const Strip& s, float* rows);
/// Transforms the 2 x 2 elements of each tile of a gradient.
void gradient_tiles(float* to, int64_t step, const float* gy, const Strip& s, float* rows);
/// Computes tiles of results from transformed products, and adds the bias. Returns false if a
/// result is infinite or NaN.
bool output_tiles(float* y, const float* from, int64_t step, const Strip& s, float bias);
/// Transforms n kernels. Element e of kernel i is from[e * from_step + i].
void kernels_to_places(float* to, int64_t step, const float* from, int64_t from_step, int64_t n);
/// Returns the position that element p of a transformed kernel has after the kernel is rotated by
/// 180 degrees.
inline int64_t turned_place(int64_t p) {
  const auto turned = [](int64_t i) { return i == 0 ? 3 : i == 3 ? 0 : i; };
  return 4 * turned(p / 4) + turned(p % 4);
}
/// Computes the gradient of n kernels from their transformed gradient. Returns false if an element
/// is infinite or NaN.
bool places_to_kernels(float* to, int64_t to_step, const float* from, int64_t step, int64_t n);

// ---------------------------------------------------------------------- shapes
inline int64_t half_up(int64_t n) { return (n + 1) / 2; }
inline int64_t tiles_of(int64_t batch, int64_t height, int64_t width) {
  return batch * half_up(height) * half_up(width);
}

/// Returns whether kernels are 3 x 3 with stride 1.
inline bool can(const ConvShape& s) {
  const ConvSteps& c = s.steps;
  const bool flat = s.in[0] == 1 && s.out[0] == 1 && s.kernel[0] == 1 && c.padding[0] == 0;
  if (best_isa == Isa::kBase || !flat || s.groups != 1 || s.batch == 0) return false;
  for (int d = 1; d < 3; ++d)
    if (s.kernel[d] != 3 || c.stride[d] != 1 || c.dilation[d] != 1 || c.padding[d] > 2)
      return false;
  return true;
}
/// Returns whether can(s) is true, and there are enough channels and at least one panel of tiles
/// for each thread.
inline bool takes(const ConvShape& s, int64_t tiles) {
  return can(s) && std::min(s.in_channels, s.out_channels) >= kLeastChannels &&
         tiles >= kPanel * get_num_threads();
}
inline bool takes_images(const ConvShape& s, const int64_t* tiled) {
  const int64_t tiles = tiles_of(s.batch, tiled[1], tiled[2]);
  return takes(s, tiles) && s.in_channels * s.out_channels <= kMostKernels * tiles;
}
inline bool takes_forward(const ConvShape& s) { return takes_images(s, s.out); }
inline bool takes_input_gradient(const ConvShape& s) { return takes_images(s, s.in); }
inline bool takes_weight_gradient(const ConvShape& s) {
  return takes(s, tiles_of(s.batch, s.out[1], s.out[2])) &&
         s.in_channels + s.out_channels >= 3 * kLeastChannels;
}

/// Returns the step between the 16 elements of arrays with numel numbers per element. The step is
/// not a power of two, because cache lines would then share few cache sets.
inline int64_t place_step(int64_t numel) { return (numel + 15) / 16 * 16 + 48; }

/// The largest number of tiles of a small plane. Small planes do not fill vectors, so those of
/// several images are transformed together. (The convolution of 512 channels and 32 images above
/// takes 11.8 ms instead of 12.6. The gradient of its weight takes 13.5 ms instead of 14.5.)
constexpr int64_t kSmallPlane = 16;
/// Calls body(image, first, count, at) for pieces of the tiles [t, end) of a batch of planes. A
/// piece has `count` tiles and starts at tile `first` of `image`. `at` is the distance of the piece
/// from t. A piece is part of one plane, or part of one row if rows are long, or several small
/// planes. No piece crosses a distance that is a multiple of `most`.
template <class Body>
void for_strips(int64_t t, int64_t end, const Plane& plane, int64_t most, const Body& body) {
  const int64_t per_image = plane.tiles();
  const int64_t whole = plane.tiles_wide > kPanel ? plane.tiles_wide : per_image;
  for (int64_t at = 0; t < end;) {
    const int64_t first = t % per_image, room = std::min(end - t, most - at % most);
    const int64_t count = first == 0 && per_image <= kSmallPlane && room >= 2 * per_image
                              ? room / per_image * per_image
                              : std::min(room, whole - first % whole);
    body(t / per_image, first, count, at);
    t += count;
    at += count;
  }
}

// ---------------------------------------------------------------------- images to images
/// Transforms `rows` rows of n kernels. Rows of `from` are from_row kernels apart. Element p of
/// kernel i of row r is written to p * place + r * row + i.
inline void rows_to_places(float* to, int64_t row, int64_t place, const float* from,
                           int64_t from_row, int64_t rows, int64_t n) {
  const Scratch<float> elements(9 * place_step(n));
  for (int64_t r = 0; r < rows; ++r) {
    transpose_panel(elements.get(), place_step(n), from + r * from_row * 9, 9, n, 9);
    kernels_to_places(to + r * row, place, elements.get(), place_step(n), n);
  }
}
/// Transformed kernels, with a row for each output channel of the weights. Rows are `row` numbers
/// apart, the 16 elements `place` numbers.
struct Kernels {
  const float* data;
  int64_t row, place;
};
/// Transforms all kernels.
class AllKernels {
 public:
  AllKernels(const float* w, const ConvShape& s)
      : row_(place_step(s.in_channels)),
        place_(place_step(s.out_channels * row_)),
        all_(kPlaces * place_) {
    const int64_t c = s.in_channels, grain = std::max<int64_t>(1, (1 << 14) / c);
    parallel_for(0, s.out_channels, grain, [=, this](int64_t k, int64_t end) {
      rows_to_places(all_.get() + k * row_, row_, place_, w + k * c * 9, c, end - k, c);
    });
  }
  Kernels get() const { return {all_.get(), row_, place_}; }

 private:
  int64_t row_, place_;
  Scratch<float> all_;
};

/// Computes images y from images x and kernels. If `turned` is true, kernels are rotated by 180
/// degrees. The kernels then map a convolution's output channels to its input channels.
struct ImageMap {
  int64_t batch, in_channels, out_channels;
  Plane in, out;
  float* y;
  const float *x, *bias;
  bool turned;
  int64_t result_channels;  ///< channels of y; only out_channels are computed
  Kernels kernels{};

  int64_t per_image() const { return out.tiles(); }
  int64_t tiles() const { return batch * per_image(); }
  // Large weights come from L3, so two panels share each read.
  int64_t at_once() const { return in_channels * out_channels > 1 << 15 ? 2 : 1; }

  /// Returns the offset of tile `at` of a channel in panels of `channels` rows.
  static int64_t place(int64_t at, int64_t channels, int64_t channel) {
    return (at / kPanel * channels + channel) * kPanel + at % kPanel;
  }

  // Transforms tiles [t, end) of channels [begin, last) of x.
  void read(float* v, int64_t step, int64_t t, int64_t end, int64_t begin, int64_t last,
            float* rows) const {
    const int64_t pixels = in.height * in.width, image_step = in_channels * pixels;
    for_strips(t, end, out, kPanel, [&](int64_t image, int64_t first, int64_t count, int64_t at) {
      for (int64_t c = begin; c < last; ++c)
        input_tiles(v + place(at, in_channels, c), step, x + image * image_step + c * pixels,
                    {in, image_step, first, count}, rows);
    });
  }
  // For one of the 16 elements, multiplies `count` transformed tiles by the transformed kernels.
  // The sum over input channels takes kDepth of them at a time.
  void multiply_place(float* m, const float* v, const float* k, int64_t count) const {
    const int64_t out_step = turned ? 1 : kernels.row, in_step = turned ? kernels.row : 1;
    for (int64_t c = 0; c < in_channels; c += kDepth)
      for (int64_t at = 0; at < count; at += kPanel)
        gemm_panel(GemmPanel<float>{out_channels, std::min(kPanel, count - at),
                                    std::min(kDepth, in_channels - c), k + c * in_step, out_step,
                                    in_step, v + at * in_channels + c * kPanel, kPanel,
                                    m + at * out_channels, kPanel, 1, c > 0});
  }
  void multiply(float* m, int64_t m_step, const float* v, int64_t v_step, int64_t count) const {
    for (int64_t p = 0; p < kPlaces; ++p)
      multiply_place(m + p * m_step, v + p * v_step,
                     kernels.data + (turned ? turned_place(p) : p) * kernels.place, count);
  }
  bool write(const float* m, int64_t step, int64_t t, int64_t end) const {
    bool finite = true;
    const int64_t pixels = out.height * out.width, image_step = result_channels * pixels;
    for_strips(t, end, out, kPanel, [&](int64_t image, int64_t first, int64_t count, int64_t at) {
      for (int64_t k = 0; k < out_channels; ++k)
        finite &= output_tiles(y + image * image_step + k * pixels, m + place(at, out_channels, k),
                               step, {out, image_step, first, count}, bias ? bias[k] : 0.0f);
    });
    return finite;
  }

  bool run() const {
    const int64_t group = at_once() * kPanel, work = group * in_channels * out_channels * kPlaces;
    std::atomic<bool> finite{true};
    parallel_for(0, (tiles() + group - 1) / group, std::max<int64_t>(1, (1 << 20) / work),
                 [f = *this, group, &finite](int64_t i, int64_t e) {
                   const int64_t v_step = place_step(group * f.in_channels);
                   const int64_t m_step = place_step(group * f.out_channels);
                   const Scratch<float> v(kPlaces * v_step + kSlack), m(kPlaces * m_step + kSlack);
                   const Scratch<float> rows(row_space(f.in, kPanel));
                   for (; i < e; ++i) {
                     const int64_t t = i * group, end = std::min(t + group, f.tiles());
                     f.read(v.get(), v_step, t, end, 0, f.in_channels, rows.get());
                     f.multiply(m.get(), m_step, v.get(), v_step, end - t);
                     if (!f.write(m.get(), m_step, t, end))
                       finite.store(false, std::memory_order_relaxed);
                   }
                 });
    return finite.load();
  }

  // Transforms the kernels w of output channels [k, end), and computes these channels from the
  // transformed tiles v.
  bool run_block(const float* w, int64_t k, int64_t end, const float* v, int64_t v_step) const {
    const int64_t some = end - k, m_step = place_step(panel_tiles() * some);
    const int64_t rows = turned ? in_channels : some, n = turned ? some : in_channels;
    const int64_t row = place_step(n), place = place_step(rows * row);
    const Scratch<float> places(kPlaces * place), m(kPlaces * m_step + kSlack);
    rows_to_places(places.get(), row, place, w + (turned ? k : k * in_channels) * 9,
                   turned ? out_channels : in_channels, rows, n);
    ImageMap f = *this;
    f.out_channels = some;
    f.y += k * out.height * out.width;
    if (bias) f.bias += k;
    f.kernels = {places.get(), row, place};
    f.multiply(m.get(), m_step, v, v_step, tiles());
    return f.write(m.get(), m_step, 0, tiles());
  }
  int64_t panel_tiles() const { return (tiles() + kPanel - 1) / kPanel * kPanel; }

  // Computes y if there are few tiles. First transforms all tiles. Then transforms the kernels and
  // computes the results by blocks of channels.
  bool run_by_channels(const float* w) const {
    const int64_t v_step = place_step(panel_tiles() * in_channels);
    const Scratch<float> v(kPlaces * v_step + kSlack);
    parallel_for(0, in_channels, 16, [=, this, v = v.get()](int64_t c, int64_t last) {
      const Scratch<float> rows(row_space(in, kPanel));
      read(v, v_step, 0, tiles(), c, last, rows.get());
    });
    std::atomic<bool> finite{true};
    const int64_t blocks = (out_channels + kChannelBlock - 1) / kChannelBlock;
    parallel_for(0, blocks, 1, [=, this, v = v.get(), &finite](int64_t i, int64_t last) {
      for (; i < last; ++i)
        if (!run_block(w, out_channels * i / blocks, out_channels * (i + 1) / blocks, v, v_step))
          finite.store(false, std::memory_order_relaxed);
    });
    return finite.load();
  }
  // Tests whether run_by_channels() is faster. run() and run_by_channels() give the same bits.
  bool by_channels() const {
    const int64_t many = tiles() <= kFewTiles ? kManyKernels : kManyKernelsOfMoreTiles;
    return in_channels * out_channels > many * tiles();
  }
  bool run(const float* w, const ConvShape& s) const {
    if (by_channels()) return run_by_channels(w);
    const AllKernels all(w, s);
    ImageMap f = *this;
    f.kernels = all.get();
    return f.run();
  }
};

inline Plane whole_tiles(const int64_t* sizes) {
  return {sizes[1], sizes[2], 0, 0, half_up(sizes[2]), half_up(sizes[1])};
}

/// Computes a convolution. Returns false if a result is infinite or NaN. Another way must then
/// compute all results.
inline bool forward(float* y, const float* x, const float* w, const float* b, const ConvShape& s) {
  const int64_t* const pads = s.steps.padding;
  const Plane out = whole_tiles(s.out);
  const Plane in{s.in[1], s.in[2], pads[1], pads[2], out.tiles_wide, out.tiles_high};
  return ImageMap{s.batch, s.in_channels, s.out_channels, in, out, y, x, b, false, s.out_channels}
      .run(w, s);
}
/// Computes the gradient of the input: convolves gy with the kernels rotated by 180 degrees.
/// Returns false in the same cases as forward().
inline bool input_gradient(float* gx, const float* gy, const float* w, const ConvShape& s) {
  const int64_t* const pads = s.steps.padding;
  const Plane out = whole_tiles(s.in);
  const Plane in{s.out[1], s.out[2], 2 - pads[1], 2 - pads[2], out.tiles_wide, out.tiles_high};
  return ImageMap{s.batch, s.out_channels, s.in_channels, in,           out, gx,
                  gy,      nullptr,        true,          s.in_channels}
      .run(w, s);
}

// ---------------------------------------------------------------------- gradient of the weight
/// A part is a range of tiles with a separate sum. kLeastPart is the least number of tiles of a
/// part. A thread has several parts if each has at least kLongPart tiles. kMostSums is the largest
/// number of elements of all sums.
constexpr int64_t kLeastPart = 256, kLongPart = 1024, kMostSums = 1 << 24;

/// Computes the gradient of the weight. For each of the 16 elements, the tiles of the gradient are
/// multiplied by the tiles of the image. A product takes a block of tiles. Threads divide the tiles
/// into parts. Each part has separate sums, so the order of additions depends only on the number of
/// threads. The transformed tiles stay in the caches of their thread. If there are too few tiles,
/// threads process the blocks together. They first divide the channels to transform, then the
/// products.
struct WeightGradient {
  ConvShape s;
  float* gw;
  const float *x, *gy;
  Plane in, out;

  int64_t per_image() const { return out.tiles(); }
  int64_t tiles() const { return s.batch * per_image(); }
  int64_t block() const {
    return std::min(std::max<int64_t>(2 * kPanel, (1 << 13) / s.out_channels / kPanel * kPanel),
                    (tiles() + kPanel - 1) / kPanel * kPanel);
  }
  int64_t blocks() const { return (tiles() + block() - 1) / block(); }
  // Returns the distance between the sums of the 16 elements.
  int64_t step() const { return place_step(s.out_channels * s.in_channels); }
  int64_t panels() const { return (s.in_channels + kPanel - 1) / kPanel; }
  int64_t gradient_step() const { return place_step(s.out_channels * block()); }
  // Returns the number of parts of the tiles, or 0 if threads divide channels.
  int64_t parts() const {
    const int64_t threads = usable_threads();
    if (threads == 1) return 1;
    const int64_t parts = threads * std::clamp<int64_t>(tiles() / threads / kLongPart, 1, 4);
    return parts <= blocks() && tiles() >= parts * kLeastPart &&
                   parts * kPlaces * step() <= kMostSums
               ? parts
               : 0;
  }

  // Transforms tiles [t, end) of channels [c, last). The transformed tiles of a channel are a row
  // of block() numbers.
  template <class Transform>
  void read(float* to, int64_t place, const float* from, int64_t c, int64_t last, int64_t all,
            const Plane& plane, int64_t t, int64_t end, const Transform& transform) const {
    const int64_t pixels = plane.height * plane.width;
    const Scratch<float> rows(row_space(plane, block()));
    for (; c < last; ++c, to += block())
      for_strips(t, end, out, block(),
                 [&](int64_t image, int64_t first, int64_t count, int64_t at) {
                   transform(to + at, place, from + (image * all + c) * pixels,
                             Strip{plane, all * pixels, first, count}, rows.get());
                 });
  }
  void read_gradient(float* g, int64_t c, int64_t last, int64_t t, int64_t end) const {
    read(g, gradient_step(), gy, c, last, s.out_channels, out, t, end, gradient_tiles);
  }
  void read_image(float* v, int64_t place, int64_t c, int64_t last, int64_t t, int64_t end) const {
    read(v, place, x, c, last, s.in_channels, in, t, end, input_tiles);
  }
  // For one of the 16 elements, multiplies tiles g of the gradient by tiles v of the image. It
  // takes up to kPanel input channels, starting at channel `from`.
  void multiply(float* sums, const float* g, const float* v, float* panel, int64_t from,
                int64_t terms, bool add) const {
    const int64_t c = s.in_channels, channels = std::min(kPanel, c - from);
    transpose_panel(panel, kPanel, v, block(), channels, terms);
    gemm_panel(GemmPanel<float>{s.out_channels, channels, terms, g, block(), 1, panel, kPanel,
                                sums + from, c, 1, add});
  }

  // Computes the sums over blocks [i, last) on this thread.
  void sum_blocks(float* sums, int64_t i, int64_t last) const {
    const int64_t m = s.out_channels, c = s.in_channels;
    const int64_t g_step = gradient_step(), v_step = place_step(kPanel * block());
    const Scratch<float> g(kPlaces * g_step + kSlack), v(kPlaces * v_step + kSlack);
    const Scratch<float> panel(block() * kPanel);
    for (int64_t t = i * block(); t < std::min(last * block(), tiles()); t += block()) {
      const int64_t end = std::min(t + block(), tiles());
      read_gradient(g.get(), 0, m, t, end);
      for (int64_t from = 0; from < c; from += kPanel) {
        read_image(v.get(), v_step, from, std::min(from + kPanel, c), t, end);
        for (int64_t p = 0; p < kPlaces; ++p)
          multiply(sums + p * step(), g.get() + p * g_step, v.get() + p * v_step, panel.get(), from,
                   end - t, t > i * block());
      }
    }
  }
  // Computes the sums over all blocks. Threads divide the work on each block.
  void share_blocks(float* sums) const {
    const int64_t m = s.out_channels, c = s.in_channels;
    const int64_t g_step = gradient_step(), v_step = place_step(c * block());
    const Scratch<float> all_g(kPlaces * g_step + kSlack), all_v(kPlaces * v_step + kSlack);
    float *const g = all_g.get(), *const v = all_v.get();
    for (int64_t t = 0; t < tiles(); t += block()) {
      const int64_t end = std::min(t + block(), tiles());
      parallel_for(0, m + c, 16, [=, this](int64_t i, int64_t last) {
        if (i < m) read_gradient(g + i * block(), i, std::min(last, m), t, end);
        const int64_t first = std::max<int64_t>(i - m, 0);
        if (last > m) read_image(v + first * block(), v_step, first, last - m, t, end);
      });
      parallel_for(0, panels() * kPlaces, 1, [=, this](int64_t i, int64_t last) {
        const Scratch<float> panel(block() * kPanel);
        for (; i < last; ++i) {
          const int64_t p = i % kPlaces, from = i / kPlaces * kPanel;
          multiply(sums + p * step(), g + p * g_step, v + p * v_step + from * block(), panel.get(),
                   from, end - t, t > 0);
        }
      });
    }
  }

  // For output channel k, adds the sums of the other parts to the sums of the first part.
  void add_parts(float* sums, int64_t parts, int64_t k) const {
    const int64_t c = s.in_channels;
    for (int64_t i = 1; i < parts; ++i)
      for (int64_t p = 0; p < kPlaces; ++p) {
        float* const to = sums + p * step() + k * c;
        const float* const from = to + i * kPlaces * step();
        for (int64_t j = 0; j < c; ++j) to[j] += from[j];
      }
  }
  bool write(float* sums, int64_t parts) const {
    const int64_t m = s.out_channels, c = s.in_channels;
    std::atomic<bool> finite{true};
    parallel_for(0, m, std::max<int64_t>(1, (1 << 14) / c), [&](int64_t k, int64_t end) {
      const Scratch<float> elements(9 * (c + kSlack)), across((c + kSlack) * kTransposePad);
      for (; k < end; ++k) {
        add_parts(sums, parts, k);
        if (!places_to_kernels(elements.get(), c + kSlack, sums + k * c, step(), c))
          finite.store(false, std::memory_order_relaxed);
        transpose_panel(across.get(), kTransposePad, elements.get(), c + kSlack, 9, c);
        for (int64_t i = 0; i < c; ++i)
          std::copy_n(across.get() + i * kTransposePad, 9, gw + (k * c + i) * 9);
      }
    });
    return finite.load();
  }
  bool run() const {
    const int64_t n = parts(), size = kPlaces * step();
    const Scratch<float> sums(std::max<int64_t>(n, 1) * size + kSlack);
    if (n == 0)
      share_blocks(sums.get());
    else
      parallel_for(0, n, 1, [f = *this, n, size, to = sums.get()](int64_t i, int64_t end) {
        for (; i < end; ++i)
          f.sum_blocks(to + i * size, f.blocks() * i / n, f.blocks() * (i + 1) / n);
      });
    return write(sums.get(), n);
  }
};

inline bool weight_gradient(float* gw, const float* x, const float* gy, const ConvShape& s) {
  const int64_t* const pads = s.steps.padding;
  const Plane out = whole_tiles(s.out);
  return WeightGradient{
      s, gw, x, gy, {s.in[1], s.in[2], pads[1], pads[2], out.tiles_wide, out.tiles_high}, out}
      .run();
}

}  // namespace torch::taper::cpu::winograd
