// Channels of a normalised tensor (N, C, ...): reductions over all elements of a channel, and short
// vectors of any floating dtype. For norm_*_cuda.cu only. Not installed.
#pragma once

#include <taper/framework/cuda/rows.h>
#include <taper/framework/cuda/scratch.h>

namespace torch::taper::cuda {

// ---------------------------------------------------------------------- short vectors
/// A vector of any floating dtype and stride, or no vector. at(i, otherwise) returns element i, or
/// `otherwise` without a vector.
struct Values {
  const char* data;
  ScalarType dtype;
  int64_t step;          // in bytes
  template <class View>  // In or InOut
  explicit Values(const View& x)
      : data(x.defined() ? static_cast<const char*>(x.data) : nullptr),
        dtype(x.dtype),
        step(bytes_between(x)) {}
  TAPER_DEVICE double at(int64_t i, double otherwise) const {
    return data ? load_double(dtype, data + i * step) : otherwise;
  }
  /// Returns the distance between elements of a short vector, in bytes.
  template <class View>
  static int64_t bytes_between(const View& x) {
    const int64_t step = x.dim() == 1 && x.numel > 1 ? x.strides[0] : 1;
    return step * static_cast<int64_t>(elementSize(x.dtype));
  }
};
/// A vector that put() writes, or no vector. Without a vector, put() does nothing.
struct Results {
  char* data;
  ScalarType dtype;
  int64_t step;  // in bytes
  explicit Results(const Out& y)
      : data(y.defined() ? static_cast<char*>(y.data) : nullptr),
        dtype(y.dtype),
        step(Values::bytes_between(y)) {}
  TAPER_DEVICE void put(int64_t i, double v) const {
    if (data) store_double(dtype, data + i * step, v);
  }
};

// ---------------------------------------------------------------------- channels in pieces
/// Part of a channel: n elements that are `step` apart and start at offset `at`. The elements
/// belong to sample `sample`. If `samples` is true, a channel has one element per sample. Then the
/// elements belong to samples [sample, sample + n).
struct ChannelPiece {
  int64_t channel, sample, at, n, step;
  bool samples;
  TAPER_DEVICE int64_t sample_of(int64_t i) const { return samples ? sample + i : sample; }
};

/// The shape of x as (batch, channels, pixels). Each channel is split into pieces. A team reads one
/// piece. If pixels == 1, pieces extend along the batch, and adjacent threads read adjacent
/// channels.
struct Channels {
  int64_t batch, channels, pixels;
  int64_t length, pieces;  // elements per piece, pieces per channel
  int64_t per_sample;      // pieces per sample of a channel
  static constexpr int64_t kLeastRows = 64, kMostPixels = 1 << 14;

