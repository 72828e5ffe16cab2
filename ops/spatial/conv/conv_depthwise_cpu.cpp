#include <taper/ops/spatial/conv/conv_depthwise.h>

#include <algorithm>
#include <vector>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/vec.h>
#include <taper/framework/memory/scratch.h>

#define TAPER_ISA_FILE <taper/ops/spatial/conv/conv_depthwise_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu::depthwise {

void fill(const Fill<float>& f) { return TAPER_BY_ISA(fill_f32, f); }
void fill(const Fill<double>& f) { return TAPER_BY_ISA(fill_f64, f); }
void correlate(const Correlation<float>& c) { return TAPER_BY_ISA(correlate_f32, c); }
void correlate(const Correlation<double>& c) { return TAPER_BY_ISA(correlate_f64, c); }
void weave(const Weave<float>& w) { return TAPER_BY_ISA(weave_f32, w); }
void weave(const Weave<double>& w) { return TAPER_BY_ISA(weave_f64, w); }
void add_element_sums(const ElementSums<float>& s) { return TAPER_BY_ISA(element_sums_f32, s); }
void add_element_sums(const ElementSums<double>& s) { return TAPER_BY_ISA(element_sums_f64, s); }

void correlate(const Three<float>& s) { return TAPER_BY_ISA(correlate_three_f32, s); }
void correlate(const Three<double>& s) { return TAPER_BY_ISA(correlate_three_f64, s); }
void add_element_sums(const Three<float>& s, float* sums) {
  return TAPER_BY_ISA(sums_three_f32, s, sums);
}
void add_element_sums(const Three<double>& s, double* sums) {
  return TAPER_BY_ISA(sums_three_f64, s, sums);
}

namespace {

// Multiply-adds that are worth waking a thread.
constexpr int64_t kThreadWork = 1 << 18;
// With more output channels per input channel, a matrix product is faster.
constexpr int64_t kMostOutputs = 4;

// Calls body(begin, end) for parts of `count` units of work, each of `images` planes.
template <class Body>
void split(int64_t count, int64_t images, const ConvShape& s, const Body& body) {
  const int64_t work = images * s.out_channels * s.kernel_elements() * s.out_pixels();
  parallel_for(0, count, std::max<int64_t>(1, kThreadWork / std::max<int64_t>(1, work)), body);
}

// ---------------------------------------------------------------------- planes of the input
Plane input_plane(const ConvShape& s) {
  Plane p{};
  for (int d = 0; d < 3; ++d) {
    p.before[d] = s.steps.padding[d];
    p.size[d] = (s.out[d] - 1) * s.steps.stride[d] + (s.kernel[d] - 1) * s.steps.dilation[d] + 1;
  }
  p.phases = s.steps.stride[2];
  return p;
}

std::vector<int64_t> input_elements(const ConvShape& s, const Plane& p) {
  std::vector<int64_t> elements;
  const ConvSteps& c = s.steps;
  for (int64_t d = 0; d < s.kernel[0]; ++d)
    for (int64_t h = 0; h < s.kernel[1]; ++h)
      for (int64_t w = 0; w < s.kernel[2]; ++w)
        elements.push_back(p.at(d * c.dilation[0], h * c.dilation[1], w * c.dilation[2]));
  return elements;
}

// Returns the offset of the first element that row 0 of depth `od` reads.
int64_t depth_offset(const ConvShape& s, const Plane& p, int64_t od) {
  return p.at(od * s.steps.stride[0], 0, 0);
}

template <class T>
Fill<T> filling(T* to, const T* from, const Plane& p, const int64_t* in) {
  return {to, from, p, {in[0], in[1], in[2]}};
}

// ---------------------------------------------------------------------- planes of the output
// Elements of the input that are `stride` apart, from `first` on, meet the same kernel elements.
// Element first + stride * i contributes to output i + shift by kernel element k.
struct Meeting {
  int64_t k, shift;
};
struct Residue {
  int64_t first, count;
  std::vector<Meeting> meetings;
};

std::vector<Residue> residues(const ConvShape& s, int d) {
  const int64_t stride = s.steps.stride[d];
  std::vector<Residue> list;
  for (int64_t first = 0; first < std::min(stride, s.in[d]); ++first) {
    Residue r{first, (s.in[d] - first + stride - 1) / stride, {}};
    for (int64_t k = 0; k < s.kernel[d]; ++k) {
      const int64_t at = first + s.steps.padding[d] - k * s.steps.dilation[d];
      if (at % stride == 0) r.meetings.push_back({k, at / stride});
    }
    list.push_back(r);
  }
  return list;
}

// The input's gradient at elements of one residue in each dimension. It is a correlation with
// planes of all output channels of a group, one after the other.
struct Lattice {
  int64_t first[3], count[3];
  std::vector<int64_t> elements, weights;  ///< offsets in the planes, and weights of the group
};

class InputLattices {
 public:
  explicit InputLattices(const ConvShape& s) : s_(s) {
    plane_.phases = 1;
    std::vector<Residue> r[3];
    for (int d = 0; d < 3; ++d) measure(d, r[d] = residues(s, d));
    for (const Residue& d : r[0])
      for (const Residue& h : r[1])
        for (const Residue& w : r[2]) add(d, h, w);
  }

