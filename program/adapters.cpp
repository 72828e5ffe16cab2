// Ops of exported programs that Taper has under another name, or makes of other ops.
#include <cmath>
#include <unordered_map>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/fft/fft.h>
#include <taper/ops/index/index.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/nn/nn.h>
#include <taper/ops/random/random.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/sequence/sequence.h>
#include <taper/ops/spatial/spatial.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/program/run.h>

namespace torch::taper::program {
namespace {

using Call = AdapterCall;

void give(Call& c, std::vector<IValue> results) { c.results = std::move(results); }
void give(Call& c, const Tensor& y) { c.results = {y}; }

void nothing(Call&) {}

// ---------------------------------------------------------------------- norms
// The statistics that PyTorch saves for its backward ops are left out: Taper's ops record.

void batch_norm_of(Call& c, bool training, size_t momentum, size_t eps) {
  give(c, {batch_norm(c.tensor(0), c.tensor(1), c.tensor(2), c.tensor(3), c.tensor(4), training,
                      c.real(momentum), c.real(eps)),
           {},
           {},
           {}});
}
void batch_norm_legit(Call& c) { batch_norm_of(c, c.flag(5), 6, 7); }
void batch_norm_training(Call& c) { batch_norm_of(c, true, 5, 6); }
void batch_norm_evaluation(Call& c) { batch_norm_of(c, false, 5, 6); }
void batch_norm_without_statistics(Call& c) {
  give(c,
       {batch_norm(c.tensor(0), c.tensor(1), c.tensor(2), {}, {}, c.flag(3), c.real(4), c.real(5)),
        {},
        {}});
}
/// Returns new running statistics, in place of changing the given ones.
void batch_norm_functional(Call& c, bool training, size_t momentum, size_t eps, size_t unused) {
  Tensor mean, variance;
  {
    const NoGradGuard no_grad;
    mean = c.tensor(3).clone();
    variance = c.tensor(4).clone();
  }
  std::vector<IValue> all = {batch_norm(c.tensor(0), c.tensor(1), c.tensor(2), mean, variance,
                                        training, c.real(momentum), c.real(eps))};
  all.resize(1 + unused);
  all.push_back(mean);
  all.push_back(variance);
  give(c, std::move(all));
}
void batch_norm_legit_functional(Call& c) { batch_norm_functional(c, c.flag(5), 6, 7, 2); }
void batch_norm_update_functional(Call& c) { batch_norm_functional(c, true, 5, 6, 3); }

void native_layer_norm(Call& c) {
  give(c, {layer_norm(c.tensor(0), c.integers(1), c.tensor(2), c.tensor(3), c.real(4)), {}, {}});
}
void native_group_norm(Call& c) {
  give(c, {group_norm(c.tensor(0), c.integer(6), c.tensor(1), c.tensor(2), c.real(7)), {}, {}});
}
void fused_rms_norm(Call& c) {
  give(c, {rms_norm(c.tensor(0), c.integers(1), c.tensor(2), c.maybe_real(3)), {}});
}
Tensor weight_norm(const Tensor& v, const Tensor& g, int64_t dim) {
  return v * (g / norm_except_dim(v, 2, dim));
}

// ---------------------------------------------------------------------- attention
void attend(Call& c, const Tensor& mask, double dropout, bool causal, optional<double> scale,
            size_t results) {
  std::vector<IValue> all = {scaled_dot_product_attention(c.tensor(0), c.tensor(1), c.tensor(2),
                                                          mask, dropout, causal, scale)};
  all.resize(results);  // without what only PyTorch's backward reads
  give(c, std::move(all));
}
void flash_attention(Call& c) { attend(c, {}, c.real(3), c.flag(4), c.maybe_real(6), 9); }
void flash_attention_cpu(Call& c) {
  attend(c, c.tensor(5), c.real(3), c.flag(4), c.maybe_real(6), 2);
}
void efficient_attention(Call& c) {
  attend(c, c.tensor(3), c.real(5), c.flag(6), c.maybe_real(7), 4);
}
void cudnn_attention(Call& c) { attend(c, c.tensor(3), c.real(5), c.flag(6), c.maybe_real(8), 9); }
void overrideable_attention(Call& c) {
  attend(c, c.tensor(3), c.real(4), c.flag(5), c.maybe_real(7), 9);
}
void attention_math(Call& c) {
  TAPER_CHECK(!c.has(6), "_scaled_dot_product_attention_math: expected no dropout_mask");
  give(c, {scaled_dot_product_attention(c.tensor(0), c.tensor(1), c.tensor(2), c.tensor(3),
                                        c.real(4), c.flag(5), c.maybe_real(7), c.flag(8)),
           {}});
}
Tensor safe_softmax(const Tensor& x, int64_t dim, optional<ScalarType> dtype) {
  const Tensor y = dtype ? softmax(x, dim, *dtype) : softmax(x, dim);
  return y.masked_fill(x.eq(-INFINITY).all(dim, /*keepdim=*/true), 0);
}

// ---------------------------------------------------------------------- dropout
void native_dropout(Call& c) {
  const Tensor x = c.tensor(0);
  const double p = c.real(1);
  const bool training = !c.has(2) || c.flag(2);
  if (!training || p == 0) return give(c, {x.clone(), ones_like(x, kBool)});
  const Tensor mask = p == 1 ? zeros_like(x, kBool) : (rand_like(x.detach()) >= p);
  give(c, {x * mask * (p == 1 ? 0.0 : 1 / (1 - p)), mask});
}

// ---------------------------------------------------------------------- copies and conversions
Tensor converted(Call& c, const Tensor& x, optional<Device> device, optional<ScalarType> dtype,
                 bool copy, optional<MemoryFormat> format) {
  TensorOptions options = x.options();
  if (device) options = options.device(c.place.device(*device));
  if (dtype) options = options.dtype(*dtype);
  return x.to(options, /*non_blocking=*/false, copy, format);
}
optional<Device> maybe_device(Call& c, size_t i) {
  return c.has(i) ? optional<Device>(c[i].toDevice()) : nullopt;
}
optional<MemoryFormat> maybe_format(Call& c, size_t i) {
  return c.has(i) ? optional<MemoryFormat>(static_cast<MemoryFormat>(c[i].toInt())) : nullopt;
}
void to_copy(Call& c) {
  give(c,
       converted(c, c.tensor(0), maybe_device(c, 3), c.maybe_dtype(1), true, maybe_format(c, 6)));
}
void to_device(Call& c) {
  give(c, converted(c, c.tensor(0), maybe_device(c, 1), c.maybe_dtype(2), c.flag(4),
                    maybe_format(c, 5)));
}
void contiguous(Call& c) {
  give(c, c.tensor(0).contiguous(maybe_format(c, 1).value_or(MemoryFormat::Contiguous)));
}
void cloned(Call& c) { give(c, c.tensor(0).clone()); }

// ---------------------------------------------------------------------- sizes and checks
void sym_size(Call& c) { give(c, {c.tensor(0).size(c.integer(1))}); }
void sym_stride(Call& c) { give(c, {c.tensor(0).stride(c.integer(1))}); }
void sym_numel(Call& c) { give(c, {c.tensor(0).numel()}); }
void sym_storage_offset(Call& c) { give(c, {c.tensor(0).storage_offset()}); }
void item(Call& c) { give(c, {IValue(c.tensor(0).item())}); }

void constrain_range(Call& c) {
  const int64_t size = c.integer(0);
  TAPER_CHECK(!c.has(1) || size >= c.integer(1), "expected a size of at least ", c.integer(1),
              ", got ", size);
  TAPER_CHECK(!c.has(2) || size <= c.integer(2), "expected a size of at most ", c.integer(2),
              ", got ", size);
}
std::string message_of(Call& c) {
  return c.size() > 1 && c[1].isString() ? c[1].toStringRef() : "an assertion of the program";
}
void assert_scalar(Call& c) { TAPER_CHECK(c[0].toScalar().toBool(), "program: ", message_of(c)); }
void assert_tensor(Call& c) {
  TAPER_CHECK(c.tensor(0).item().toBool(), "program: ", message_of(c));
}
void assert_tensor_functional(Call& c) {
  assert_tensor(c);
  give(c, c.tensor(2));
}

// ---------------------------------------------------------------------- resampling
/// Returns the sizes of an image that is scaled by an op with the overload `vec`.
std::vector<int64_t> scaled_sizes(Call& c, size_t sizes, size_t factors) {
  if (c.has(sizes)) return c.integers(sizes);
  const Tensor x = c.tensor(0);
  std::vector<int64_t> result;
  const GenericList all = c[factors].toList();
  TAPER_CHECK(static_cast<int64_t>(all.size()) + 2 == x.dim(), "expected ", x.dim() - 2,
              " scale factors, got ", all.size());
  for (size_t i = 0; i < all.size(); ++i)
    result.push_back(static_cast<int64_t>(static_cast<double>(x.size(static_cast<int64_t>(i) + 2)) *
                                          all.get(i).toScalar().toDouble()));
  return result;
}
optional<double> factor(Call& c, size_t factors, size_t i) {
  if (!c.has(factors)) return nullopt;
  const GenericList all = c[factors].toList();
  return all.get(i).toScalar().toDouble();
}
template <Tensor (*F)(const Tensor&, IntArrayRef, optional<double>)>
void nearest1(Call& c) {
  give(c, F(c.tensor(0), scaled_sizes(c, 1, 2), factor(c, 2, 0)));
}
template <Tensor (*F)(const Tensor&, IntArrayRef, optional<double>, optional<double>)>
void nearest2(Call& c) {
  give(c, F(c.tensor(0), scaled_sizes(c, 1, 2), factor(c, 2, 0), factor(c, 2, 1)));
}
template <Tensor (*F)(const Tensor&, IntArrayRef, optional<double>, optional<double>,
                      optional<double>)>
void nearest3(Call& c) {
  give(c, F(c.tensor(0), scaled_sizes(c, 1, 2), factor(c, 2, 0), factor(c, 2, 1), factor(c, 2, 2)));
}
template <Tensor (*F)(const Tensor&, IntArrayRef, bool, optional<double>)>
void linear1(Call& c) {
  give(c, F(c.tensor(0), scaled_sizes(c, 1, 3), c.flag(2), factor(c, 3, 0)));
}
template <Tensor (*F)(const Tensor&, IntArrayRef, bool, optional<double>, optional<double>)>
void linear2(Call& c) {
  give(c, F(c.tensor(0), scaled_sizes(c, 1, 3), c.flag(2), factor(c, 3, 0), factor(c, 3, 1)));
}
template <Tensor (*F)(const Tensor&, IntArrayRef, bool, optional<double>, optional<double>,
                      optional<double>)>
void linear3(Call& c) {
  give(c, F(c.tensor(0), scaled_sizes(c, 1, 3), c.flag(2), factor(c, 3, 0), factor(c, 3, 1),
            factor(c, 3, 2)));
}

// ---------------------------------------------------------------------- others
void convolution_with_flags(Call& c) {
  give(c, convolution(c.tensor(0), c.tensor(1), c.tensor(2), c.integers(3), c.integers(4),
                      c.integers(5), c.flag(6), c.integers(7), c.integer(8)));
}
/// Runs one layer and direction of an LSTM, of which oneDNN's weights are the parameters.
void mkldnn_rnn_layer(Call& c) {
  constexpr int64_t kLstm = 2;
  TAPER_CHECK(c.integer(9) == kLstm, "mkldnn_rnn_layer: expected an LSTM, got mode ", c.integer(9));
  const bool reverse = c.flag(7), batch_first = c.flag(14);
  std::vector<Tensor> weights = {c.tensor(1), c.tensor(2)};
  if (c.flag(12)) weights.insert(weights.end(), {c.tensor(3), c.tensor(4)});
  // The layer takes time first, unless its flag says otherwise.
  const int64_t time = batch_first ? 1 : 0;
  const Tensor x = reverse ? c.tensor(0).flip(time) : c.tensor(0);
  const auto state = [](const Tensor& h) { return h.dim() == 2 ? h.unsqueeze(0) : h; };
  const auto [y, h, cell] = lstm(x, std::vector<Tensor>{state(c.tensor(5)), state(c.tensor(6))},
                                 weights, c.flag(12), 1, 0.0, c.flag(15), false, batch_first);
  give(c, {reverse ? y.flip(time) : y, h.reshape_as(c.tensor(5)), cell.reshape_as(c.tensor(6)),
           IValue()});
}
void nll_loss_forward(Call& c) {
  const Tensor y = nll_loss_nd(c.tensor(0), c.tensor(1), c.tensor(2), c.integer(3), c.integer(4));
  const Tensor used = c.tensor(1).ne(c.integer(4));
  const Tensor total =
      c.has(2) ? c.tensor(2)
                     .index_select(0, c.tensor(1).masked_fill(used.logical_not(), 0).reshape(-1))
                     .mul(used.reshape(-1))
                     .sum()
               : used.sum().to(y.scalar_type());
  give(c, {y, total});
}
void embedding_bag_of(Call& c) {
  const auto all = embedding_bag(c.tensor(0), c.tensor(1), c.tensor(2), c.flag(3), c.integer(4),
                                 c.flag(5), c.tensor(6), c.flag(7));
  give(c, {std::get<0>(all), std::get<1>(all), std::get<2>(all), std::get<3>(all)});
}
void log_sigmoid_forward(Call& c) { give(c, {log_sigmoid(c.tensor(0)), {}}); }
void reshape_alias(Call& c) { give(c, c.tensor(0).as_strided(c.integers(1), c.integers(2))); }
void stable_argsort(Call& c) {
  give(c, std::get<1>(sort(c.tensor(0), c.flag(1), c.integer(2), c.flag(3))));
}

// Names of the scale of a Fourier transform, by PyTorch's number: none, by the root of n, by n.
constexpr const char* kForwardScales[] = {"backward", "ortho", "forward"};
constexpr const char* kInverseScales[] = {"forward", "ortho", "backward"};
const char* scale_of(Call& c, size_t i, const char* const (&names)[3]) {
  const int64_t number = c.integer(i);
  TAPER_CHECK(number >= 0 && number < 3, "expected a normalization from 0 to 2, got ", number);
  return names[number];
}
void fft_of_reals(Call& c) {
  const char* scale = scale_of(c, 2, kForwardScales);
  give(c, c.flag(3) ? fft_rfftn(c.tensor(0), nullopt, c.integers(1), scale)
                    : fft_fftn(c.tensor(0), nullopt, c.integers(1), scale));
}
void fft_to_reals(Call& c) {
  const std::vector<int64_t> dims = c.integers(1);
  std::vector<int64_t> sizes;
  for (const int64_t d : dims) sizes.push_back(c.tensor(0).size(d));
  TAPER_CHECK(!sizes.empty(), "_fft_c2r: expected dimensions, got none");
  sizes.back() = c.integer(3);
  give(c, fft_irfftn(c.tensor(0), sizes, dims, scale_of(c, 2, kInverseScales)));
}
void fft_of_complex(Call& c) {
  give(c, c.flag(3)
              ? fft_fftn(c.tensor(0), nullopt, c.integers(1), scale_of(c, 2, kForwardScales))
              : fft_ifftn(c.tensor(0), nullopt, c.integers(1), scale_of(c, 2, kInverseScales)));
}

// ---------------------------------------------------------------------- numbers of Python
Scalar number(Call& c, size_t i) {
  TAPER_CHECK(i < c.size() && (c[i].isScalar() || c[i].isTensor()), "expected ", i + 1, " numbers");
  return c[i].isTensor() ? c[i].toTensor().item() : c[i].toScalar();
}
bool are_integers(const Scalar& a, const Scalar& b) {
  return a.isIntegral(true) && b.isIntegral(true);
}
[[noreturn]] void overflow() { throw Error("program: a size exceeds 64 bits"); }
int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == 0) throw ValueError("program: a size is divided by zero");
  if (b == -1) return a == INT64_MIN ? overflow(), 0 : -a;
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}
/// Gives the result of a function of two integers or two floating numbers.
template <class Integer, class Real>
void arithmetic(Call& c, const Integer& of_integers, const Real& of_reals) {
  const Scalar a = number(c, 0), b = number(c, 1);
  if (are_integers(a, b))
    give(c, {IValue(Scalar(of_integers(a.toLong(), b.toLong())))});
  else
    give(c, {of_reals(a.toDouble(), b.toDouble())});
}
template <class F>
void compared(Call& c, const F& holds) {
  const Scalar a = number(c, 0), b = number(c, 1);
  give(c, {are_integers(a, b) ? holds(a.toLong() < b.toLong(), a.toLong() == b.toLong())
                              : holds(a.toDouble() < b.toDouble(), a.toDouble() == b.toDouble())});
}
int64_t sum_of(int64_t a, int64_t b) {
  return __builtin_add_overflow(a, b, &a) ? overflow(), 0 : a;
}
int64_t product_of(int64_t a, int64_t b) {
  return __builtin_mul_overflow(a, b, &a) ? overflow(), 0 : a;
}
int64_t power_of(int64_t a, int64_t b) {
  TAPER_CHECK(b >= 0 && b < 64, "program: expected an exponent from 0 to 63, got ", b);
  int64_t y = 1;
  while (b-- > 0) y = product_of(y, a);
  return y;
}
void rounded(Call& c, double (*f)(double)) {
  const Scalar a = number(c, 0);
  give(c,
       {a.isFloatingPoint() ? Scalar(static_cast<int64_t>(f(a.toDouble()))).toLong() : a.toLong()});
}
void python_sum(Call& c) {
  int64_t y = 0;
  for (const IValue& v : c[0].toList()) y = sum_of(y, v.toScalar().toLong());
  give(c, {y});
}