  Channels(int64_t batch, int64_t channels, int64_t pixels)
      : batch(batch), channels(channels), pixels(pixels) {
    if (pixels == 1) {
      // Makes enough pieces to keep the GPU busy, but only pieces of at least kLeastRows samples.
      const int64_t wanted = resident_threads() / std::max<int64_t>(channels, 1) + 1;
      const int64_t most = std::max<int64_t>(batch / kLeastRows, 1);
      length = (batch + std::min(wanted, most) - 1) / std::min(wanted, most);
      pieces = length > 0 ? (batch + length - 1) / length : 0;
      per_sample = 1;
    } else {
      length = std::min(pixels, kMostPixels);
      per_sample = length > 0 ? (pixels + length - 1) / length : 0;
      pieces = batch * per_sample;
    }
  }
  explicit Channels(const Dims& sizes) : Channels(sizes[0], sizes[1], pixels_of(sizes)) {}
  static int64_t pixels_of(const Dims& sizes) {
    int64_t n = 1;
    for (int64_t d = 2; d < sizes.size(); ++d) n *= sizes[d];
    return n;
  }
  int64_t of_channel() const { return batch * pixels; }
  int64_t rows() const { return pieces * channels; }
  template <class Held>
  int team() const {
    return pixels == 1 ? 1 : held_team_for<Held>(length);
  }
  template <class T, class... From>
  bool packed(const From*... from) const {
    return pixels > 1 && row_packs<T>(pixels, from...);
  }
  /// Returns the piece with index `row` < rows(): piece row / channels of channel row % channels.
  TAPER_DEVICE ChannelPiece piece(int64_t row) const {
    const int64_t k = row / channels, c = row - k * channels;
    if (pixels == 1) {
      const int64_t first = k * length;
      return {c, first, first * channels + c, smaller(length, batch - first), channels, true};
    }
    const int64_t sample = k / per_sample, from = (k - sample * per_sample) * length;
    return {c, sample, (sample * channels + c) * pixels + from, smaller(length, pixels - from),
            1, false};
  }
  TAPER_DEVICE static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
};

/// Calls f(i, packs) for all elements of a piece, V at a time. `packs` holds elements i to i + V -
/// 1 of the piece, from each of R tensors.
template <int V, class T, int R, class F>
TAPER_DEVICE void each_of_piece(const Team& team, const ChannelPiece& piece,
                                const T* const (&from)[R], const F& f) {
  const int64_t chunk = int64_t{HeldRows<T, V, R>::kElements} * team.size;
  TAPER_ROLLED
  for (int64_t first = 0; first < piece.n; first += chunk) {
    const HeldRows<T, V, R> held(team, Channels::smaller(chunk, piece.n - first), piece.step, from,
                                 piece.at + first * piece.step);
    held.each([&](int64_t i, const Packs<T, V, R>& packs) { f(first + i, packs); });
  }
}

/// The first kernel of a reduction over the elements of each channel: a team reduces one piece.
/// Body has:
///
///   using Element = T; using State = ...;               trivially copyable, at most 32 bytes
///   static constexpr int kTensors = R;
///   const T* from[R];
///   State start() const;
///   State take(State s, int64_t sample, int64_t channel, values...) const;   of R elements
///   State join(State a, State b) const;
///   void finish(int64_t channel, State s) const;        stores the results
template <class Body, int V>
struct FoldChannelPiece {
  using Held = HeldRows<typename Body::Element, V, Body::kTensors>;
  static constexpr int kMostThreads = Held::kMostThreads;
  Body body;
  Channels shape;
  typename Body::State* partial;  // [pieces][channels], or null for a single piece
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    using State = typename Body::State;
    const ChannelPiece piece = shape.piece(row);
    State s = body.start();
    const auto fold = [&](int64_t i, const auto& packs) {
      const int64_t sample = piece.sample_of(i);
      for (int k = 0; k < V; ++k)
        s = packs.apply(k, [&](auto... v) { return body.take(s, sample, piece.channel, v...); });
    };
    each_of_piece<V>(team, piece, body.from, fold);
    s = team.combine(s, [this](const State& a, const State& b) { return body.join(a, b); });
    if (team.rank != 0) return;
    if (partial)
      partial[row] = s;
    else
      body.finish(piece.channel, s);
  }
};
template <class Body>
struct JoinChannelPieces {
  Body body;
  Channels shape;
  const typename Body::State* partial;
  TAPER_DEVICE void operator()(const Team& team, int64_t channel) const {
    using State = typename Body::State;
    State s = body.start();
    team.each(shape.pieces,
              [&](int64_t k) { s = body.join(s, partial[k * shape.channels + channel]); });
    s = team.combine(s, [this](const State& a, const State& b) { return body.join(a, b); });
    if (team.rank == 0) body.finish(channel, s);
  }
};

/// Reduces each channel and calls body.finish(channel, state of its elements). The order of joins
/// depends only on the shape and the GPU.
template <class Body>
void fold_channels(const Channels& shape, const Body& body) {
  using T = typename Body::Element;
  const Scratch<typename Body::State> partial(shape.pieces == 1 ? 0 : shape.rows());
  bool packed = shape.packed<T>();
  for (const T* from : body.from) packed = packed && is_packed(from);
  if (shape.rows() > 0)
    by_packs<T>(packed, [&]<int V>() {
      using Kernel = FoldChannelPiece<Body, V>;
      for_each_row(shape.rows(), shape.team<typename Kernel::Held>(),
                   Kernel{body, shape, shape.pieces == 1 ? nullptr : partial.get()});
    });
  if (shape.pieces != 1)
    for_each_row(shape.channels, team_for(shape.pieces),
                 JoinChannelPieces<Body>{body, shape, partial.get()});
}

/// Computes y[i] = f(x[i]) with f = body.of(channel). x is from body.from. Body has Element,
/// kTensors and `from` as in FoldChannelPiece, and the result `y`.
template <class Body, int V>
struct MapChannelPiece {
  using Held = HeldRows<typename Body::Element, V, Body::kTensors>;
  static constexpr int kMostThreads = Held::kMostThreads;
  Body body;
  Channels shape;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    using T = typename Body::Element;
    const ChannelPiece piece = shape.piece(row);
    const auto f = body.of(piece.channel);
    const auto store = [&](int64_t i, const auto& packs) {
      Pack<T, V> out;
      for (int k = 0; k < V; ++k) out.v[k] = static_cast<T>(packs.apply(k, f));
      store_pack(body.y + piece.at, i, piece.step, out);
    };
    each_of_piece<V>(team, piece, body.from, store);
  }
};
template <class Body>
void map_channels(const Channels& shape, const Body& body) {
  using T = typename Body::Element;
  bool packed = shape.packed<T>(body.y);
  for (const T* from : body.from) packed = packed && is_packed(from);
  by_packs<T>(packed, [&]<int V>() {
    using Kernel = MapChannelPiece<Body, V>;
    for_each_row(shape.rows(), shape.team<typename Kernel::Held>(), Kernel{body, shape});
  });
}

}  // namespace torch::taper::cuda
