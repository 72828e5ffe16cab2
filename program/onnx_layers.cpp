// Translations of layers: products with weights, convolutions, pools, norms, attention, recurrence.
#include <algorithm>
#include <cmath>
#include <limits>

#include <taper/program/onnx_graph.h>

namespace torch::taper::program {
namespace {

// ---------------------------------------------------------------------- products
void linear(OnnxCall& c) {
  const std::string x = c.tensor("input"), w = c.tensor("weight"), b = c.tensor("bias");
  if (c.rank("input") == 2 && c.rank("weight") == 2)
    return c.set(c.graph().add("Gemm", {x, w, b}, {{"transB", int64_t{1}}}));
  c.require(c.rank("weight") == 2, "a weight without columns");
  const std::string y = c.graph().add("MatMul", {x, c.graph().transpose(w, {1, 0})});
  c.set(b.empty() ? y : c.graph().add("Add", {y, b}));
}

// ---------------------------------------------------------------------- spatial
size_t spatial_dims(OnnxCall& c, std::string_view weight) {
  return static_cast<size_t>(c.rank(weight)) - 2;
}

Ints twice(const Ints& padding) {
  Ints both = padding;
  both.insert(both.end(), padding.begin(), padding.end());
  return both;
}

/// Adds an operator of a batch. An input without batch gets one of size 1.
Names add_batched(OnnxCall& c, const std::string& op, std::string_view input, size_t spatial,
                  Names others, size_t count, OnnxAttributes attributes) {
  const bool is_single = static_cast<size_t>(c.rank(input)) == spatial + 1;
  const std::string x = c.tensor(input);
  others.insert(others.begin(), is_single ? c.graph().unsqueeze(x, {0}) : x);
  Names y = c.graph().add_many(op, std::move(others), count, std::move(attributes));
  if (is_single)
    for (std::string& each : y) each = c.graph().squeeze(each, {0});
  return y;
}

/// Returns the padding of a convolution: numbers, "valid" or "same".
Ints conv_padding(OnnxCall& c, size_t dims) {
  const std::string text = c.text("padding");
  if (text.empty()) return twice(c.integers("padding", dims));
  Ints begin(dims, 0), end(dims, 0);
  const Ints dilation = c.integers("dilation", dims);
  for (size_t d = 0; d < dims && text == "same"; ++d) {
    const int64_t all = dilation[d] * (c.fixed_size("weight", static_cast<int64_t>(d) + 2) - 1);
    begin[d] = all / 2;
    end[d] = all - all / 2;
  }
  begin.insert(begin.end(), end.begin(), end.end());
  return begin;
}

void conv_with(OnnxCall& c, bool is_transposed) {
  const size_t dims = spatial_dims(c, "weight");
  OnnxAttributes attributes = {{"strides", c.integers("stride", dims)},
                               {"pads", conv_padding(c, dims)},
                               {"dilations", c.integers("dilation", dims)},
                               {"group", c.integer("groups")}};
  if (is_transposed) attributes.push_back({"output_padding", c.integers("output_padding", dims)});
  c.set(add_batched(c, is_transposed ? "ConvTranspose" : "Conv", "input", dims,
                    {c.tensor("weight"), c.tensor("bias")}, 1, std::move(attributes)));
}
void conv(OnnxCall& c) { conv_with(c, false); }
void conv_transpose(OnnxCall& c) { conv_with(c, true); }
void convolution(OnnxCall& c) { conv_with(c, c.flag("transposed")); }

OnnxAttributes pool_attributes(OnnxCall& c, size_t dims) {
  const Ints kernel = c.integers("kernel_size", dims), stride = c.integers("stride", dims);
  return {{"kernel_shape", kernel},
          {"strides", stride.empty() ? kernel : stride},
          {"pads", twice(c.integers("padding", dims))},
          {"ceil_mode", int64_t{c.flag("ceil_mode")}}};
}
void max_pool(OnnxCall& c, size_t dims) {
  OnnxAttributes attributes = pool_attributes(c, dims);
  attributes.push_back({"dilations", c.integers("dilation", dims)});
  c.set(add_batched(c, "MaxPool", "self", dims, {}, 1, std::move(attributes)));
}
void max_pool1d(OnnxCall& c) { max_pool(c, 1); }
void max_pool2d(OnnxCall& c) { max_pool(c, 2); }
void max_pool3d(OnnxCall& c) { max_pool(c, 3); }
void avg_pool(OnnxCall& c, size_t dims) {
  c.require(!c.has("divisor_override"), "divisor_override");
  OnnxAttributes attributes = pool_attributes(c, dims);
  attributes.push_back({"count_include_pad", int64_t{c.flag("count_include_pad")}});
  c.set(add_batched(c, "AveragePool", "self", dims, {}, 1, std::move(attributes)));
}
void avg_pool1d(OnnxCall& c) { avg_pool(c, 1); }
void avg_pool2d(OnnxCall& c) { avg_pool(c, 2); }
void avg_pool3d(OnnxCall& c) { avg_pool(c, 3); }

/// A pool with a given output: of everything, or with windows of one size.
void adaptive_pool(OnnxCall& c, size_t dims, const char* op) {
  Ints wanted = c.integers("output_size", dims), kernel;
  if (std::all_of(wanted.begin(), wanted.end(), [](int64_t n) { return n == 1; }))
    return c.set(add_batched(c, std::string("Global") + op, "self", dims, {}, 1, {}));
  for (size_t d = 0; d < dims; ++d) {
    const int64_t size = c.fixed_size("self", c.rank("self") - static_cast<int64_t>(dims - d));
    c.require(wanted[d] > 0 && size % wanted[d] == 0, "windows of several sizes");
    kernel.push_back(size / wanted[d]);
  }
  c.set(add_batched(c, op, "self", dims, {}, 1, {{"kernel_shape", kernel}, {"strides", kernel}}));
}
void adaptive_avg_pool1d(OnnxCall& c) { adaptive_pool(c, 1, "AveragePool"); }
void adaptive_avg_pool2d(OnnxCall& c) { adaptive_pool(c, 2, "AveragePool"); }
void adaptive_avg_pool3d(OnnxCall& c) { adaptive_pool(c, 3, "AveragePool"); }
void adaptive_max_pool1d(OnnxCall& c) { adaptive_pool(c, 1, "MaxPool"); }
void adaptive_max_pool2d(OnnxCall& c) { adaptive_pool(c, 2, "MaxPool"); }
void adaptive_max_pool3d(OnnxCall& c) { adaptive_pool(c, 3, "MaxPool"); }

/// Resizes the spatial dimensions to `output_size`.
void resize(OnnxCall& c, const char* mode, bool is_nearest) {
  const std::string x = c.tensor("self");
  const std::string sizes = c.graph().add(
      "Concat", {c.graph().shape(x, 0, 2), c.size_list("output_size")}, {{"axis", int64_t{0}}});
  OnnxAttributes attributes = {{"mode", std::string(mode)}};
  const std::string corners = is_nearest                ? "asymmetric"
                              : c.flag("align_corners") ? "align_corners"
                                                        : "pytorch_half_pixel";
  attributes.push_back({"coordinate_transformation_mode", corners});
  if (is_nearest) attributes.push_back({"nearest_mode", std::string("floor")});
  if (std::string(mode) == "cubic") attributes.push_back({"cubic_coeff_a", -0.75f});
  c.set(c.graph().add("Resize", {x, "", "", sizes}, std::move(attributes)));
}
void upsample_nearest(OnnxCall& c) { resize(c, "nearest", true); }
void upsample_linear(OnnxCall& c) { resize(c, "linear", false); }
void upsample_cubic(OnnxCall& c) { resize(c, "cubic", false); }

void pixel_shuffle(OnnxCall& c) {
  c.require(c.rank("self") == 4, "other than 4 dimensions");
  c.set(c.graph().add("DepthToSpace", {c.tensor("self")},
                      {{"blocksize", c.integer("upscale_factor")}, {"mode", std::string("CRD")}}));
}

/// PyTorch counts from the last dimension: begin, end, begin, end.
std::string onnx_pads(OnnxCall& c, const Ints& pads) {
  const auto rank = static_cast<size_t>(c.rank("self"));
  Ints all(2 * rank, 0);
  for (size_t i = 0; i < pads.size(); ++i) all[(i % 2) * rank + rank - 1 - i / 2] = pads[i];
  return c.graph().ints(all);
}
void pad_with(OnnxCall& c, const std::string& mode, const std::string& value) {
  c.set(c.graph().add(
      "Pad", {c.tensor("self"), onnx_pads(c, c.integers(c.has("pad") ? "pad" : "padding")), value},
      {{"mode", mode}}));
}
void constant_pad(OnnxCall& c) {
  pad_with(c, "constant",
           c.graph().number(c.has("value") ? c.number("value") : 0, c.result_dtype()));
}
void pad(OnnxCall& c) {
  const std::string mode = c.text("mode");
  if (mode == "constant" || mode.empty()) return constant_pad(c);
  pad_with(c, mode == "replicate" ? "edge" : mode == "circular" ? "wrap" : mode, "");
}
void reflection_pad(OnnxCall& c) { pad_with(c, "reflect", ""); }
void replication_pad(OnnxCall& c) { pad_with(c, "edge", ""); }

// ---------------------------------------------------------------------- norms
/// Returns a tensor argument, or a constant of its size.
std::string or_constant(OnnxCall& c, std::string_view name, double value, const Ints& sizes) {
  return c.has(name) ? c.tensor(name) : c.graph().full(value, c.meta("input").dtype, sizes);
}

void batch_norm(OnnxCall& c) {
  c.require(!c.flag("training") && c.has("running_mean"),
            "training mode; call eval() before export_program");
  const Ints channels = {c.fixed_size("running_mean", 0)};
  c.set(c.graph().add(
      "BatchNormalization",
      {c.tensor("input"), or_constant(c, "weight", 1, channels),
       or_constant(c, "bias", 0, channels), c.tensor("running_mean"), c.tensor("running_var")},
      {{"epsilon", static_cast<float>(c.number("eps"))}}));
}
void instance_norm(OnnxCall& c) {
  c.require(c.flag("use_input_stats"), "running statistics");
  const Ints channels = {c.fixed_size("input", 1)};
  c.set(c.graph().add("InstanceNormalization",
                      {c.tensor("input"), or_constant(c, "weight", 1, channels),
                       or_constant(c, "bias", 0, channels)},
                      {{"epsilon", static_cast<float>(c.number("eps"))}}));
}
/// Each group is one channel of an InstanceNormalization.
void group_norm(OnnxCall& c) {
  const int64_t groups = c.integer("num_groups");
  const std::string x = c.tensor("input");
  const std::string grouped = c.graph().add("Reshape", {x, c.graph().ints({0, groups, -1})});
  const std::string normal = c.graph().add("InstanceNormalization",
                                           {grouped, c.graph().full(1, c.result_dtype(), {groups}),
                                            c.graph().full(0, c.result_dtype(), {groups})},
                                           {{"epsilon", static_cast<float>(c.number("eps"))}});
  std::string y = c.graph().add("Reshape", {normal, c.graph().shape(x)});
  Ints column(static_cast<size_t>(c.rank("input")) - 1, 1);
  column[0] = -1;
  for (const auto& [name, op] : {std::pair("weight", "Mul"), std::pair("bias", "Add")})
    if (c.has(name))
      y = c.graph().add(op,
                        {y, c.graph().add("Reshape", {c.tensor(name), c.graph().ints(column)})});
  c.set(y);
}
void layer_norm(OnnxCall& c) {
  const Ints sizes = c.integers("normalized_shape");
  c.set(c.graph().add("LayerNormalization",
                      {c.tensor("input"), or_constant(c, "weight", 1, sizes), c.tensor("bias")},
                      {{"axis", -static_cast<int64_t>(sizes.size())},
                       {"epsilon", static_cast<float>(c.number("eps"))}}));
}
void rms_norm(OnnxCall& c) {
  Ints dims;
  for (size_t d = 1; d <= c.integers("normalized_shape").size(); ++d)
    dims.push_back(-static_cast<int64_t>(d));
  const std::string x = c.tensor("input"), squares = c.graph().add("Mul", {x, x});
  const std::string mean = c.graph().add("ReduceMean", {squares, c.graph().ints(dims)});
  const double eps = c.has("eps")                  ? c.number("eps")
                     : c.result_dtype() == kDouble ? 2.220446049250313e-16
                                                   : 1.1920928955078125e-07;
  const std::string root = c.graph().add(
      "Sqrt", {c.graph().add("Add", {mean, c.graph().number(eps, c.result_dtype())})});
  const std::string y = c.graph().add("Div", {x, root});
  c.set(c.has("weight") ? c.graph().add("Mul", {y, c.tensor("weight")}) : y);
}

// ---------------------------------------------------------------------- attention
/// Returns -infinity where the mask of bools is false, else 0.
std::string additive(OnnxCall& c, const std::string& allowed) {
  const ScalarType dtype = c.result_dtype();
  return c.graph().add("Where",
                       {allowed, c.graph().number(0, dtype),
                        c.graph().number(-std::numeric_limits<double>::infinity(), dtype)});
}
std::string causal_mask(OnnxCall& c, const std::string& q, const std::string& k) {
  const int64_t rank = c.rank("query");
  const std::string sizes = c.graph().add(
      "Concat", {c.graph().shape(q, rank - 2, rank - 1), c.graph().shape(k, rank - 2, rank - 1)},
      {{"axis", int64_t{0}}});
  const std::string ones = c.graph().add("Expand", {c.graph().number(1, c.result_dtype()), sizes});
  const std::string lower = c.graph().add("Trilu", {ones}, {{"upper", int64_t{0}}});
  return additive(c, c.graph().cast(lower, kBool));
}
void attention(OnnxCall& c) {
  c.require(c.number("dropout_p") == 0, "dropout");
  c.require(!c.flag("enable_gqa"), "enable_gqa");
  const int64_t rank = c.rank("query");
  const std::string q = c.tensor("query"), k = c.tensor("key"), v = c.tensor("value");
  const double scale = c.has("scale")
                           ? c.number("scale")
                           : 1 / std::sqrt(static_cast<double>(c.fixed_size("query", -1)));
  Ints order;
  for (int64_t d = 0; d < rank; ++d) order.push_back(d);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  const std::string scaled = c.graph().add("Mul", {q, c.graph().number(scale, c.result_dtype())});
  std::string scores = c.graph().add("MatMul", {scaled, c.graph().transpose(k, order)});
  if (c.flag("is_causal")) scores = c.graph().add("Add", {scores, causal_mask(c, q, k)});
  if (c.has("attn_mask")) {
    const std::string mask = c.tensor("attn_mask");
    scores = c.graph().add("Add",
                           {scores, c.meta("attn_mask").dtype == kBool ? additive(c, mask) : mask});
  }
  const std::string weights = c.graph().add("Softmax", {scores}, {{"axis", int64_t{-1}}});
  c.set(c.graph().add("MatMul", {weights, v}));
}

// ---------------------------------------------------------------------- recurrent layers
/// A kind of recurrent layer: ONNX's order of the gates, as indices of PyTorch's.
struct Recurrence {
  const char* op;
  Ints gates;
  const char* activation;  // of a layer without gates
};

class RecurrentLayers {
 public:
  RecurrentLayers(OnnxCall& call, Recurrence kind) : c_(call), kind_(std::move(kind)) {
    dirs_ = c_.flag("bidirectional") ? 2 : 1;
    const size_t per_layer = c_.flag("has_biases") ? 4 : 2;
    params_ = c_.tensors("params");
    layers_ = c_.integer("num_layers");
    c_.require(params_.size() == static_cast<size_t>(layers_ * dirs_) * per_layer, "projections");
    c_.require(!c_.flag("train") || c_.number("dropout") == 0 || layers_ == 1,
               "training mode; call eval() before export_program");
  }

