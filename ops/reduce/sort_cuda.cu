#include <taper/framework/cuda/grid.h>
#include <taper/framework/cuda/scan.h>
#include <taper/ops/reduce/sort_kernels.h>
#include <taper/ops/reduce/sorted_rows_cuda.h>

// Selects the first elements of each row in sorted order, without sorting the row.
//
// Radix selection finds the key of the k-th element digit by digit, from the top. For each digit it
// counts the values of the next digit among the keys with the prefix found so far. Then the
// elements up to that key are collected in row order, and only they are sorted. A row is read once
// per digit and twice more.
namespace torch::taper::cuda {

/// Rows of n elements in `splits` pieces each. The smallest keys are selected.
template <class T>
struct RowPieces {
  using Key = key_of<T>;
  const T* x;
  int64_t n, splits, size;
  Key flip;

  struct Piece {
    int64_t row, begin, end;
  };
  TAPER_DEVICE Piece piece(int64_t i) const {
    const int64_t row = i / splits, begin = (i - row * splits) * size;
    return {row, begin, begin + size < n ? begin + size : n};
  }
  TAPER_DEVICE Key key(int64_t row, int64_t i) const { return sort_key(x[row * n + i]) ^ flip; }
};

/// The known upper digits of the wanted key, and its rank (from 0) among the keys with these
/// digits.
template <class Key>
struct Sought {
  Key prefix;
  int64_t rank;
};
template <class Key>
struct StartSearch {
  Sought<Key>* sought;
  int64_t k;
  TAPER_DEVICE void operator()(int64_t row) const { sought[row] = {Key(0), k - 1}; }
};

constexpr int kDigitBits = 8, kDigits = 1 << kDigitBits;

/// Counts into counts[piece][digit] the keys of a piece that have the known prefix and then this
/// digit.
template <class T>
struct CountDigits {
  using Key = key_of<T>;
  RowPieces<T> pieces;
  const Sought<Key>* sought;
  uint32_t* counts;
  int shift;

  TAPER_DEVICE void operator()(const Team& team, int64_t i) const {
    static_assert(Shared<uint32_t>::kSize >= kDigits);
    const Shared<uint32_t> local = team.shared<uint32_t>();
    const auto p = pieces.piece(i);
    const Key prefix = sought[p.row].prefix;
    const int known = shift + kDigitBits;
    team.each(kDigits, [&](int64_t d) { local.put(d, 0); });
    team.sync();
    team.each(p.end - p.begin, [&](int64_t j) {
      const Key key = pieces.key(p.row, p.begin + j), differs = key ^ prefix;
      const bool agrees = known == static_cast<int>(sizeof(Key)) * 8 || differs >> known == 0;
      if (agrees) local.add(static_cast<int64_t>(key >> shift & (kDigits - 1)), 1u);
    });
    team.sync();
    team.each(kDigits, [&](int64_t d) { counts[i * kDigits + d] = local.get(d); });
    team.sync();  // before the next piece
  }
};

/// Appends the digit found from the counts of a row's pieces.
template <class Key>
struct TakeDigit {
  Sought<Key>* sought;
  const uint32_t* counts;
  int64_t splits;
  int shift;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const Sought<Key> s = sought[row];
    const uint32_t* const first = counts + row * splits * kDigits;
    int64_t running = 0;
    for (int start = 0; start < kDigits; start += team.size) {  // all threads take part
      const int digit = start + team.rank;
      int64_t here = 0, all;
      for (int64_t p = 0; p < splits; ++p) here += first[p * kDigits + digit];
      const int64_t end = running + scan_team(team, here, Plus(), all), begin = end - here;
      if (begin <= s.rank && s.rank < end)
        sought[row] = {static_cast<Key>(s.prefix | static_cast<Key>(digit) << shift),
                       s.rank - begin};
      running += all;
    }
  }
};

/// Numbers of elements below and equal to the wanted key.
struct Chosen {
  int64_t below, equal;
};
struct AddChosen {
  TAPER_DEVICE Chosen operator()(Chosen a, Chosen b) const {
    return {a.below + b.below, a.equal + b.equal};
  }
};
template <class T>
struct Choose {
  RowPieces<T> pieces;
  const Sought<key_of<T>>* sought;
  TAPER_DEVICE Chosen at(int64_t row, int64_t i) const {
    const auto key = pieces.key(row, i), last = sought[row].prefix;
    return {key < last, key == last};
  }
};
template <class T>
struct CountChosen {
  Choose<T> choose;
  Chosen* totals;  // of each piece
  TAPER_DEVICE void operator()(const Team& team, int64_t i) const {
    const auto p = choose.pieces.piece(i);
    const Chosen all = team.reduce(
        p.end - p.begin, Chosen{0, 0}, [&](int64_t j) { return choose.at(p.row, p.begin + j); },
        AddChosen());
    if (team.rank == 0) totals[i] = all;
  }
};
/// Replaces totals by the sums over the earlier pieces of the row.
struct StartChosen {
  Chosen* totals;
  int64_t splits;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    Chosen* const of_row = totals + row * splits;
    Chosen running{0, 0};
    for (int64_t i = 0; i < splits; i += team.size) {
      const int64_t at = i + team.rank;
      const Chosen here = at < splits ? of_row[at] : Chosen{0, 0};
      Chosen all;
      const Chosen upto = scan_team(team, here, AddChosen(), all);
      if (at < splits)
        of_row[at] = {running.below + upto.below - here.below,
                      running.equal + upto.equal - here.equal};
      running = AddChosen()(running, all);
    }
  }
};
/// Writes keys and indices of the chosen elements: smaller ones in row order, then the first equal
/// ones.
template <class T>
struct CollectChosen {
  Choose<T> choose;
  const Chosen* starts;
  key_of<T>* keys;
  uint32_t* positions;
  int64_t k;
  TAPER_DEVICE void operator()(const Team& team, int64_t i) const {
    const auto p = choose.pieces.piece(i);
    const int64_t equals = choose.sought[p.row].rank + 1;  // the number of equal ones to take
    Chosen before = starts[i];
    for (int64_t j = p.begin; j < p.end; j += team.size) {
      const int64_t at = j + team.rank;
      const Chosen here = at < p.end ? choose.at(p.row, at) : Chosen{0, 0};
      Chosen all;
      const Chosen upto = AddChosen()(before, scan_team(team, here, AddChosen(), all));
      if (here.below) put(p.row, upto.below - 1, at);
      if (here.equal && upto.equal <= equals) put(p.row, k - equals + upto.equal - 1, at);
      before = AddChosen()(before, all);
    }
  }
  TAPER_DEVICE void put(int64_t row, int64_t slot, int64_t at) const {
    keys[row * k + slot] = choose.pieces.key(row, at);
    positions[row * k + slot] = static_cast<uint32_t>(at);
  }
};

