// grad, vjp, jvp and Jacobians of functions of lists of tensors.
#include <algorithm>

#include <taper/framework/core/check.h>
#include <taper/framework/core/warning.h>
#include <taper/func/forward_ad.h>
#include <taper/func/rules.h>
#include <taper/func/tape_frame.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/tensor.h>

namespace torch::taper::func::detail {

namespace {

void check_input(const char* name, const Tensor& t, size_t i) {
  TAPER_CHECK(t.defined(), name, ": input ", i, " is undefined");
  TAPER_CHECK(t.is_floating_point() || t.is_complex(), name, ": expected a floating input, got ",
              t.scalar_type(), " at index ", i);
}

variable_list first_of(const variable_list& all, size_t count) {
  return {all.begin(), all.begin() + static_cast<ptrdiff_t>(count)};
}

/// A call of a function in a frame. Inputs and results stand for full batches.
struct FramedCall {
  TapeFrame frame;
  const std::vector<Level> levels = detail::levels().running;
  variable_list inputs;   // full batches, of the differentiated ones
  variable_list outputs;  // full batches
  size_t count = 0;

  FramedCall(const char* name, const ListFunction& f, const variable_list& given,
             const std::vector<size_t>& wanted) {
    variable_list passed = given;
    for (const size_t i : wanted) check_input(name, given[i], i);
    variable_list full;
    for (const size_t i : wanted)
      full.push_back(full_batch_of(with_full_tangents_in_batch(given[i]), levels));
    const TapeFrame::Scope scope(frame);
    for (size_t k = 0; k < wanted.size(); ++k) {
      waits_in_frames(full[k]);  // throws for what cannot wait
      const Tensor leaf = frame.leaf(full[k]);
      // One tensor may be given twice.
      inputs.push_back(leaf.grad_fn() || std::count(wanted.begin(), wanted.end(), wanted[k]) > 1 ||
                               is_among(inputs, leaf)
                           ? leaf.view_as(leaf)
                           : leaf);
      passed[wanted[k]] = stand_in_for_full(inputs.back(), levels);
    }
    Outputs y = f(passed);
    count = std::min(y.count, y.tensors.size());
    for (const Tensor& t : y.tensors) outputs.push_back(t.defined() ? full_batch_of(t, levels) : t);
  }

  /// Returns whether gradients must have a history.
  bool needs_graph() const { return frame.has_duals() || frame.leads_outside(outputs); }

  /// Returns results for the caller: with tangents, and without the frame's own history.
  variable_list finished(variable_list all) {
    std::vector<Tensor*> results;
    for (Tensor& t : all)
      if (t.defined()) results.push_back(&t);
    frame.finish(results, frame.recorded() && frame.leads_outside(all));
    for (Tensor* t : results) *t = stand_in_for_full(*t, levels);
    return all;
  }

 private:
  static bool is_among(const variable_list& all, const Tensor& t) {
    return std::any_of(all.begin(), all.end(), [&](const Tensor& x) { return x.is_same(t); });
  }
};

/// Returns gradients. Those of unused inputs are zeros.
variable_list gradients(const variable_list& y, const variable_list& x, const variable_list& v,
                        bool keep_graph, bool create_graph) {
  variable_list outputs, grads;
  for (size_t i = 0; i < y.size(); ++i)
    if (y[i].defined() && y[i].requires_grad()) outputs.push_back(y[i]), grads.push_back(v[i]);
  variable_list g(x.size());
  const Temporarily<bool> off(levels().off, true);
  if (!outputs.empty()) g = autograd::grad(outputs, x, grads, keep_graph, create_graph, true);
  for (size_t i = 0; i < x.size(); ++i)
    if (!g[i].defined()) g[i] = zeros_like(x[i].detach());
  return g;
}

}  // namespace

ValueAndGrads grad(const char* name, const ListFunction& f, const variable_list& inputs,
                   const std::vector<size_t>& wanted) {
  FramedCall call(name, f, inputs, wanted);
  TAPER_CHECK(call.count == 1 && call.outputs[0].defined(), name,
              ": Expected f(*args) to return a single tensor, got ", call.count,
              ". Use vjp for functions of several outputs");
  const auto batch_dims = static_cast<int64_t>(std::count_if(
      call.levels.begin(), call.levels.end(), [](const Level& level) { return level.is_batch(); }));
  Tensor& y = call.outputs[0];
  TAPER_CHECK(y.dim() == batch_dims, name, ": Expected f(*args) to return a scalar tensor, got ",
              "a tensor with ", y.dim() - batch_dims, " dims. Maybe you wanted to use the vjp or ",
              "jacrev APIs instead?");
  TAPER_CHECK(y.is_floating_point(), name,
              ": expected f(*args) to return a real floating number, got ", y.scalar_type());
  variable_list g;
  {
    const TapeFrame::Scope scope(call.frame);
    const bool graph = call.needs_graph();
    g = gradients({y}, call.inputs, {ones_like(y.detach())}, graph, graph);
  }
  const size_t count = call.outputs.size();
  variable_list all = call.outputs;
  all.insert(all.end(), g.begin(), g.end());
  all = call.finished(std::move(all));
  g.assign(all.begin() + static_cast<ptrdiff_t>(count), all.end());
  return {first_of(all, count), std::move(g)};
}

namespace {

/// A call whose tape serves several products later.
struct KeptCall : FramedCall {
  KeptCall(const char* name, const ListFunction& f, const variable_list& given)
      : FramedCall(name, f, given, all_of(given)), name_(name) {
    frame.complete();
  }

