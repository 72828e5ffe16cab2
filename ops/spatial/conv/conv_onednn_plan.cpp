#include <taper/ops/spatial/conv/conv_onednn_plan.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/one_thread.h>
#include <taper/framework/memory/scratch.h>

namespace torch::taper::cpu::onednn {
namespace {

using dnnl::memory;
using Desc = memory::desc;
using Sizes = memory::dims;

using Type = memory::data_type;

// Never destroyed, because other static objects may compute at exit.
const dnnl::engine& engine() {
  static const dnnl::engine& e = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return e;
}

// Scratchpads belong to the caller, so that threads may share a primitive.
dnnl::primitive_attr attributes() {
  dnnl::primitive_attr a;
  a.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return a;
}

// ---------------------------------------------------------------------- layouts
// Returns 1 for two spatial dimensions, or 0 for three. The first one is skipped if it is plain 1.
int first_dim(const ConvShape& s) {
  return s.in[0] == 1 && s.out[0] == 1 && s.kernel[0] == 1 && s.steps.padding[0] == 0 ? 1 : 0;
}

Sizes with_spatial(Sizes sizes, const ConvShape& s, const int64_t* spatial) {
  sizes.insert(sizes.end(), spatial + first_dim(s), spatial + 3);
  return sizes;
}

// Returns a row-major description in which the elements of dimension d are `stride` apart.
Desc plain_desc(const Sizes& sizes, size_t d, int64_t stride, Type type) {
  Sizes strides(sizes.size(), 1);
  for (size_t i = sizes.size() - 1; i-- > 0;)
    strides[i] = i == d ? stride : strides[i + 1] * sizes[i + 1];
  return Desc(sizes, type, strides);
}

Desc blocked_desc(const Sizes& sizes, int64_t block, Type type) {
  using Tag = memory::format_tag;
  const bool flat = sizes.size() == 4;
  const Tag tag = block == 16  ? (flat ? Tag::nChw16c : Tag::nCdhw16c)
                  : block == 8 ? (flat ? Tag::nChw8c : Tag::nCdhw8c)
                               : (flat ? Tag::nChw4c : Tag::nCdhw4c);
  return Desc(sizes, type, tag);
}

Sizes weight_sizes(const ConvShape& s) {
  const Sizes w = s.groups > 1 ? Sizes{s.groups, s.out_channels, s.in_channels}
                               : Sizes{s.out_channels, s.in_channels};
  return with_spatial(w, s, s.kernel);
}

// Returns the weights in the layout that the primitive chooses.
Desc weights_desc(const Part& part, Type type) {
  return Desc(weight_sizes(part.shape), type, memory::format_tag::any);
}

// A gradient of the weight is summed over images, in f32.
void set_layouts(Plan& p, const Part& part) {
  const ConvShape& s = part.shape;
  const Sizes x = with_spatial({s.batch, s.groups * s.in_channels}, s, s.in);
  const Sizes y = with_spatial({s.batch, s.groups * s.out_channels}, s, s.out);
  p.x.plain = plain_desc(x, 0, part.x_channels * s.in_pixels(), part.type);
  p.y.plain = plain_desc(y, 0, part.y_channels * s.out_pixels(), part.type);
  const int64_t block = channel_block(s, part.kind);
  p.x.inner = reads_plain_images(s, part.kind) ? p.x.plain : blocked_desc(x, block, part.type);
  p.y.inner = blocked_desc(y, block, part.type);
  p.w.inner = weights_desc(part, part.kind == ConvPass::kWeightGradient ? Type::f32 : part.type);
  const int64_t row = s.groups > 1 ? s.out_channels * s.depth()
                                   // Part of the input channels uses a part of every row.
                                   : part.w_channels * s.kernel_elements();
  p.w.plain = plain_desc(weight_sizes(s), 0, row, part.type);
  if (part.bias) p.bias = Desc({s.groups * s.out_channels}, part.type, memory::format_tag::x);
}

// ---------------------------------------------------------------------- primitives
struct Steps {
  Sizes stride, dilation, before, after;
};

Steps steps_of(const ConvShape& s) {
  Steps r;
  for (int i = first_dim(s); i < 3; ++i) {
    const int64_t reach = s.steps.dilation[i] * (s.kernel[i] - 1) + 1;
    const int64_t after = (s.out[i] - 1) * s.steps.stride[i] + reach - s.in[i] - s.steps.padding[i];
    r.stride.push_back(s.steps.stride[i]);
    r.dilation.push_back(s.steps.dilation[i] - 1);
    r.before.push_back(s.steps.padding[i]);
    // Elements left over because the next step does not fit are not negative padding.
    r.after.push_back(after < 0 && after > -s.steps.stride[i] ? 0 : after);
  }
  return r;
}

constexpr auto kDirect = dnnl::algorithm::convolution_direct;
using ForwardDesc = dnnl::convolution_forward::primitive_desc;

#if DNNL_VERSION_MAJOR >= 3
ForwardDesc forward_desc(const Plan& p, const Desc& w, const Steps& c, dnnl::prop_kind kind) {
  return {engine(),  kind,     kDirect,    p.x.inner, w,       p.bias,
          p.y.inner, c.stride, c.dilation, c.before,  c.after, attributes()};
}
template <class Primitive>
typename Primitive::primitive_desc backward_desc(const Plan& p, const Part& part, const Steps& c) {
  return {engine(),
          kDirect,
          p.x.inner,
          p.w.inner,
          p.y.inner,
          c.stride,
          c.dilation,
          c.before,
          c.after,
          forward_desc(p, weights_desc(part, part.type), c, dnnl::prop_kind::forward_training),
          attributes()};
}
#else
ForwardDesc forward_desc(const Plan& p, const Desc& w, const Steps& c, dnnl::prop_kind kind) {
  return {{kind, kDirect, p.x.inner, w, p.bias, p.y.inner, c.stride, c.dilation, c.before, c.after},
          attributes(),
          engine()};
}
template <class Primitive>
typename Primitive::primitive_desc backward_desc(const Plan& p, const Part& part, const Steps& c) {
  return {{kDirect, p.x.inner, p.w.inner, p.y.inner, c.stride, c.dilation, c.before, c.after},
          attributes(),
          engine(),
          forward_desc(p, weights_desc(part, part.type), c, dnnl::prop_kind::forward_training)};
}
#endif

// Returns false unless oneDNN chose a generated kernel. The others are slow.
template <class Primitive>
bool take(Plan& p, const typename Primitive::primitive_desc& d, const Desc& weights) {
  if (std::strncmp(d.impl_info_str(), "jit", 3) != 0) return false;
  p.convolution = Primitive(d);
  p.scratchpad = d.scratchpad_desc();
  p.w.inner = weights;
  return true;
}

bool set_convolution(Plan& p, const Part& part) {
  const Steps c = steps_of(part.shape);
  if (p.kind == ConvPass::kForward) {
    const auto d = forward_desc(p, p.w.inner, c, dnnl::prop_kind::forward_inference);
    return take<dnnl::convolution_forward>(p, d, d.weights_desc());
  }
  if (p.kind == ConvPass::kInputGradient) {
    const auto d = backward_desc<dnnl::convolution_backward_data>(p, part, c);
    return take<dnnl::convolution_backward_data>(p, d, d.weights_desc());
  }
  const auto d = backward_desc<dnnl::convolution_backward_weights>(p, part, c);
  return take<dnnl::convolution_backward_weights>(p, d, d.diff_weights_desc());
}

void set_conversion(Operand& o, bool result) {
  o.result = result;
  if (o.same()) return;
  const dnnl::reorder::primitive_desc d(engine(), result ? o.inner : o.plain, engine(),
                                        result ? o.plain : o.inner, attributes());
  o.conversion = dnnl::reorder(d);
  o.scratchpad = d.scratchpad_desc();
}

std::shared_ptr<const Plan> make_plan(const Part& part) try {
  if (channel_block(part.shape, part.kind) == 0) return nullptr;
  const OneThread here;
  const auto p = std::make_shared<Plan>();
  p->kind = part.kind;
  p->images = part.shape.batch;
  set_layouts(*p, part);
  if (!set_convolution(*p, part)) return nullptr;
  set_conversion(p->x, part.kind == ConvPass::kInputGradient);
  set_conversion(p->w, part.kind == ConvPass::kWeightGradient);
  set_conversion(p->y, part.kind == ConvPass::kForward);
  return p;
} catch (const dnnl::error&) {
  return nullptr;
}

// ---------------------------------------------------------------------- the plans that are kept
class Cache {
 public:
  std::shared_ptr<const Plan> get(const Part& part) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = plans_.find(part);
    if (found != plans_.end()) {
      found->second.used = ++clock_;
      return found->second.plan;
    }
    if (plans_.size() >= kMost) plans_.erase(oldest());
    return plans_.emplace(part, Entry{make_plan(part), ++clock_}).first->second.plan;
  }

