// The table of ops: types, signatures, casts, and the rows that CMake makes of the declarations.
#include <algorithm>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/options.h>
#include <taper/framework/random/generator.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/fft/fft.h>
#include <taper/ops/index/index.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/nn/linear_relu.h>
#include <taper/ops/nn/nn.h>
#include <taper/ops/random/random.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/sequence/sequence.h>
#include <taper/ops/shared/op_row.h>
#include <taper/ops/shared/shared.h>
#include <taper/ops/spatial/conv/conv_relu_pool.h>
#include <taper/ops/spatial/spatial.h>
#include <taper/ops/tensor/tensor.h>

// ---------------------------------------------------------------------- casts
namespace torch::taper::detail {
namespace {

struct CastRule {
  std::string_view op;
  CastTo cpu, cuda;
};

// PyTorch 2.15's lists for CPU and CUDA, under its names of ops. linalg_x and fft_x stand for x in
// the namespace linalg or fft. Recurrent layers and cells are cast as a whole. PyTorch's CPU casts
// the products inside gru, gru_cell and lstm_cell, and leaves the states in f32.
inline constexpr auto kAsIs = CastTo::kAsIs, kParts = CastTo::kParts, kLower = CastTo::kLower,
                      kToFloat = CastTo::kFloat, kSumFloat = CastTo::kSumFloat,
                      kWidest = CastTo::kWidest, kWide = CastTo::kWide;
// clang-format off
inline constexpr CastRule kCastRules[] = {
    // Products, convolutions, attention, recurrent layers.
    {"addbmm", kLower, kLower},           {"addmm", kLower, kLower},            {"baddbmm", kLower, kLower},
    {"bmm", kLower, kLower},              {"linalg_vecdot", kLower, kLower},    {"linear", kLower, kLower},
    {"matmul", kLower, kLower},           {"mm", kLower, kLower},               {"prelu", kLower, kLower},
    {"conv1d", kLower, kLower},           {"conv2d", kLower, kLower},           {"conv3d", kLower, kLower},
    {"conv_tbc", kLower, kLower},         {"conv_transpose1d", kLower, kLower}, {"conv_transpose2d", kLower, kLower},
    {"conv_transpose3d", kLower, kLower}, {"scaled_dot_product_attention", kLower, kLower},
    {"lstm", kLower, kLower},             {"rnn_tanh", kLower, kLower},         {"rnn_relu", kLower, kLower},
    {"rnn_tanh_cell", kLower, kLower},    {"rnn_relu_cell", kLower, kLower},
    {"_addmm_activation", kLower, kAsIs},
    {"linear_relu", kLower, kLower},      {"conv_relu_max_pool", kLower, kLower},
    {"addmv", kAsIs, kLower},             {"addr", kAsIs, kLower},              {"chain_matmul", kParts, kLower},
    {"convolution", kAsIs, kLower},       {"einsum", kParts, kLower},            {"linalg_multi_dot", kParts, kLower},
    {"mv", kAsIs, kLower},                {"gru", kWidest, kLower},             {"gru_cell", kWidest, kLower},
    {"lstm_cell", kWidest, kLower},
    // Losses.
    {"binary_cross_entropy", kWide, CastTo::kForbidden},
    {"binary_cross_entropy_with_logits", kWide, kWide},
    {"cosine_embedding_loss", kToFloat, kToFloat}, {"hinge_embedding_loss", kToFloat, kToFloat},
    {"huber_loss", kWide, kWide},            {"kl_div", kToFloat, kToFloat},
    {"l1_loss", kToFloat, kToFloat},               {"margin_ranking_loss", kToFloat, kToFloat},
    {"mse_loss", kWide, kWide},              {"multi_margin_loss", kToFloat, kToFloat},
    {"multilabel_margin_loss", kToFloat, kToFloat}, {"nll_loss", kWide, kWide},
    {"nll_loss2d", kWide, kWide},            {"poisson_nll_loss", kToFloat, kToFloat},
    {"smooth_l1_loss", kWide, kWide},        {"soft_margin_loss", kToFloat, kToFloat},
    {"triplet_margin_loss", kToFloat, kToFloat},
    {"cross_entropy_loss", kWide, kWide},       {"ctc_loss", kToFloat, kAsIs},
    // Exponentials, norms, distances, resampling.
    {"acos", kAsIs, kToFloat},       {"asin", kAsIs, kToFloat},         {"cosh", kAsIs, kToFloat},
    {"erfinv", kAsIs, kToFloat},     {"exp", kAsIs, kToFloat},          {"expm1", kAsIs, kToFloat},
    {"log", kAsIs, kToFloat},        {"log10", kAsIs, kToFloat},        {"log1p", kAsIs, kToFloat},
    {"log2", kAsIs, kToFloat},       {"pow", kAsIs, kToFloat},          {"reciprocal", kAsIs, kToFloat},
    {"rsqrt", kAsIs, kToFloat},      {"sinh", kAsIs, kToFloat},         {"softplus", kAsIs, kToFloat},
    {"square", kAsIs, kToFloat},     {"tan", kAsIs, kToFloat},
    {"group_norm", kAsIs, kToFloat},   {"layer_norm", kAsIs, kToFloat},
    {"rms_norm", kAsIs, kToFloat},   {"frobenius_norm", kAsIs, kToFloat}, {"norm", kAsIs, kToFloat},
    {"nuclear_norm", kAsIs, kToFloat}, {"renorm", kAsIs, kToFloat},     {"logsumexp", kAsIs, kToFloat},
    {"cdist", kToFloat, kToFloat},   {"dist", kAsIs, kToFloat},         {"pdist", kAsIs, kToFloat},
    {"cosine_similarity", kAsIs, kToFloat},
    {"_upsample_bicubic2d_aa", kAsIs, kToFloat},   {"_upsample_bilinear2d_aa", kAsIs, kToFloat},
    {"_upsample_nearest_exact1d", kAsIs, kToFloat}, {"_upsample_nearest_exact2d", kAsIs, kToFloat},
    {"_upsample_nearest_exact3d", kAsIs, kToFloat}, {"upsample_bicubic2d", kAsIs, kToFloat},
    {"upsample_bilinear2d", kAsIs, kToFloat},      {"upsample_linear1d", kAsIs, kToFloat},
    {"upsample_nearest1d", kAsIs, kToFloat},       {"upsample_nearest2d", kAsIs, kToFloat},
    {"upsample_nearest3d", kAsIs, kToFloat},       {"upsample_trilinear3d", kAsIs, kToFloat},
    // Sums and products of elements, softmax.
    {"prod", kToFloat, kSumFloat},   {"sum", kAsIs, kSumFloat},         {"cumprod", kAsIs, kSumFloat},
    {"cumsum", kAsIs, kSumFloat},    {"softmax", kAsIs, kSumFloat},     {"log_softmax", kAsIs, kSumFloat},
    {"linalg_matrix_norm", kAsIs, kSumFloat},      {"linalg_vector_norm", kAsIs, kSumFloat},
    // Missing in PyTorch's lists. Here these are composed of ops in the lists.
    {"linalg_matrix_exp", kAsIs, kAsIs},
    // Operands must agree.
    {"addcdiv", kAsIs, kWidest},     {"addcmul", kAsIs, kWidest},       {"atan2", kAsIs, kWidest},
    {"bilinear", kAsIs, kWidest},    {"cross", kAsIs, kWidest},         {"dot", kAsIs, kWidest},
    {"index_put", kAsIs, kWidest},   {"scatter_add", kAsIs, kWidest},   {"tensordot", kParts, kWidest},
    {"vdot", kAsIs, kWidest},        {"grid_sampler", kToFloat, kWidest},
    {"cat", kWidest, kAsIs},         {"index_copy", kWidest, kAsIs},    {"stack", kWidest, kAsIs},
    // PyTorch's CPU computes, or computed, these only in f32.
    {"adaptive_avg_pool3d", kToFloat, kAsIs},      {"adaptive_max_pool3d", kToFloat, kAsIs},
    {"avg_pool3d", kToFloat, kAsIs},               {"fractional_max_pool2d", kToFloat, kAsIs},
    {"fractional_max_pool3d", kToFloat, kAsIs},    {"grid_sampler_2d", kToFloat, kAsIs},
    {"grid_sampler_3d", kToFloat, kAsIs},          {"max_pool3d", kToFloat, kAsIs},
    {"max_unpool2d", kToFloat, kAsIs},             {"max_unpool3d", kToFloat, kAsIs},
    {"reflection_pad1d", kToFloat, kAsIs},         {"reflection_pad2d", kToFloat, kAsIs},
    {"replication_pad1d", kToFloat, kAsIs},        {"replication_pad2d", kToFloat, kAsIs},
    {"replication_pad3d", kToFloat, kAsIs},        {"polar", kToFloat, kAsIs},
    {"quantile", kToFloat, kAsIs},                 {"nanquantile", kToFloat, kAsIs},
    {"stft", kToFloat, kAsIs},                     {"trace", kToFloat, kAsIs},
    {"view_as_complex", kToFloat, kAsIs},
    {"fft_fft", kToFloat, kAsIs},    {"fft_fftn", kToFloat, kAsIs},     {"fft_hfft", kToFloat, kAsIs},
    {"fft_ifft", kToFloat, kAsIs},   {"fft_ifftn", kToFloat, kAsIs},    {"fft_ihfft", kToFloat, kAsIs},
    {"fft_irfft", kToFloat, kAsIs},  {"fft_irfftn", kToFloat, kAsIs},   {"fft_rfft", kToFloat, kAsIs},
    {"fft_rfftn", kToFloat, kAsIs},
    {"cholesky_inverse", kToFloat, kAsIs},         {"cholesky_solve", kToFloat, kAsIs},
    {"geqrf", kToFloat, kAsIs},      {"inverse", kToFloat, kAsIs},      {"lu_solve", kToFloat, kAsIs},
    {"orgqr", kToFloat, kAsIs},      {"ormqr", kToFloat, kAsIs},        {"pinverse", kToFloat, kAsIs},
    {"svd", kToFloat, kAsIs},        {"triangular_solve", kToFloat, kAsIs},
    {"linalg_cholesky", kToFloat, kAsIs},          {"linalg_cholesky_ex", kToFloat, kAsIs},
    {"linalg_cond", kToFloat, kAsIs},              {"linalg_eig", kToFloat, kAsIs},
    {"linalg_eigh", kToFloat, kAsIs},              {"linalg_eigvals", kToFloat, kAsIs},
    {"linalg_eigvalsh", kToFloat, kAsIs},          {"linalg_householder_product", kToFloat, kAsIs},
    {"linalg_inv", kToFloat, kAsIs},               {"linalg_inv_ex", kToFloat, kAsIs},
    {"linalg_lstsq", kToFloat, kAsIs},             {"linalg_matrix_rank", kToFloat, kAsIs},
    {"linalg_qr", kToFloat, kAsIs},                {"linalg_solve", kToFloat, kAsIs},
    {"linalg_svd", kToFloat, kAsIs},               {"linalg_svdvals", kToFloat, kAsIs},
    {"linalg_tensorinv", kToFloat, kAsIs},         {"linalg_tensorsolve", kToFloat, kAsIs},
};
// clang-format on

/// Returns the row of an op in kCastRules. Other ops leave the casts to their parts.
constexpr CastRule cast_rule(std::string_view op) {
  for (const CastRule& rule : kCastRules)
    if (rule.op == op) return rule;
  return {op, CastTo::kParts, CastTo::kParts};
}

// ---------------------------------------------------------------------- types
template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<optional<T>> = true;
template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<ArrayRef<T>> = true;
template <class T>
constexpr bool kIsTuple = false;
template <class... T>
constexpr bool kIsTuple<std::tuple<T...>> = true;

IValue box(const Tensor& v) { return v.defined() ? IValue(v) : IValue(); }
IValue box(const Scalar& v) { return v; }
IValue box(int64_t v) { return v; }
IValue box(bool v) { return v; }
IValue box(double v) { return v; }
IValue box(std::string_view v) { return std::string(v); }
IValue box(ScalarType v) { return v; }
IValue box(MemoryFormat v) { return static_cast<int64_t>(v); }
IValue box(const Generator&) {
  throw NotImplementedError("an op's generator is no value; ask for it with get()");
}
IValue box(const OptionalIntArrayRef& v) { return v ? IValue(*v) : IValue(); }
IValue box(const TensorOptions& v) {
  return ivalue::Tuple::create({v.has_dtype() ? IValue(v.scalar_type()) : IValue(), IValue(),
                                v.has_device() ? IValue(v.device()) : IValue(),
                                v.pinned_memory() ? IValue(true) : IValue()});
}
IValue box(const IntArrayRef& v) { return v; }
IValue box(const ArrayRef<double>& v) { return v.vec(); }
IValue box(const TensorList& v) { return v; }
IValue box(const std::vector<Tensor>& v) { return v; }
template <class T>
IValue box_each(const T& list) {
  std::vector<IValue> all;
  for (const auto& v : list) all.push_back(v);
  return GenericList(std::move(all));
}
IValue box(const ArrayRef<Scalar>& v) { return box_each(v); }
IValue box(const std::vector<optional<Tensor>>& v) { return box_each(v); }
template <class T>
IValue box(const optional<T>& v) {
  return v ? box(*v) : IValue();
}
template <class... T>
IValue box(const std::tuple<T...>& v) {
  return std::apply([](const T&... each) { return IValue(ivalue::Tuple::create({box(each)...})); },
                    v);
}

template <class T>
T unbox(const IValue& v) {
  if constexpr (kIsOptional<T>)
    return v.isNone() ? T() : T(unbox<typename T::value_type>(v));
  else if constexpr (std::is_same_v<T, Tensor>)
    return v.isNone() ? Tensor() : v.toTensor();
  else if constexpr (std::is_same_v<T, Scalar>)
    return v.toScalar();
  else if constexpr (std::is_same_v<T, double>)
    return v.toScalar().toDouble();
  else if constexpr (std::is_same_v<T, MemoryFormat>)
    return static_cast<MemoryFormat>(v.toInt());
  else if constexpr (std::is_same_v<T, Generator>)
    throw NotImplementedError("a value holds no generator");
  else if constexpr (kIsTuple<T>) {
    const std::vector<IValue>& all = v.toTupleRef().elements();
    TAPER_CHECK(all.size() == std::tuple_size_v<T>, "expected a tuple of ", std::tuple_size_v<T>,
                " values, got ", all.size());
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return T(unbox<std::tuple_element_t<I, T>>(all[I])...);
    }
    (std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    return v.to<T>();
  }
}

/// A value, with what it refers to. The value comes first, so that both have one address.
template <class T>
struct Kept {
  T value;
  explicit Kept(const IValue& v) : value(unbox<T>(v)) {}
};
template <class T>
struct Kept<ArrayRef<T>> {
  ArrayRef<T> value;
  std::vector<T> all;
  explicit Kept(const IValue& v) : all(unbox<std::vector<T>>(v)) { value = all; }
};
template <class T>
struct Kept<optional<ArrayRef<T>>> {
  optional<ArrayRef<T>> value;
  std::vector<T> all;
  explicit Kept(const IValue& v) {
    if (!v.isNone()) value = all = unbox<std::vector<T>>(v);
  }
};
template <>
struct Kept<OptionalIntArrayRef> {
  OptionalIntArrayRef value;
  std::vector<int64_t> all;
  explicit Kept(const IValue& v) {
    if (!v.isNone()) value = all = v.toIntVector();
  }
};
template <>
struct Kept<std::string_view> {
  std::string_view value;
  std::string all;
  explicit Kept(const IValue& v) : all(v.toStringRef()) { value = all; }
};
template <>
struct Kept<optional<std::string_view>> {
  optional<std::string_view> value;
  std::string all;
  explicit Kept(const IValue& v) {
    if (!v.isNone()) value = all = v.toStringRef();
  }
};
template <>
struct Kept<TensorOptions> {
  TensorOptions value;
  explicit Kept(const IValue& v) {
    const std::vector<IValue>& all = v.toTupleRef().elements();
    TAPER_CHECK(all.size() == 4, "TensorOptions: expected dtype, layout, device and pin_memory");
    if (!all[0].isNone()) value = value.dtype(static_cast<ScalarType>(all[0].toInt()));
    if (!all[2].isNone()) value = value.device(all[2].toDevice());
    if (!all[3].isNone()) value = value.pinned_memory(all[3].toBool());
  }
};

void add_tensors(const Tensor& v, std::vector<Tensor>& all) {
  if (v.defined()) all.push_back(v);
}
template <class T>
void add_tensors(const T& v, std::vector<Tensor>& all);
template <class T>
void add_each(const T& list, std::vector<Tensor>& all) {
  for (const auto& v : list) add_tensors(v, all);
}
template <class T>
void add_tensors(const T& v, std::vector<Tensor>& all) {
  if constexpr (std::is_same_v<T, optional<Tensor>>) {
    if (v) add_tensors(*v, all);
  } else if constexpr (std::is_same_v<T, TensorList> || std::is_same_v<T, std::vector<Tensor>> ||
                       std::is_same_v<T, std::vector<optional<Tensor>>>) {
    add_each(v, all);
  } else if constexpr (kIsTuple<T>) {
    std::apply([&](const auto&... each) { (add_tensors(each, all), ...); }, v);
  }
}

template <class T>
constexpr CastAs cast_as() {
  return std::is_same_v<T, Tensor>                 ? CastAs::kTensor
         : std::is_same_v<T, optional<Tensor>>     ? CastAs::kOptionalTensor
         : std::is_same_v<T, TensorList>           ? CastAs::kTensors
         : std::is_same_v<T, optional<ScalarType>> ? CastAs::kDtype
                                                   : CastAs::kNothing;
}
template <class T>
constexpr OpType kType{
    ArgumentTypes::number_of<T>(),
    cast_as<T>(),
    [](const void* v) { return box(*static_cast<const T*>(v)); },
    [](const IValue& v) -> void* { return new Kept<T>(v); },
    [](void* v) { delete static_cast<Kept<T>*>(v); },
    [](const void* v, std::vector<Tensor>& all) { add_tensors(*static_cast<const T*>(v), all); }};
// Results are made by ops and by unbox().
template <class T>
constexpr OpType kResult{
    ArgumentTypes::number_of<T>(),
    CastAs::kNothing,
    [](const void* v) { return box(*static_cast<const T*>(v)); },
    [](const IValue& v) -> void* { return new T(unbox<T>(v)); },
    [](void* v) { delete static_cast<T*>(v); },
    [](const void* v, std::vector<Tensor>& all) { add_tensors(*static_cast<const T*>(v), all); }};

// ---------------------------------------------------------------------- signatures
template <class T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;

/// How many of its arguments a function returns.
template <class R>
constexpr uint8_t kReturned = std::is_reference_v<R>;
template <class... T>
constexpr uint8_t kReturned<std::tuple<T&...>> = sizeof...(T);

char called;  // its address says that an op was called

template <class Signature>
struct CallerOf;
template <class R, class... A>
struct CallerOf<R(A...)> {
  static constexpr const OpType* types[] = {&kType<Bare<A>>...};
  static constexpr bool kReturns = kReturned<R> == 0 && !std::is_void_v<R>;