/// Ops with the schema of another op.
const std::pair<std::string_view, const char*> kOtherNames[] = {
    {"aten::_unsafe_index.Tensor", "aten::index.Tensor"},
    {"aten::_unsafe_index_put", "aten::index_put"},
    {"aten::_adaptive_avg_pool2d", "aten::adaptive_avg_pool2d"},
    {"aten::_adaptive_avg_pool3d", "aten::adaptive_avg_pool3d"},
    {"aten::_conj", "aten::conj"},
    {"aten::_conj_physical", "aten::conj_physical"},
    {"aten::_neg_view", "aten::neg"},
    {"aten::_pdist_forward", "aten::pdist"},
    {"aten::lift_fresh", "aten::alias"},
    {"aten::lift", "aten::alias"},
};

// clang-format off
const Adapter kAdapters[] = {
    // Norms.
    {"aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", batch_norm_legit},
    {"aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", batch_norm_legit},
    {"aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", batch_norm_without_statistics},
    {"aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)", batch_norm_evaluation},
    {"aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor)", batch_norm_legit_functional},
    {"aten::_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)", batch_norm_training},
    {"aten::_batch_norm_with_update_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)", batch_norm_update_functional},
    {"aten::_batch_norm_no_update(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)", batch_norm_evaluation},
    {"aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)", native_layer_norm},
    {"aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)", native_group_norm},
    {"aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)", fused_rms_norm},
    {"aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor", [](Call& c) { give(c, weight_norm(c.tensor(0), c.tensor(1), c.integer(2))); }},
    {"aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)", [](Call& c) { give(c, {weight_norm(c.tensor(0), c.tensor(1), c.integer(2)), norm_except_dim(c.tensor(0), 2, c.integer(2))}); }},
    // Attention, softmax, dropout.
    {"aten::_scaled_dot_product_flash_attention(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor, SymInt, SymInt, Tensor, Tensor, Tensor)", flash_attention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor, Tensor)", flash_attention_cpu},
    {"aten::_scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0.0, bool is_causal=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor)", efficient_attention},
    {"aten::_scaled_dot_product_cudnn_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0.0, bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor, SymInt, SymInt, Tensor, Tensor, Tensor)", cudnn_attention},
    {"aten::_scaled_dot_product_fused_attention_overrideable(Tensor query, Tensor key, Tensor value, Tensor? attn_bias=None, float dropout_p=0.0, bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor, SymInt, SymInt, Tensor, Tensor, Tensor)", overrideable_attention},
    {"aten::_scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, Tensor? dropout_mask=None, *, float? scale=None, bool enable_gqa=False) -> (Tensor, Tensor)", attention_math},
    {"aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", [](Call& c) { give(c, safe_softmax(c.tensor(0), c.integer(1), c.maybe_dtype(2))); }},
    {"aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)", native_dropout},
    // Copies, conversions, views.
    {"aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor", to_copy},
    {"aten::to.device(Tensor self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor", to_device},
    {"aten::contiguous(Tensor self, *, MemoryFormat memory_format=contiguous_format) -> Tensor", contiguous},
    {"aten::lift_fresh_copy(Tensor self) -> Tensor", cloned},
    {"aten::_reshape_alias(Tensor self, SymInt[] size, SymInt[] stride) -> Tensor", reshape_alias},
    // Sizes and checks.
    {"aten::sym_size.int(Tensor self, int dim) -> SymInt", sym_size},
    {"aten::sym_stride.int(Tensor self, int dim) -> SymInt", sym_stride},
    {"aten::sym_numel(Tensor self) -> SymInt", sym_numel},
    {"aten::numel(Tensor self) -> int", sym_numel},
    {"aten::sym_storage_offset(Tensor self) -> SymInt", sym_storage_offset},
    {"aten::item(Tensor self) -> Scalar", item},
    {"aten::_local_scalar_dense(Tensor self) -> Scalar", item},
    {"aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()", constrain_range},
    {"aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()", constrain_range},
    {"aten::_assert_scalar(Scalar self, str assert_msg) -> ()", assert_scalar},
    {"aten::_assert_async(Tensor self) -> ()", assert_tensor},
    {"aten::_assert_async.msg(Tensor self, str assert_msg) -> ()", assert_tensor},
    {"aten::_functional_assert_async.msg(Tensor self, str assert_msg, Tensor dep_token) -> Tensor", assert_tensor_functional},
    // It guards a conversion, which is an op of its own. Programs may change dtype and device.
    {"aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()", nothing},
    {"aten::_make_dep_token(*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", [](Call& c) { give(c, empty({0})); }},
    // Convolutions, pools, resampling.
    {"aten::_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32=False) -> Tensor", convolution_with_flags},
    {"aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", nearest1<&upsample_nearest1d>},
    {"aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", nearest2<&upsample_nearest2d>},
    {"aten::upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", nearest3<&upsample_nearest3d>},
    {"aten::_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", nearest1<&_upsample_nearest_exact1d>},
    {"aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", nearest2<&_upsample_nearest_exact2d>},
    {"aten::_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", nearest3<&_upsample_nearest_exact3d>},
    {"aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", linear1<&upsample_linear1d>},
    {"aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", linear2<&upsample_bilinear2d>},
    {"aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", linear3<&upsample_trilinear3d>},
    {"aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", linear2<&upsample_bicubic2d>},
    {"aten::_upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", linear2<&_upsample_bilinear2d_aa>},
    {"aten::_upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", linear2<&_upsample_bicubic2d_aa>},
    // Others.
    {"aten::mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2, Tensor weight3, Tensor hx_, Tensor cx_, bool reverse, int[] batch_sizes, int mode, int hidden_size, int num_layers, bool has_biases, bool bidirectional, bool batch_first, bool train) -> (Tensor, Tensor, Tensor, Tensor)", mkldnn_rnn_layer},
    {"aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor, Tensor)", nll_loss_forward},
    {"aten::nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor, Tensor)", nll_loss_forward},
    {"aten::log_sigmoid_forward(Tensor self) -> (Tensor, Tensor)", log_sigmoid_forward},
    {"aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor", [](Call& c) { give(c, where(c.tensor(0).gt(0), c.tensor(0), c.tensor(1) * c.tensor(0))); }},
    {"aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag_of},
    {"aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag_of},
    {"aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor", [](Call& c) { give(c, cdist(c.tensor(0), c.tensor(1), c.real(2))); }},
    {"aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor", fft_of_reals},
    {"aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor", fft_to_reals},
    {"aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor", fft_of_complex},
    {"aten::type_as(Tensor self, Tensor other) -> Tensor", [](Call& c) { give(c, c.tensor(0).to(c.tensor(1).options())); }},
    {"aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor", stable_argsort},
    {"aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor", [](Call& c) { give(c, alpha_dropout(c.tensor(0), c.real(1), c.flag(2))); }},
    // Numbers of Python.
    {"_operator.add", [](Call& c) { arithmetic(c, sum_of, [](double a, double b) { return a + b; }); }},
    {"_operator.sub", [](Call& c) { arithmetic(c, [](int64_t a, int64_t b) { return __builtin_sub_overflow(a, b, &a) ? overflow(), a : a; }, [](double a, double b) { return a - b; }); }},
    {"_operator.mul", [](Call& c) { arithmetic(c, product_of, [](double a, double b) { return a * b; }); }},
    {"_operator.floordiv", [](Call& c) { arithmetic(c, floor_quotient, [](double a, double b) { return std::floor(a / b); }); }},
    {"_operator.mod", [](Call& c) { arithmetic(c, [](int64_t a, int64_t b) { return b == -1 ? 0 : a - floor_quotient(a, b) * b; }, [](double a, double b) { return a - std::floor(a / b) * b; }); }},
    {"_operator.truediv", [](Call& c) { give(c, {number(c, 0).toDouble() / number(c, 1).toDouble()}); }},
    {"_operator.pow", [](Call& c) { arithmetic(c, power_of, [](double a, double b) { return std::pow(a, b); }); }},
    {"_operator.neg", [](Call& c) { give(c, {IValue(-number(c, 0))}); }},
    {"_operator.pos", [](Call& c) { give(c, {IValue(number(c, 0))}); }},
    {"_operator.eq", [](Call& c) { compared(c, [](bool, bool equal) { return equal; }); }},
    {"_operator.ne", [](Call& c) { compared(c, [](bool, bool equal) { return !equal; }); }},
    {"_operator.lt", [](Call& c) { compared(c, [](bool less, bool) { return less; }); }},
    {"_operator.le", [](Call& c) { compared(c, [](bool less, bool equal) { return less || equal; }); }},
    {"_operator.gt", [](Call& c) { compared(c, [](bool less, bool equal) { return !less && !equal; }); }},
    {"_operator.ge", [](Call& c) { compared(c, [](bool less, bool) { return !less; }); }},
    {"_operator.and_", [](Call& c) { give(c, {number(c, 0).toBool() && number(c, 1).toBool()}); }},
    {"_operator.or_", [](Call& c) { give(c, {number(c, 0).toBool() || number(c, 1).toBool()}); }},
    {"_operator.getitem", [](Call& c) { give(c, {c[0].isTuple() ? c[0].toTupleRef().elements().at(static_cast<size_t>(c.integer(1))) : c[0].toList().get(static_cast<size_t>(c.integer(1)))}); }},
    {"math.trunc", [](Call& c) { rounded(c, std::trunc); }},
    {"math.floor", [](Call& c) { rounded(c, std::floor); }},
    {"math.ceil", [](Call& c) { rounded(c, std::ceil); }},
    {"torch.sym_int", [](Call& c) { rounded(c, std::trunc); }},
    {"torch.sym_float", [](Call& c) { give(c, {number(c, 0).toDouble()}); }},
    {"torch.sym_not", [](Call& c) { give(c, {!number(c, 0).toBool()}); }},
    {"torch.sym_max", [](Call& c) { arithmetic(c, [](int64_t a, int64_t b) { return std::max(a, b); }, [](double a, double b) { return std::max(a, b); }); }},
    {"torch.sym_min", [](Call& c) { arithmetic(c, [](int64_t a, int64_t b) { return std::min(a, b); }, [](double a, double b) { return std::min(a, b); }); }},
    {"torch.sym_ite", [](Call& c) { give(c, {number(c, 0).toBool() ? c[1] : c[2]}); }},
    {"torch.sym_sum", python_sum},
    {"torch._sym_sqrt", [](Call& c) { give(c, {std::sqrt(number(c, 0).toDouble())}); }},
    {"torch.sym_sqrt", [](Call& c) { give(c, {std::sqrt(number(c, 0).toDouble())}); }},
};
// clang-format on

}  // namespace

std::string other_name(const std::string& name) {
  for (const auto& [theirs, ours] : kOtherNames)
    if (theirs == name) return ours;
  // A copy of a view is needed only if something changes it. Graphs with such ops change nothing.
  const size_t copy = name.find("_copy"), end = copy + 5;
  if (copy != std::string::npos && (end == name.size() || name[end] == '.'))
    return name.substr(0, copy) + name.substr(end);
  // PyTorch's functional forms of in-place ops are Taper's own.
  return name.compare(0, 6, "aten::") == 0 ? "taper" + name.substr(4) : name;
}

const Adapter* find_adapter(const std::string& name) {
  static const auto* const adapters = [] {
    auto* all = new std::unordered_map<std::string_view, const Adapter*>;
    for (const Adapter& a : kAdapters) {
      const std::string_view schema = a.schema;
      all->emplace(schema.substr(0, schema.find('(')), &a);
    }
    return all;
  }();
  const auto at = adapters->find(name);
  return at == adapters->end() ? nullptr : at->second;
}

}  // namespace torch::taper::program