/// Selects the first k of rows of n in the order of SortedRows, for 0 < k <= n.
template <class T>
class SelectedRows {
 public:
  using Key = key_of<T>;
  SelectedRows(const T* x, int64_t rows, int64_t n, int64_t k, bool descending)
      : positions_(rows * k) {
    constexpr int64_t kLeast = 4096;  // elements for a piece
    const int64_t splits =
        std::max<int64_t>(1, std::min(resident_threads() / (rows * kThreads) + 1, n / kLeast));
    const Key flip = descending ? static_cast<Key>(~Key(0)) : Key(0);
    const RowPieces<T> pieces{x, n, splits, (n + splits - 1) / splits, flip};
    const Scratch<Sought<Key>> sought(rows);
    search(pieces, rows, k, sought.get());
    collect({pieces, sought.get()}, rows, k);
  }
  /// Indices in the row, k per row.
  const uint32_t* positions() const { return positions_.get(); }

 private:
  static void search(const RowPieces<T>& pieces, int64_t rows, int64_t k, Sought<Key>* sought) {
    const Scratch<uint32_t> counts(rows * pieces.splits * kDigits);
    for_each(rows, StartSearch<Key>{sought, k});
    for (int shift = static_cast<int>(sizeof(Key)) * 8 - kDigitBits; shift >= 0;
         shift -= kDigitBits) {
      for_each_row(rows * pieces.splits, kThreads,
                   CountDigits<T>{pieces, sought, counts.get(), shift});
      for_each_row(rows, kThreads, TakeDigit<Key>{sought, counts.get(), pieces.splits, shift});
    }
  }
  void collect(const Choose<T>& choose, int64_t rows, int64_t k) {
    const int64_t splits = choose.pieces.splits;
    const Scratch<Chosen> totals(rows * splits);
    const Scratch<Key> keys(rows * k), sorted_keys(rows * k);
    const Scratch<uint32_t> positions(rows * k);
    for_each_row(rows * splits, kThreads, CountChosen<T>{choose, totals.get()});
    for_each_row(rows, kThreads, StartChosen{totals.get(), splits});
    for_each_row(rows * splits, kThreads,
                 CollectChosen<T>{choose, totals.get(), keys.get(), positions.get(), k});
    sort_rows_of_pairs<Key>({sorted_keys.get(), positions_.get()}, {keys.get(), positions.get()},
                            rows, k);
  }

  Scratch<uint32_t> positions_;
};

namespace {

// Writes the first `keep` elements of each row in order. `order` has rows of `width` indices.
template <class T>
struct WriteSorted {
  T* values;
  int64_t* indices;
  const T* x;
  const uint32_t* order;
  int64_t n, keep, width;
  TAPER_DEVICE void operator()(int64_t, int64_t row, int64_t i) const {
    const int64_t from = order[row * width + i];
    values[row * keep + i] = x[row * n + from];
    indices[row * keep + i] = from;
  }
};

template <class T>
void write_sorted(const Out& values, const Out& indices, const In& x, int64_t n, int64_t keep,
                  bool descending) {
  const int64_t rows = x.numel / n;
  if (rows * keep == 0) return;
  const auto write = [&](const uint32_t* order, int64_t width) {
    for_each_in_box(
        1, rows, keep,
        WriteSorted<T>{values.as<T>(), indices.as<int64_t>(), x.as<T>(), order, n, keep, width});
  };
  // Selecting a few elements of a long row is faster than sorting it.
  if (n >= 4096 && keep <= n / 4)
    write(SelectedRows<T>(x.as<T>(), rows, n, keep, descending).positions(), keep);
  else
    write(SortedRows<T>(x.as<T>(), rows, n, descending).positions(), n);
}

}  // namespace

void sort_rows(Out values, Out indices, In x, int64_t n, bool descending) {
  switch_dtype<dtypes::Real>(x.dtype, "sort", [&]<class scalar_t>() {
    write_sorted<scalar_t>(values, indices, x, n, n, descending);
  });
}

void topk_rows(Out values, Out indices, In x, int64_t n, int64_t k, bool largest) {
  switch_dtype<dtypes::Number>(x.dtype, "topk_cpu", [&]<class scalar_t>() {
    write_sorted<scalar_t>(values, indices, x, n, k, largest);
  });
}

}  // namespace torch::taper::cuda