  template <size_t... I>
  static R pass(const void* function, const void* const* a, std::index_sequence<I...>) {
    // In-place and out forms take references to tensors that their callers may change.
    return (*static_cast<R (*const*)(A...)>(function))(
        *static_cast<Bare<A>*>(const_cast<void*>(a[I]))...);
  }
  static void* call(const void* function, const void* const* a) {
    constexpr std::index_sequence_for<A...> all;
    if constexpr (kReturns) {
      return new R(pass(function, a, all));
    } else {
      pass(function, a, all);
      return &called;
    }
  }
  static constexpr const OpType* result() {
    if constexpr (kReturns)
      return &kResult<R>;
    else
      return nullptr;
  }
  static constexpr OpCaller caller{types, result(), sizeof...(A), kReturned<R>, &call};
};
// ---------------------------------------------------------------------- calls with values
constexpr size_t kOptions = 4;  // values for TensorOptions: dtype, layout, device, pin_memory
bool is_options(const OpType* type) { return type == &kType<TensorOptions>; }

/// The arguments of a call, made of values.
class Unboxed {
 public:
  Unboxed(const OpInfo& op, const IValue* values) : caller_(*op.caller) {
    // Results come last in a schema, and first in C++.
    const size_t outs = op.is(OpTrait::kOut) ? caller_.returned : 0;
    kept_.resize(caller_.size);
    for (size_t i = 0; i < caller_.size; ++i) {
      const size_t at = i < caller_.size - outs ? i + outs : i + outs - caller_.size;
      const bool packed = is_options(caller_.types[at]);
      kept_[at] = caller_.types[at]->unbox(
          packed ? ivalue::Tuple::create(std::vector<IValue>(values, values + kOptions)) : *values);
      values += packed ? kOptions : 1;
    }
  }
  ~Unboxed() {
    for (size_t i = 0; i < kept_.size(); ++i)
      if (kept_[i]) caller_.types[i]->destroy(kept_[i]);
  }
  Unboxed(const Unboxed&) = delete;
  Unboxed& operator=(const Unboxed&) = delete;
  const void* const* arguments() const { return kept_.data(); }

