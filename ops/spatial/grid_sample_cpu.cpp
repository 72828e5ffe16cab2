#include <algorithm>
#include <vector>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/shared/weighted_rows.h>
#include <taper/ops/spatial/grid_sample_place.h>

namespace torch::taper::cpu {
namespace {

constexpr int64_t kBlock = 256;

/// The neighbours of a block of positions. Neighbour k of position o is at [k n + o]. A neighbour
/// outside repeats another pixel of its position, with weight 0.
template <class T>
struct Block {
  int64_t n = 0;
  int neighbours = 0;
  std::vector<int32_t> index;
  std::vector<T> weight, slope[3];
  std::vector<int64_t> empty;  ///< positions without a pixel

  Block(const GridShape& g, bool with_slopes)
      : neighbours(g.axis_neighbours() * g.axis_neighbours() *
                   (g.dims == 3 ? g.axis_neighbours() : 1)) {
    const size_t most = static_cast<size_t>(neighbours * kBlock);
    index.resize(most);
    weight.resize(most);
    for (auto& s : slope) s.resize(with_slopes ? most : 0);
  }

  void fill(const GridShape& g, const T* grid, int64_t count) {
    n = count;
    empty.clear();
    for (int64_t o = 0; o < n; ++o) fill_place(g, grid + o * g.dims, o);
  }

 private:
  void put(int k, int64_t o, int64_t pixel, T w, const T* slopes) {
    const size_t at = static_cast<size_t>(k * n + o);
    index[at] = static_cast<int32_t>(pixel);
    weight[at] = w;
    for (int d = 0; d < 3; ++d)
      if (!slope[d].empty()) slope[d][at] = slopes[d];
  }
  void fill_place(const GridShape& g, const T* place, int64_t o) {
    const T none[3] = {};
    int k = 0;
    int64_t last = 0;
    for_each_neighbour(g, place, [&](int64_t pixel, T w, const T* slopes) {
      put(k++, o, last = pixel, w, slopes);
    });
    if (k == 0) empty.push_back(o);
    for (; k < neighbours; ++k) put(k, o, last, 0, none);
  }
};

/// Calls body(block, sample, first position) for all positions of the samples.
template <class T, class Body>
void for_each_block(const GridShape& g, const T* grid, bool with_slopes, int64_t pieces,
                    const Body& body) {
  const int64_t blocks = (g.points + kBlock - 1) / kBlock, units = pieces > 1 ? blocks : 1;
  parallel_for(0, g.batch * units, 1, [&](int64_t i, int64_t end) {
    Block<T> block(g, with_slopes);
    for (; i < end; ++i) {
      const int64_t sample = i / units, from = i % units;
      for (int64_t b = from; b < (units > 1 ? from + 1 : blocks); ++b) {
        const int64_t first = b * kBlock, n = std::min(kBlock, g.points - first);
        block.fill(g, grid + (sample * g.points + first) * g.dims, n);
        body(block, sample, first);
      }
    }
  });
}

template <class T>
void sample_as(T* y, const T* x, const T* grid, const GridShape& g) {
  for_each_block(g, grid, false, 2, [&](const Block<T>& b, int64_t sample, int64_t first) {
    for (int64_t c = 0; c < g.channels; ++c) {
      const int64_t plane = sample * g.channels + c;
      T* const to = y + plane * g.points + first;
      gather_row(to, x + plane * g.pixels(), b.index.data(), b.weight.data(), b.n, b.neighbours);
      for (int64_t o : b.empty) to[o] = 0;
    }
  });
}

/// Adds the block's gradients to gx.
template <class T>
void scatter(T* gx, const T* gy, const Block<T>& b) {
  for (int k = 0; k < b.neighbours; ++k) {
    const int32_t* const index = b.index.data() + k * b.n;
    const T* const weight = b.weight.data() + k * b.n;
    for (int64_t o = 0; o < b.n; ++o)
      if (weight[o] != 0) gx[index[o]] += weight[o] * gy[o];
  }
}

/// Computes the gradient of the block's positions: ggrid (positions, dims).
template <class T>
void place_gradient(T* ggrid, const T* gy, const T* x, const GridShape& g, const Block<T>& b) {
  std::fill(ggrid, ggrid + b.n * g.dims, T(0));
  T slopes[kBlock];
  for (int64_t c = 0; c < g.channels; ++c)
    for (int64_t d = 0; d < g.dims; ++d) {
      gather_row(slopes, x + c * g.pixels(), b.index.data(), b.slope[2 - d].data(), b.n,
                 b.neighbours);
      for (int64_t o : b.empty) slopes[o] = 0;
      for (int64_t o = 0; o < b.n; ++o) ggrid[o * g.dims + d] += slopes[o] * gy[c * g.points + o];
    }
}

template <class T>
void backward_as(T* gx, T* ggrid, const T* gy, const T* x, const T* grid, const GridShape& g) {
  const int64_t sample_pixels = g.channels * g.pixels(), sample_points = g.channels * g.points;
  if (gx) std::fill(gx, gx + g.batch * sample_pixels, T(0));
  // If gx is accumulated, one thread processes a sample.
  const auto each = [&](const Block<T>& b, int64_t sample, int64_t first) {
    const T* const g_block = gy + sample * sample_points + first;
    for (int64_t c = 0; gx && c < g.channels; ++c)
      scatter(gx + sample * sample_pixels + c * g.pixels(), g_block + c * g.points, b);
    if (ggrid)
      place_gradient(ggrid + (sample * g.points + first) * g.dims, g_block,
                     x + sample * sample_pixels, g, b);
  };
  for_each_block(g, grid, ggrid != nullptr, gx ? 1 : 2, each);
}

}  // namespace

void grid_sample(Out y, In images, In grid, GridSampling s) {
  const GridShape g(images.sizes, grid.sizes, s);
  if (y.dtype == kDouble)
    sample_as(y.as<double>(), images.as<double>(), grid.as<double>(), g);
  else
    sample_as(y.as<float>(), images.as<float>(), grid.as<float>(), g);
}

void grid_sample_backward(Out gx, Out ggrid, In gy, In images, In grid, GridSampling s) {
  const GridShape g(images.sizes, grid.sizes, s);
  if (gy.dtype == kDouble)
    backward_as(gx.as<double>(), ggrid.as<double>(), gy.as<double>(), images.as<double>(),
                grid.as<double>(), g);
  else
    backward_as(gx.as<float>(), ggrid.as<float>(), gy.as<float>(), images.as<float>(),
                grid.as<float>(), g);
}

}  // namespace torch::taper::cpu
