#include <taper/ops/sequence/rnn_stack.h>

#include <climits>

#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/ops/nn/dropout.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {
namespace {

// Returns the parameters of the i-th layer and direction.
RnnWeights weights_of(const RnnStack& stack, TensorList params, size_t i) {
  const Tensor* p = params.data() + i * stack.params_each();
  RnnWeights w{p[0], p[1], {}, {}, {}};
  if (stack.has_biases) w.b_ih = p[2], w.b_hh = p[3];
  if (stack.projects()) w.w_hr = p[stack.params_each() - 1];
  return w;
}

bool fits(const Tensor& t, const Dims& sizes, ScalarType dtype) {
  return t.defined() && t.scalar_type() == dtype && t.impl().sizes == sizes;
}

}  // namespace

RnnOutput rnn_layers(const RnnStack& stack, Tensor x, const Tensor& h, const Tensor& c,
                     TensorList params) {
  const int64_t directions = stack.directions();
  std::vector<Tensor> last_h, last_c;
  for (int64_t layer = 0; layer < stack.num_layers; ++layer) {
    std::vector<Tensor> parts;
    for (int64_t d = 0; d < directions; ++d) {
      const int64_t i = layer * directions + d;
      const RnnOutput out = rnn_layer({stack.mode, d == 1, stack.sizes}, x, h.select(0, i),
                                      c.defined() ? c.select(0, i) : Tensor(),
                                      weights_of(stack, params, static_cast<size_t>(i)));
      parts.push_back(out.y);
      last_h.push_back(out.h);
      last_c.push_back(out.c);
    }
    x = directions == 1 ? parts[0] : cat(parts, 1);
    if (layer + 1 < stack.num_layers && stack.dropout != 0)
      x = taper::dropout(x, stack.dropout, true);
  }
  // Copies even a single state, because programs carry it to the next batch by h.detach_(), which
  // views refuse.
  return {x, taper::stack(last_h), c.defined() ? taper::stack(last_c) : Tensor()};
}

std::vector<Dims> rnn_param_sizes(const RnnStack& stack) {
  std::vector<Dims> sizes;
  const int64_t rows = gates_of(stack.mode) * stack.hidden, directions = stack.directions();
  for (int64_t i = 0; i < stack.num_layers * directions; ++i) {
    sizes.push_back({rows, i < directions ? stack.input : directions * stack.output});
    sizes.push_back({rows, stack.output});
    if (stack.has_biases) sizes.insert(sizes.end(), 2, Dims{rows});
    if (stack.projects()) sizes.push_back({stack.output, stack.hidden});
  }
  return sizes;
}

std::vector<int> rnn_lengths(const RnnStack& stack) {
  std::vector<int> lengths(static_cast<size_t>(stack.sizes.empty() ? 0 : stack.sizes[0]));
  for (int64_t n : stack.sizes)
    for (int64_t i = 0; i < n; ++i) ++lengths[static_cast<size_t>(i)];
  return lengths;
}

// ---------------------------------------------------------------------- weights for cuDNN
std::vector<RnnBlock> rnn_blocks(const RnnStack& stack) {
  const int gates = static_cast<int>(gates_of(stack.mode));
  const std::vector<Dims> sizes = rnn_param_sizes(stack);
  const size_t each = stack.params_each();
  std::vector<RnnBlock> blocks;
  const auto add = [&](int layer, int linear, bool is_bias, size_t param, int64_t part) {
    const int64_t columns = is_bias ? 1 : sizes[param][1], count = stack.hidden * columns;
    blocks.push_back({layer, linear, is_bias, param, part * count, count});
  };
  for (size_t i = 0; i * each < sizes.size(); ++i) {
    const int layer = static_cast<int>(i);
    for (size_t p = 0; p < (stack.has_biases ? 4u : 2u); ++p)
      for (int g = 0; g < gates; ++g)  // cuDNN has the inputs' gates first, then the hidden part's
        add(layer, p % 2 == 0 ? g : gates + g, p >= 2, i * each + p, g);
    if (stack.projects()) add(layer, 2 * gates, false, i * each + each - 1, 0);
    if (stack.projects()) blocks.back().count = stack.output * stack.hidden;
  }
  return blocks;
}

std::vector<RnnSpan> joined(const std::vector<RnnSpan>& spans) {
  std::vector<RnnSpan> all;
  for (const RnnSpan& s : spans) {
    const bool goes_on = !all.empty() && all.back().param == s.param &&
                         all.back().from + all.back().count == s.from &&
                         all.back().to + all.back().count == s.to;
    if (goes_on)
      all.back().count += s.count;
    else
      all.push_back(s);
  }
  return all;
}

void pack_weights(const Tensor& weights, const std::vector<RnnSpan>& spans, TensorList params) {
  for (const RnnSpan& s : spans)
    weights.narrow(0, s.to, s.count)
        .copy_(params[s.param].reshape({-1}).narrow(0, s.from, s.count));
}

std::vector<Tensor> unpack_weights(const Tensor& weights, const std::vector<RnnSpan>& spans,
                                   const std::vector<Dims>& sizes) {
  std::vector<std::vector<Tensor>> parts(sizes.size());
  for (const RnnSpan& s : spans) parts[s.param].push_back(weights.narrow(0, s.to, s.count));
  std::vector<Tensor> params;
  for (size_t i = 0; i < parts.size(); ++i)
    params.push_back((parts[i].size() == 1 ? parts[i][0] : cat(parts[i])).view(sizes[i]));
  return params;
}

bool cudnn_takes_rnn(const RnnStack& stack, const Tensor& x, const Tensor& h, const Tensor& c,
                     TensorList params) {
  if (!globalContext().userEnabledCuDNN() || cuda::cudnn_is_deterministic()) return false;
  const ScalarType dtype = x.scalar_type();
  const int64_t rows = x.size(0), count = stack.num_layers * stack.directions();
  const int64_t N = stack.sizes[0];
  bool fit = isFloatingType(dtype) && (stack.dropout == 0 || stack.num_layers == 1) &&
             x.size(1) == stack.input && x.numel() > 0 && rows <= INT_MAX && stack.hidden > 0 &&
             stack.output > 0 && fits(h, {count, N, stack.output}, dtype) &&
             cuda::cudnn_describes({count, N, stack.hidden}) &&
             (!c.defined() || fits(c, {count, N, stack.hidden}, dtype));
  const std::vector<Dims> sizes = rnn_param_sizes(stack);
  fit = fit && sizes.size() == params.size();
  for (size_t i = 0; fit && i < sizes.size(); ++i) fit = fits(params[i], sizes[i], dtype);
  return fit;
}

}  // namespace torch::taper
