// Groups positions of a source by the place in a result to which each position adds. For *_cuda.cu
// files only, not installed.
//
// If several positions add to one place, threads would need atomic additions, whose order changes
// from run to run. After sorting by place, these positions are adjacent, and one team adds them in
// order.
#pragma once

#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/library.h>

namespace torch::taper::cuda {

/// n pairs, sorted by place: positions[i] adds to places[i].
struct GroupView {
  const uint64_t* places;
  const int64_t* positions;
  int64_t n;

  TAPER_DEVICE bool begins(int64_t i) const { return i == 0 || places[i - 1] != places[i]; }
  TAPER_DEVICE bool ends(int64_t i) const { return i + 1 == n || places[i + 1] != places[i]; }
  /// Returns the size of the group that begins at i. Finds the group's end by steps that double,
  /// then halve.
  TAPER_DEVICE int64_t size(int64_t i) const {
    const uint64_t place = places[i];
    int64_t last = i, step = 1;
    for (; last + step < n && places[last + step] == place; step *= 2) last += step;
    for (step /= 2; step > 0; step /= 2)
      if (last + step < n && places[last + step] == place) last += step;
    return last - i + 1;
  }
};

template <class Place>
struct FillPlaces {
  uint64_t* places;
  int64_t* positions;
  Place place;
  uint64_t limit;
  TAPER_DEVICE void operator()(int64_t i) const {
    const uint64_t at = static_cast<uint64_t>(place(i));
    places[i] = at < limit ? at : limit;
    positions[i] = i;
  }
};

class Groups {
 public:
  /// Groups the positions i < n by place(i). If place(i) is a bad index, which is not below
  /// `limit`, position i gets the place `limit`. The caller reports bad indices.
  template <class Place>
  Groups(int64_t n, int64_t limit, const Place& place) : places_(n), positions_(n), n_(n) {
    if (n == 0) return;
    const Scratch<uint64_t> places(n);
    const Scratch<int64_t> positions(n);
    const uint64_t most = static_cast<uint64_t>(limit);
    for_each(n, FillPlaces<Place>{places.get(), positions.get(), place, most});
    sort_pairs<uint64_t, int64_t>({places_.get(), positions_.get()},
                                  {places.get(), positions.get()}, n, bits_below(most + 1));
  }
  GroupView view() const { return {places_.get(), positions_.get(), n_}; }

 private:
  Scratch<uint64_t> places_;
  Scratch<int64_t> positions_;
  int64_t n_;
};

}  // namespace torch::taper::cuda