  const Plane& plane() const { return plane_; }
  const std::vector<Lattice>& all() const { return all_; }

 private:
  void measure(int d, const std::vector<Residue>& list) {
    int64_t before = 0, after = 0;
    for (const Residue& r : list)
      for (const Meeting& m : r.meetings) {
        before = std::max(before, -m.shift);
        after = std::max(after, r.count + m.shift);
      }
    plane_.before[d] = before;
    plane_.size[d] = before + after;
  }

  void add(const Residue& d, const Residue& h, const Residue& w) {
    Lattice l{{d.first, h.first, w.first}, {d.count, h.count, w.count}, {}, {}};
    for (int64_t j = 0; j < s_.out_channels; ++j)
      for (const Meeting& md : d.meetings)
        for (const Meeting& mh : h.meetings)
          for (const Meeting& mw : w.meetings) {
            l.elements.push_back(j * plane_.numel() + place(md, mh, mw));
            l.weights.push_back(((j * s_.kernel[0] + md.k) * s_.kernel[1] + mh.k) * s_.kernel[2] +
                                mw.k);
          }
    all_.push_back(std::move(l));
  }

  int64_t place(const Meeting& d, const Meeting& h, const Meeting& w) const {
    const int64_t* b = plane_.before;
    return plane_.at(b[0] + d.shift, b[1] + h.shift, b[2] + w.shift);
  }

  const ConvShape& s_;
  Plane plane_{};
  std::vector<Lattice> all_;
};

template <class T>
class InputGradient {
 public:
  InputGradient(const ConvShape& s, const InputLattices& in)
      : s_(s),
        in_(in),
        planes_(s.out_channels * plane().numel()),
        weights_(s.out_channels * s.kernel_elements()),
        strands_(step() * strand()) {
    std::fill_n(planes_.get(), s.out_channels * plane().numel(), T(0));
  }

  // Computes one image of one group. The arguments point to its gradient and weights.
  void run(T* gx, const T* gy, const T* w) {
    for (int64_t j = 0; j < s_.out_channels; ++j)
      fill(filling(planes_.get() + j * plane().numel(), gy + j * s_.out_pixels(), plane(), s_.out));
    const int64_t strands = std::min(step(), s_.in[2]);
    for (auto l = in_.all().begin(); l != in_.all().end(); l += strands)
      for (int64_t i = 0; i < l->count[0]; ++i) rows(gx, w, &*l, strands, i);
  }

 private:
  const Plane& plane() const { return in_.plane(); }
  int64_t step() const { return s_.steps.stride[2]; }
  int64_t strand_row() const { return (s_.in[2] + step() - 1) / step(); }
  int64_t strand() const { return s_.in[1] * strand_row(); }

  // Computes rows for the lattices `l` to `l + strands`, which differ in their columns.
  void rows(T* gx, const T* w, const Lattice* l, int64_t strands, int64_t i) {
    const int64_t depth = (l->first[0] + i * s_.steps.stride[0]) * s_.in[1];
    T* to = gx + (depth + l->first[1]) * s_.in[2];
    const int64_t ldto = s_.steps.stride[1] * s_.in[2];
    if (step() == 1) return lattice(to, ldto, w, *l, i);
    for (int64_t j = 0; j < strands; ++j)
      lattice(strands_.get() + j * strand(), strand_row(), w, l[j], i);
    weave(
        Weave<T>{to, ldto, strands_.get(), strand(), strand_row(), step(), l->count[1], s_.in[2]});
  }

