#include <taper/framework/cuda/groups.h>
#include <taper/framework/cuda/launch.h>
#include <taper/ops/spatial/grid_sample_place.h>

namespace torch::taper::cuda {
namespace {

template <class T>
struct Sample {
  GridShape g;
  T* y;
  const T* x;
  const T* grid;
  // One thread per position. It computes all channels.
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t sample = i / g.points, point = i - sample * g.points;
    const PlaceNeighbours<T> neighbours(g, grid + i * g.dims);
    for (int64_t c = 0; c < g.channels; ++c) {
      const int64_t plane = sample * g.channels + c;
      const T* const image = x + plane * g.pixels();
      T sum = 0;
      for_each_neighbour(g, neighbours,
                         [&](int64_t pixel, T w, const T*) { sum += w * image[pixel]; });
      y[plane * g.points + point] = sum;
    }
  }
};

template <class T>
struct PlaceGradient {
  GridShape g;
  T* ggrid;
  const T* gy;
  const T* x;
  const T* grid;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t sample = i / g.points, point = i - sample * g.points;
    const PlaceNeighbours<T> neighbours(g, grid + i * g.dims);
    T sums[3] = {};
    for (int64_t c = 0; c < g.channels; ++c) {
      const int64_t plane = sample * g.channels + c;
      const T* const image = x + plane * g.pixels();
      const T gradient = gy[plane * g.points + point];
      for_each_neighbour(g, neighbours, [&](int64_t pixel, T, const T* slopes) {
        for (int d = 0; d < 3; ++d) sums[d] += gradient * slopes[d] * image[pixel];
      });
    }
    for (int64_t d = 0; d < g.dims; ++d) ggrid[i * g.dims + d] = sums[2 - d];
  }
};

/// The neighbours of all positions: their pixels (in the batch; batch * pixels for none) and
/// weights.
template <class T>
struct ListNeighbours {
  GridShape g;
  int neighbours;
  int64_t* pixels;
  T* weights;
  const T* grid;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t first = i / g.points * g.pixels();
    int64_t at = i * neighbours;
    const int64_t end = at + neighbours;
    for_each_neighbour(g, grid + i * g.dims, [&](int64_t pixel, T w, const T*) {
      pixels[at] = first + pixel;
      weights[at++] = w;
    });
    for (; at < end; ++at) pixels[at] = g.batch * g.pixels();
  }
};

struct PixelOfNeighbour {
  const int64_t* pixels;
  TAPER_DEVICE int64_t operator()(int64_t i) const { return pixels[i]; }
};

// The first neighbour of a pixel adds the gradients of all positions that have it, in order.
template <class T>
struct PixelGradient {
  GridShape g;
  int neighbours;
  T* gx;
  const T* gy;
  const T* weights;
  GroupView groups;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t place = static_cast<int64_t>(groups.places[i]);
    if (place == g.batch * g.pixels() || !groups.begins(i)) return;
    const int64_t sample = place / g.pixels(), pixel = place - sample * g.pixels();
    const int64_t n = groups.size(i);
    for (int64_t c = 0; c < g.channels; ++c) {
      const int64_t plane = sample * g.channels + c;
      T sum = 0;
      for (int64_t j = 0; j < n; ++j) {
        const int64_t neighbour = groups.positions[i + j],
                      point = neighbour / neighbours % g.points;
        sum += weights[neighbour] * gy[plane * g.points + point];
      }
      gx[plane * g.pixels() + pixel] = sum;
    }
  }
};

template <class T>
void pixel_gradient(T* gx, const T* gy, const T* grid, const GridShape& g) {
  const int neighbours =
      g.axis_neighbours() * g.axis_neighbours() * (g.dims == 3 ? g.axis_neighbours() : 1);
  const int64_t n = g.batch * g.points * neighbours, limit = g.batch * g.pixels();
  set_zero(gx, static_cast<size_t>(limit * g.channels) * sizeof(T));
  const Scratch<int64_t> pixels(n);
  const Scratch<T> weights(n);
  for_each(g.batch * g.points, ListNeighbours<T>{g, neighbours, pixels.get(), weights.get(), grid});
  const Groups groups(n, limit, PixelOfNeighbour{pixels.get()});
  for_each(n, PixelGradient<T>{g, neighbours, gx, gy, weights.get(), groups.view()});
}

template <class T>
void backward_as(T* gx, T* ggrid, const T* gy, const T* x, const T* grid, const GridShape& g) {
  if (gx) pixel_gradient(gx, gy, grid, g);
  if (ggrid) for_each(g.batch * g.points, PlaceGradient<T>{g, ggrid, gy, x, grid});
}

}  // namespace

void grid_sample(Out y, In images, In grid, GridSampling s) {
  const GridShape g(images.sizes, grid.sizes, s);
  if (y.dtype == kDouble)
    for_each(g.batch * g.points,
             Sample<double>{g, y.as<double>(), images.as<double>(), grid.as<double>()});
  else
    for_each(g.batch * g.points,
             Sample<float>{g, y.as<float>(), images.as<float>(), grid.as<float>()});
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

}  // namespace torch::taper::cuda