  void run() {
    const bool is_lstm = std::string(kind_.op) == "LSTM";
    const bool has_batch = c_.rank("input") == 3;
    c_.require(has_batch, "an input without batch");
    const Names states = is_lstm ? c_.tensors("hx") : Names{c_.tensor("hx")};
    std::string x = c_.tensor("input");
    if (c_.flag("batch_first")) x = c_.graph().transpose(x, {1, 0, 2});
    Names last_h, last_c;
    for (int64_t layer = 0; layer < layers_; ++layer) {
      const Names y = one_layer(x, layer, states, is_lstm);
      // (L, dirs, N, H) to (L, N, dirs * H)
      x = c_.graph().add("Reshape",
                         {c_.graph().transpose(y[0], {0, 2, 1, 3}), c_.graph().ints({0, 0, -1})});
      last_h.push_back(y[1]);
      if (is_lstm) last_c.push_back(y[2]);
    }
    if (c_.flag("batch_first")) x = c_.graph().transpose(x, {1, 0, 2});
    Names results = {x, joined(last_h)};
    if (is_lstm) results.push_back(joined(last_c));
    c_.set(results);
  }

 private:
  std::string joined(const Names& parts) {
    return parts.size() == 1 ? parts[0] : c_.graph().add("Concat", parts, {{"axis", int64_t{0}}});
  }
  /// Returns the rows of a weight or bias in ONNX's order of the gates.
  std::string in_order(const std::string& weight) {
    if (kind_.gates.size() < 2) return weight;
    const auto count = static_cast<int64_t>(kind_.gates.size());
    const Names parts = c_.graph().add_many("Split", {weight}, kind_.gates.size(),
                                            {{"axis", int64_t{0}}, {"num_outputs", count}});
    Names ordered;
    for (const int64_t gate : kind_.gates) ordered.push_back(parts[static_cast<size_t>(gate)]);
    return c_.graph().add("Concat", ordered, {{"axis", int64_t{0}}});
  }
  /// Returns one of the parameters of a layer, for both directions.
  std::string parameter(int64_t layer, size_t which) {
    const size_t per_layer = c_.flag("has_biases") ? 4 : 2;
    Names all;
    for (int64_t d = 0; d < dirs_; ++d)
      all.push_back(c_.graph().unsqueeze(
          in_order(params_[static_cast<size_t>(layer * dirs_ + d) * per_layer + which]), {0}));
    return joined(all);
  }
  std::string state(const std::string& all, int64_t layer) {
    if (layers_ == 1) return all;
    return c_.graph().slice(all, 0, c_.graph().ints({layer * dirs_}),
                            c_.graph().ints({(layer + 1) * dirs_}));
  }
  Names one_layer(const std::string& x, int64_t layer, const Names& states, bool is_lstm) {
    const std::string bias =
        !c_.flag("has_biases")
            ? ""
            : c_.graph().add("Concat", {parameter(layer, 2), parameter(layer, 3)},
                             {{"axis", int64_t{1}}});
    Names inputs = {x, parameter(layer, 0), parameter(layer, 1), bias, "", state(states[0], layer)};
    if (is_lstm) inputs.push_back(state(states.at(1), layer));
    return c_.graph().add_many(kind_.op, inputs, is_lstm ? 3 : 2, attributes());
  }
  OnnxAttributes attributes() {
    OnnxAttributes all = {{"hidden_size", c_.fixed_size("hx", -1)},
                          {"direction", std::string(dirs_ == 2 ? "bidirectional" : "forward")}};
    if (std::string(kind_.op) == "GRU") all.push_back({"linear_before_reset", int64_t{1}});
    if (kind_.activation)
      all.push_back({"activations", Names(static_cast<size_t>(dirs_), kind_.activation)});
    return all;
  }