  /// Returns products for vectors that belong to the tensors of `like`. `f` computes them in the
  /// frame, with a history or without.
  template <class F>
  variable_list products(const variable_list& given, const variable_list& like, const F& f) {
    variable_list v = given;
    for (Tensor& t : v) t = with_full_tangents_in_batch(t);
    if (const Level* batch = check(v, like))
      return call_for_each(Level(*batch), v,
                           [&](const variable_list& each) { return products(each, like, f); });
    variable_list result;
    {
      const TapeFrame::Scope scope(frame);
      const variable_list along = full(v, like);
      const bool graph =
          needs_graph() || std::any_of(along.begin(), along.end(),
                                       [](const Tensor& t) { return t.requires_grad(); });
      result = f(along, graph);
    }
    return finished(std::move(result));
  }

 private:
  static std::vector<size_t> all_of(const variable_list& given) {
    std::vector<size_t> wanted(given.size());
    for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = i;
    return wanted;
  }
  /// Checks vectors, and returns the level of a batch that they have and the tape has not, or null.
  const Level* check(const variable_list& v, const variable_list& like) const {
    TAPER_CHECK(v.size() == like.size(), name_,
                ": Expected pytree structure of vectors to be the "
                "same as that of the function: expected ",
                like.size(), " tensors, got ", v.size());
    const auto& running = detail::levels().running;
    const bool runs = running.size() >= levels.size() &&
                      std::equal(levels.begin(), levels.end(), running.begin(),
                                 [](const Level& a, const Level& b) { return a.id == b.id; });
    TAPER_CHECK(runs, name_, ": the transformation in which the function was called has ended");
    LevelId batch = 0;
    for (size_t i = 0; i < v.size(); ++i) {
      check_input(name_, v[i], i);
      batch = std::max(batch, batch_level(v[i]));
    }
    const bool is_own = std::any_of(levels.begin(), levels.end(),
                                    [&](const Level& level) { return level.id == batch; });
    return batch == 0 || is_own ? nullptr : detail::levels().find(batch);
  }
  /// Returns vectors for the tape, whose batches are those of its own levels.
  variable_list full(const variable_list& v, const variable_list& like) const {
    variable_list all;
    for (size_t i = 0; i < v.size(); ++i) {
      all.push_back(resolved_in_frames(full_batch_of(v[i], levels)));
      TAPER_CHECK(all[i].sizes() == like[i].sizes(), name_, ": expected vector ", i,
                  " of the sizes of the function's tensor, got ", v[i].sizes());
    }
    return all;
  }
  const char* const name_;
};

}  // namespace

CallWithProduct vjp(const ListFunction& f, const variable_list& inputs) {
  const auto call = std::make_shared<KeptCall>("vjp", f, inputs);
  return {call->finished(call->outputs), [call](const variable_list& v) {
            const variable_list y = first_of(call->outputs, call->count);
            return call->products(v, y, [&](const variable_list& along, bool graph) {
              return gradients(y, call->inputs, along, true, graph);
            });
          }};
}

CallWithProduct linearize(const ListFunction& f, const variable_list& inputs) {
  const auto call = std::make_shared<KeptCall>("linearize", f, inputs);
  variable_list u, rows;  // u^T J, which is linear in u
  {
    const TapeFrame::Scope scope(call->frame);
    const variable_list y = first_of(call->outputs, call->count);
    for (const Tensor& t : y) u.push_back(ones_like(t.detach()).requires_grad_());
    rows = gradients(y, call->inputs, u, true, true);
  }
  return {call->finished(call->outputs), [call, u, rows](const variable_list& v) {
            return call->products(v, call->inputs, [&](const variable_list& along, bool graph) {
              return gradients(rows, u, along, true, graph);
            });
          }};
}

void check_tangent(const char* name, const Tensor& x, const Tensor& tangent, size_t i) {
  check_input(name, x, i);
  TAPER_CHECK(tangent.defined() && tangent.sizes() == x.sizes(), name, ": expected tangent ", i,
              " of sizes ", x.sizes(), ", got ",
              tangent.defined() ? tangent.sizes() : IntArrayRef());
  TAPER_CHECK(tangent.scalar_type() == x.scalar_type(), name, ": expected tangent ", i,
              " of dtype ", x.scalar_type(), ", got ", tangent.scalar_type());
}

OutputsAndTangents jvp(const char* name, const ListFunction& f, const variable_list& inputs,
                       const variable_list& tangents) {
  TAPER_CHECK(inputs.size() == tangents.size(), name,
              ": Expected primals and tangents to have the same python structure: got ",
              inputs.size(), " and ", tangents.size(), " tensors");
  for (size_t i = 0; i < inputs.size(); ++i) check_tangent(name, inputs[i], tangents[i], i);
  const LevelScope level(0);
  variable_list duals;
  for (size_t i = 0; i < inputs.size(); ++i)
    duals.push_back(make_dual(inputs[i], tangents[i], level.id()));
  Outputs y = f(duals);
  OutputsAndTangents result;
  for (size_t i = 0; i < y.tensors.size(); ++i) {
    Tensor t = y.tensors[i];
    if (t.defined()) {
      const Tensor tangent = tangent_of(t, level.id());
      if (i < y.count)
        result.tangents.push_back(tangent.defined() ? tangent : zeros_like(t.detach()));
      drop_tangent(t, level.id());
    }
    result.outputs.push_back(t);
  }
  return result;
}

// ---------------------------------------------------------------- Jacobians
namespace {

int64_t numel_of(const variable_list& all) {
  int64_t n = 0;
  for (const Tensor& t : all) n += t.numel();
  return n;
}

/// Returns the unit vectors of a list of tensors: row e of the identity, parted and shaped.
variable_list unit_vectors(const variable_list& like) {
  const int64_t n = numel_of(like);
  variable_list all;
  int64_t start = 0;
  for (const Tensor& t : like) {
    Tensor part = zeros({n, t.numel()}, t.options());
    part.diagonal(-start).slice(0, 0, t.numel()).fill_(1);
    all.push_back(part.reshape(joined({n}, t.sizes())));
    start += t.numel();
  }
  return all;
}

BatchDims first_dim(size_t count) { return BatchDims(count, optional<int64_t>(0)); }

variable_list picked(const variable_list& all, const std::vector<size_t>& wanted) {
  variable_list some;
  for (const size_t i : wanted) some.push_back(all[i]);
  return some;
}
/// Returns the function of the inputs at `wanted`, the others being constants.
ListFunction of_wanted(const ListFunction& f, const variable_list& inputs,
                       const std::vector<size_t>& wanted) {
  return [&f, &inputs, &wanted](const variable_list& x) {
    variable_list all = inputs;
    for (size_t k = 0; k < wanted.size(); ++k) all[wanted[k]] = x[k];
    return f(all);
  };
}

}  // namespace

namespace {

/// Returns the products of the vectors in the rows of `vectors` with the Jacobian of g at x.
variable_list products_from_the_left(const ListFunction& g, const variable_list& x,
                                     const variable_list& vectors, int64_t chunk_size) {
  const auto product = [&](const variable_list& v) {
    variable_list products = vjp(g, x).product(v);
    const size_t count = products.size();
    return Outputs{std::move(products), count};
  };
  return vmap(product, vectors, first_dim(vectors.size()), first_dim, Randomness::kSame,
              chunk_size);
}
/// Computes them one after the other, from one call of g.
variable_list products_by_rows(const ListFunction& g, const variable_list& x,
                               const variable_list& vectors) {
  taper::detail::warn_once([] {
    return "func::jacrev: there is a performance drop because the function changes a tensor of its "
           "own in place. The rows of the Jacobian are computed one by one";
  });
  const CallWithProduct call = vjp(g, x);
  std::vector<variable_list> all(x.size());
  for (int64_t row = 0; row < vectors[0].size(0); ++row) {
    variable_list v;
    for (const Tensor& t : vectors) v.push_back(t.select(0, row));
    const variable_list products = call.product(v);
    for (size_t j = 0; j < x.size(); ++j) all[j].push_back(products[j]);
  }
  variable_list rows;
  for (const variable_list& of_input : all) rows.push_back(stack(of_input));
  return rows;
}

}  // namespace

OutputsAndJacobians jacrev(const ListFunction& f, const variable_list& inputs,
                           const std::vector<size_t>& wanted, int64_t chunk_size) {
  for (const size_t i : wanted) check_input("jacrev", inputs[i], i);
  const variable_list x = picked(inputs, wanted);
  const ListFunction g = of_wanted(f, inputs, wanted);
  OutputsAndJacobians result;
  // The sizes of the outputs give the vectors. The function runs again with a batch of inputs.
  Outputs y = g(x);
  result.outputs = y.tensors;
  variable_list like(y.tensors.begin(), y.tensors.begin() + static_cast<ptrdiff_t>(y.count));
  for (size_t i = 0; i < like.size(); ++i) check_input("jacrev", like[i], i);
  variable_list rows;
  try {
    rows = products_from_the_left(g, x, unit_vectors(like), chunk_size);
  } catch (const UnbatchedChange&) {
    rows = products_by_rows(g, x, unit_vectors(like));
  }
  for (size_t i = 0, start = 0; i < like.size(); ++i) {
    variable_list of_output;
    const auto n = static_cast<size_t>(like[i].numel());
    for (size_t j = 0; j < x.size(); ++j)
      of_output.push_back(rows[j]
                              .narrow(0, static_cast<int64_t>(start), static_cast<int64_t>(n))
                              .reshape(joined(like[i].sizes(), x[j].sizes())));
    start += n;
    result.jacobians.push_back(std::move(of_output));
  }
  return result;
}

OutputsAndJacobians jacfwd(const ListFunction& f, const variable_list& inputs,
                           const std::vector<size_t>& wanted, Randomness randomness,
                           int64_t chunk_size) {
  for (const size_t i : wanted) check_input("jacfwd", inputs[i], i);
  const variable_list x = picked(inputs, wanted);
  const ListFunction g = of_wanted(f, inputs, wanted);
  OutputsAndJacobians result;
  size_t count = 0;
  const auto out_dims = [&](size_t n) {
    BatchDims dims(n, optional<int64_t>(-1));
    for (size_t i = count; i < n; ++i) dims[i] = nullopt;
    return dims;
  };
  const variable_list columns = vmap(
      [&](const variable_list& v) {
        OutputsAndTangents y = jvp("jacfwd", g, x, v);
        count = y.tangents.size();
        variable_list all = y.tangents;
        all.insert(all.end(), y.outputs.begin(), y.outputs.end());
        return Outputs{std::move(all), count};
      },
      unit_vectors(x), first_dim(x.size()), out_dims, randomness, chunk_size);
  result.outputs.assign(columns.begin() + static_cast<ptrdiff_t>(count), columns.end());
  for (size_t i = 0; i < count; ++i) {
    variable_list of_output;
    int64_t start = 0;
    for (const Tensor& t : x) {
      of_output.push_back(columns[i]
                              .narrow(-1, start, t.numel())
                              .reshape(joined(result.outputs[i].sizes(), t.sizes())));
      start += t.numel();
    }
    result.jacobians.push_back(std::move(of_output));
  }
  return result;
}

}  // namespace torch::taper::func::detail