 private:
  static constexpr size_t kMost = 256;
  struct Entry {
    std::shared_ptr<const Plan> plan;  // null is kept too, as the answer no
    uint64_t used;
  };
  using Plans = std::map<Part, Entry>;

  Plans::iterator oldest() {
    return std::min_element(plans_.begin(), plans_.end(), [](const auto& a, const auto& b) {
      return a.second.used < b.second.used;
    });
  }

  std::mutex mutex_;
  Plans plans_;
  uint64_t clock_ = 0;
};

// ---------------------------------------------------------------------- running
// oneDNN uses one kind of handle for input and output.
memory handle(const Desc& d, const void* data) {
  return memory(d, engine(), const_cast<void*>(data));
}

thread_local dnnl::stream* stream_of_thread = nullptr;
struct StreamOwner {
  StreamOwner() { stream_of_thread = new dnnl::stream(engine()); }
  ~StreamOwner() { delete std::exchange(stream_of_thread, nullptr); }
};
/// Static objects may compute after the main thread's end. They get a new stream.
dnnl::stream thread_stream() {
  static thread_local StreamOwner owner;
  (void)owner;
  return stream_of_thread ? *stream_of_thread : dnnl::stream(engine());
}

void run(const dnnl::primitive& p, const Desc& scratchpad, std::unordered_map<int, memory> args) {
  const Scratch<char> space(static_cast<int64_t>(scratchpad.get_size()));
  if (scratchpad.get_size() > 0)
    args.emplace(DNNL_ARG_SCRATCHPAD, memory(scratchpad, engine(), space.get()));
  dnnl::stream stream = thread_stream();
  p.execute(stream, args);
  stream.wait();
}

struct Arguments {
  int x, w, y;
};
Arguments arguments_of(ConvPass kind) {
  switch (kind) {
    case ConvPass::kForward:
      return {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    case ConvPass::kInputGradient:
      return {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST};
    case ConvPass::kWeightGradient:
      break;
  }
  return {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST};
}

}  // namespace

void Plan::convert(const Operand& o, const void* from, void* to) {
  run(o.conversion, o.scratchpad,
      {{DNNL_ARG_FROM, handle(o.result ? o.inner : o.plain, from)},
       {DNNL_ARG_TO, handle(o.result ? o.plain : o.inner, to)}});
}

void Plan::convolve(const void* px, const void* pw, const void* b, const void* py) const {
  const Arguments a = arguments_of(kind);
  std::unordered_map<int, memory> args = {
      {a.x, handle(x.inner, px)}, {a.w, handle(w.inner, pw)}, {a.y, handle(y.inner, py)}};
  if (b) args.emplace(DNNL_ARG_BIAS, handle(bias, b));
  run(convolution, scratchpad, std::move(args));
}

namespace {
bool has(dnnl::cpu_isa least) {
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  return (isa & static_cast<unsigned>(least)) == static_cast<unsigned>(least);
}
}  // namespace

int64_t channel_block() {
  static const int64_t block = has(dnnl::cpu_isa::avx512_core) ? 16
                               : has(dnnl::cpu_isa::avx2)      ? 8
                                                               : 0;
  return block;
}

bool multiplies_bf16() {
  static const bool yes = has(dnnl::cpu_isa::avx512_core_bf16);
  return yes;
}

int64_t channel_block(const ConvShape& s, ConvPass kind) {
  // Volumes use half blocks if padding whole ones would cost more than their wider vectors gain.
  // The gradient of the weight has no kernels for half blocks.
  const bool halves = s.kernel[0] > 1 && s.in_channels % 16 == 8 && s.out_channels % 8 == 0;
  const auto filled = [](int64_t n) { return (n + 15) / 16 * 16; };
  const int64_t channels = s.in_channels * s.out_channels;
  const bool wasteful = 3 * channels < 2 * filled(s.in_channels) * filled(s.out_channels);
  if (s.groups == 1 && halves && wasteful && kind != ConvPass::kWeightGradient)
    return std::min<int64_t>(channel_block(), 8);
  if (s.groups == 1 || channel_block() == 0) return channel_block();
  for (int64_t block = channel_block(); block >= 4; block /= 2)
    if (s.in_channels % block == 0 && s.out_channels % block == 0) return block;
  return 0;
}

bool reads_plain_images(const ConvShape& s, ConvPass kind) {
  if (s.groups > 1 || kind == ConvPass::kInputGradient) return false;
  // With AVX-512 there are forward kernels for every part of a block.
  return s.in_channels <= 3 ||
         (kind == ConvPass::kForward && s.in_channels < 16 && channel_block(s, kind) == 16);
}

std::shared_ptr<const Plan> plan_of(const Part& part) {
  static Cache& cache = *new Cache;
  return cache.get(part);
}

}  // namespace torch::taper::cpu::onednn