  OnnxCall& c_;
  Recurrence kind_;
  int64_t dirs_ = 1, layers_ = 1;
  Names params_;
};

void lstm(OnnxCall& c) { RecurrentLayers(c, {"LSTM", {0, 3, 1, 2}, nullptr}).run(); }
void gru(OnnxCall& c) { RecurrentLayers(c, {"GRU", {1, 0, 2}, nullptr}).run(); }
void rnn_tanh(OnnxCall& c) { RecurrentLayers(c, {"RNN", {0}, "Tanh"}).run(); }
void rnn_relu(OnnxCall& c) { RecurrentLayers(c, {"RNN", {0}, "Relu"}).run(); }

}  // namespace

const std::map<std::string, OnnxRule, std::less<>>& onnx_layer_rules() {
  static const std::map<std::string, OnnxRule, std::less<>> rules = {
      {"linear", linear},
      {"conv1d", conv},
      {"conv2d", conv},
      {"conv3d", conv},
      {"convolution", convolution},
      {"conv_transpose1d", conv_transpose},
      {"conv_transpose2d", conv_transpose},
      {"conv_transpose3d", conv_transpose},
      {"max_pool1d", max_pool1d},
      {"max_pool2d", max_pool2d},
      {"max_pool3d", max_pool3d},
      {"avg_pool1d", avg_pool1d},
      {"avg_pool2d", avg_pool2d},
      {"avg_pool3d", avg_pool3d},
      {"adaptive_avg_pool1d", adaptive_avg_pool1d},
      {"adaptive_avg_pool2d", adaptive_avg_pool2d},
      {"adaptive_avg_pool3d", adaptive_avg_pool3d},
      {"adaptive_max_pool1d", adaptive_max_pool1d},
      {"adaptive_max_pool2d", adaptive_max_pool2d},
      {"adaptive_max_pool3d", adaptive_max_pool3d},
      {"upsample_nearest1d", upsample_nearest},
      {"upsample_nearest2d", upsample_nearest},
      {"upsample_nearest3d", upsample_nearest},
      {"upsample_linear1d", upsample_linear},
      {"upsample_bilinear2d", upsample_linear},
      {"upsample_trilinear3d", upsample_linear},
      {"upsample_bicubic2d", upsample_cubic},
      {"pixel_shuffle", pixel_shuffle},
      {"pad", pad},
      {"constant_pad_nd", constant_pad},
      {"reflection_pad1d", reflection_pad},
      {"reflection_pad2d", reflection_pad},
      {"replication_pad1d", replication_pad},
      {"replication_pad2d", replication_pad},
      {"replication_pad3d", replication_pad},
      {"batch_norm", batch_norm},
      {"instance_norm", instance_norm},
      {"group_norm", group_norm},
      {"layer_norm", layer_norm},
      {"rms_norm", rms_norm},
      {"scaled_dot_product_attention", attention},
      {"lstm", lstm},
      {"gru", gru},
      {"rnn_tanh", rnn_tanh},
      {"rnn_relu", rnn_relu}};
  return rules;
}

}  // namespace torch::taper::program