// ---------------------------------------------------------------- forward_ad
namespace torch::taper::autograd::forward_ad {

using namespace func::detail;

namespace {

constinit thread_local LevelId innermost = 0;

LevelId current_level(const char* name) {
  TAPER_CHECK(innermost, name, ": expected a dual_level. (Trying to use a dual level that is not ",
              "active: enter one with dual_level())");
  return innermost;
}

}  // namespace

struct dual_level::State {
  const LevelScope level{0};
  const Temporarily<LevelId> current{innermost, level.id()};
};

dual_level::dual_level() : state_(std::make_unique<State>()) {}
dual_level::~dual_level() = default;

Tensor make_dual(const Tensor& tensor, const Tensor& tangent) {
  const LevelId level = current_level("make_dual");
  check_tangent("make_dual", tensor, tangent, 0);
  return func::detail::make_dual(tensor, tangent, level);
}

UnpackedDualTensor unpack_dual(const Tensor& tensor) {
  const LevelId level = current_level("unpack_dual");
  TAPER_CHECK(tensor.defined(), "unpack_dual: expected a defined tensor");
  const Tensor tangent = tangent_of(tensor, level);
  if (!tangent.defined()) return {tensor, tangent};
  const Tensor primal = tensor.alias();
  drop_tangent(primal, level);
  return {primal, tangent};
}

}  // namespace torch::taper::autograd::forward_ad