  void lattice(T* out, int64_t ldo, const T* w, const Lattice& l, int64_t i) {
    const int64_t elements = static_cast<int64_t>(l.elements.size());
    for (int64_t t = 0; t < elements; ++t) weights_[t] = w[l.weights[t]];
    correlate(Correlation<T>{planes_.get() + plane().at(i, 0, 0), plane().row_size(),
                             l.elements.data(), weights_.get(), elements, T(0), out, ldo,
                             l.count[1], l.count[2]});
  }

  const ConvShape& s_;
  const InputLattices& in_;
  Scratch<T> planes_, weights_, strands_;
};

// ---------------------------------------------------------------------- 3 x 3
// Tests for 3 x 3 kernels with stride 1. Depth slices, if any, count as further images.
bool is_three(const ConvShape& s) {
  for (int d = 0; d < 3; ++d)
    if (s.kernel[d] != (d > 0 ? 3 : 1) || s.steps.stride[d] != 1 || s.steps.dilation[d] != 1 ||
        (d == 0 && s.steps.padding[0] != 0))
      return false;
  return s.out_channels == 1;
}

int64_t in_area(const ConvShape& s) { return s.in[1] * s.in[2]; }
int64_t out_area(const ConvShape& s) { return s.out[1] * s.out[2]; }

template <class T>
Three<T> three(const ConvShape& s, const T* x) {
  const int64_t* p = s.steps.padding;
  return {x, {s.in[1], s.in[2]}, {s.out[1], s.out[2]}, {p[1], p[2]}, nullptr, {}, T(0), nullptr};
}

template <class T>
void forward_three(T* y, const T* x, const T* w, const T* b, const ConvShape& s, int64_t image) {
  const int64_t channel = image % s.groups;
  for (int64_t i = image * s.in[0]; i < (image + 1) * s.in[0]; ++i) {
    Three<T> c = three(s, x + i * in_area(s));
    c.y = y + i * out_area(s);
    std::copy_n(w + channel * 9, 9, c.weights);
    if (b) c.bias = b[channel];
    correlate(c);
  }
}

// Correlates with the reversed kernel and the matching padding.
template <class T>
void input_gradient_three(T* gx, const T* gy, const T* w, const ConvShape& s, int64_t image) {
  const T* const weights = w + image % s.groups * 9;
  for (int64_t i = image * s.in[0]; i < (image + 1) * s.in[0]; ++i) {
    Three<T> c = three(s, gy + i * out_area(s));
    for (int d = 0; d < 2; ++d) {
      std::swap(c.in[d], c.out[d]);
      c.padding[d] = 2 - c.padding[d];
    }
    c.y = gx + i * in_area(s);
    std::reverse_copy(weights, weights + 9, c.weights);
    correlate(c);
  }
}

// ---------------------------------------------------------------------- gradient of the weight
// Computes one group over the whole batch.
template <class T>
class GroupGradient {
 public:
  GroupGradient(const ConvShape& s, const Plane& p, const std::vector<int64_t>& elements)
      : s_(s), p_(p), elements_(elements), plane_(p.numel()), sums_(size()) {
    std::fill_n(plane_.get(), p.numel(), T(0));
  }

  void run(T* gw, const T* x, const T* gy, int64_t group) {
    std::fill_n(sums_.get(), size(), T(0));
    for (int64_t n = 0; n < s_.batch; ++n) image(x, gy, n * s_.groups + group);
    const T* sum = sums_.get();
    for (int64_t i = 0; i < s_.out_channels * s_.kernel_elements(); ++i, sum += kPlaneSlack) {
      T total = 0;
      for (int64_t j = 0; j < kPlaneSlack; ++j) total += sum[j];
      gw[group * s_.out_channels * s_.kernel_elements() + i] = total;
    }
  }

 private:
  int64_t size() const { return s_.out_channels * s_.kernel_elements() * kPlaneSlack; }