 private:
  const OpCaller& caller_;
  std::vector<void*> kept_;
};

size_t count_of_values(const OpCaller& caller) {
  size_t count = caller.size;
  for (size_t i = 0; i < caller.size; ++i)
    if (is_options(caller.types[i])) count += kOptions - 1;
  return count;
}
/// Appends the parts of a tuple, or one value.
void push(std::vector<IValue>& stack, const IValue& value) {
  if (!value.isTuple()) return stack.push_back(value);
  for (const IValue& part : value.toTupleRef().elements()) stack.push_back(part);
}

void call_values(const OpInfo& op, std::vector<IValue>& stack) {
  const OpCaller& caller = *op.caller;
  const size_t count = count_of_values(caller);
  TAPER_CHECK(stack.size() >= count, op.name, ": expected ", count, " values, got ", stack.size());
  const Unboxed given(op, stack.data() + stack.size() - count);
  void* const result = caller.call(op.function, given.arguments());
  stack.resize(stack.size() - count);
  if (caller.result) {
    push(stack, caller.result->box(result));
    caller.result->destroy(result);
  }
  for (size_t i = 0; i < caller.returned; ++i)
    stack.push_back(caller.types[i]->box(given.arguments()[i]));
}

template <class Signature, Signature* f>
constexpr Signature* kFunction = f;

template <class Signature, Signature* f>
constexpr OpInfo make_row(const char* name, const char* schema, int traits, int linear_in) {
  CastRule rule = cast_rule(name);
  const OpCaller& caller = CallerOf<Signature>::caller;
  // Without a dtype to set, the op that it calls is cast.
  const bool has_dtype = std::any_of(caller.types, caller.types + caller.size,
                                     [](const OpType* t) { return t->cast == CastAs::kDtype; });
  if (!has_dtype && rule.cpu == CastTo::kSumFloat) rule.cpu = CastTo::kParts;
  if (!has_dtype && rule.cuda == CastTo::kSumFloat) rule.cuda = CastTo::kParts;
  return {name,
          schema,
          static_cast<uint16_t>(traits),
          static_cast<uint16_t>(linear_in),
          &caller,
          &kFunction<Signature, f>,
          &call_values,
          static_cast<uint8_t>(rule.cpu),
          static_cast<uint8_t>(rule.cuda)};
}

}  // namespace

#include <taper/generated/op_table.inc>

}  // namespace torch::taper::detail

namespace torch::taper {

const std::vector<const OpInfo*>& all_ops() {
  static const std::vector<const OpInfo*> all(std::begin(detail::kRows), std::end(detail::kRows));
  return all;
}

}  // namespace torch::taper