  void image(const T* x, const T* gy, int64_t i) {
    if (is_three(s_)) {
      for (int64_t k = i * s_.in[0]; k < (i + 1) * s_.in[0]; ++k) {
        Three<T> c = three(s_, x + k * in_area(s_));
        c.g = gy + k * out_area(s_);
        add_element_sums(c, sums_.get());
      }
      return;
    }
    fill(filling(plane_.get(), x + i * s_.in_pixels(), p_, s_.in));
    for (int64_t j = 0; j < s_.out_channels; ++j)
      for (int64_t d = 0; d < s_.out[0]; ++d) {
        const T* g = gy + (i * s_.out_channels + j) * s_.out_pixels() + d * s_.out[1] * s_.out[2];
        add_element_sums(ElementSums<T>{sums_.get() + j * s_.kernel_elements() * kPlaneSlack,
                                        plane_.get() + depth_offset(s_, p_, d),
                                        s_.steps.stride[1] * p_.row_size(), elements_.data(),
                                        s_.kernel_elements(), g, s_.out[1], s_.out[2]});
      }
  }

  const ConvShape& s_;
  const Plane& p_;
  const std::vector<int64_t>& elements_;
  Scratch<T> plane_, sums_;
};

}  // namespace

bool takes(const ConvShape& s) {
  return s.in_channels == 1 && s.groups > 1 && s.out_channels <= kMostOutputs;
}

template <class T>
void forward(T* y, const T* x, const T* w, const T* b, const ConvShape& s) {
  if (is_three(s))
    return split(s.batch * s.groups, 1, s, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) forward_three(y, x, w, b, s, i);
    });
  const Plane p = input_plane(s);
  const std::vector<int64_t> elements = input_elements(s, p);
  split(s.batch * s.groups, 1, s, [&](int64_t i, int64_t end) {
    const Scratch<T> plane(p.numel());
    std::fill_n(plane.get(), p.numel(), T(0));
    for (; i < end; ++i) {
      fill(filling(plane.get(), x + i * s.in_pixels(), p, s.in));
      for (int64_t j = 0; j < s.out_channels; ++j) {
        const int64_t channel = i % s.groups * s.out_channels + j;
        for (int64_t d = 0; d < s.out[0]; ++d)
          correlate(
              Correlation<T>{plane.get() + depth_offset(s, p, d), s.steps.stride[1] * p.row_size(),
                             elements.data(), w + channel * s.kernel_elements(),
                             s.kernel_elements(), b ? b[channel] : T(0),
                             y + ((i * s.out_channels + j) * s.out[0] + d) * s.out[1] * s.out[2],
                             s.out[2], s.out[1], s.out[2]});
      }
    }
  });
}

template <class T>
void input_gradient(T* gx, const T* gy, const T* w, const ConvShape& s) {
  if (is_three(s))
    return split(s.batch * s.groups, 1, s, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) input_gradient_three(gx, gy, w, s, i);
    });
  const InputLattices in(s);
  split(s.batch * s.groups, 1, s, [&](int64_t i, int64_t end) {
    InputGradient<T> gradient(s, in);
    const int64_t m = s.out_channels;
    for (; i < end; ++i)
      gradient.run(gx + i * s.in_pixels(), gy + i * m * s.out_pixels(),
                   w + i % s.groups * m * s.kernel_elements());
  });
}

template <class T>
void weight_gradient(T* gw, const T* x, const T* gy, const ConvShape& s) {
  const Plane p = input_plane(s);
  const std::vector<int64_t> elements = input_elements(s, p);
  split(s.groups, s.batch, s, [&](int64_t g, int64_t end) {
    GroupGradient<T> gradient(s, p, elements);
    for (; g < end; ++g) gradient.run(gw, x, gy, g);
  });
}

#define TAPER_INSTANTIATE(T)                                                    \
  template void forward<T>(T*, const T*, const T*, const T*, const ConvShape&); \
  template void input_gradient<T>(T*, const T*, const T*, const ConvShape&);    \
  template void weight_gradient<T>(T*, const T*, const T*, const ConvShape&);
TAPER_INSTANTIATE(float)
TAPER_INSTANTIATE(double)
#undef TAPER_INSTANTIATE

}  // namespace torch::taper::cpu::depthwise
