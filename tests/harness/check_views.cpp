// Layouts of inputs and cotangents, what a call leaves alone, and where history exists.
#include <algorithm>
#include <string>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>

#include "harness/check_shared.h"

namespace torch::taper::testing {
namespace {

constexpr std::pair<const char*, Layout> kLayouts[] = {{"transposed input", transposed},
                                                       {"offset input", offset_and_spread},
                                                       {"expanded input", expanded}};

void check_layout(const OpCase& c, const Args& args, const Arrays& want, const char* name,
                  Layout layout, Log& log) {
  Args other = args;
  for (Tensor& t : other.t) t = layout(t);
  std::vector<std::vector<unsigned char>> before;
  std::vector<int64_t> versions;
  for (const Tensor& t : other.t) {
    before.push_back(bytes_of(t));
    versions.push_back(t._version());
  }
  compare_results(c, c.call(other), want, name, log);
  for (size_t j = 0; j < other.t.size(); ++j)
    if (bytes_of(other.t[j]) != before[j] || other.t[j]._version() != versions[j])
      log.add(name, ": the call changed input ", j);
}

// ---------------------------------------------------------------- inputs that overlap themselves

/// A call's results, or nothing where it threw: not every op takes numbers that repeat.
optional<Results> called(const OpCase& c, const Args& args) {
  try {
    return c.call(args);
  } catch (const Error&) {
    return nullopt;
  }
}

/// The same numbers as windows of one line of memory, and in memory of their own.
struct Windows {
  std::vector<Tensor> lines;
  Args args, plain;
  explicit Windows(const Args& given) : args(given), plain(given) {
    for (size_t j = 0; j < given.t.size(); ++j) {
      lines.push_back(line_for(given.t[j]));
      spread(j);
      plain.t[j] = to_tensor(to_array(args.t[j]), given.t[j].scalar_type());
    }
  }
  void spread(size_t j) { args.t[j] = windows_of(lines[j], plain.t[j].sizes()); }
  bool overlap() const {
    for (size_t j = 0; j < lines.size(); ++j)
      if (lines[j].numel() < args.t[j].numel()) return true;
    return false;
  }
};

void check_overlapping(const OpCase& c, const Args& given, Log& log) {
  const Windows w(given);
  if (!w.overlap()) return;
  const optional<Results> want = called(c, w.plain);
  if (!want) return;
  Arrays numbers;
  for (const Tensor& r : *want) numbers.push_back(read(r));
  compare_results(c, c.call(w.args), numbers, "overlapping input", log);
}

/// The gradient of an element of the line is the sum over the elements that it stands for.
Array summed_over_windows(const Array& g, const Tensor& line) {
  Array sum(line.sizes().vec());
  for_each_index(g.sizes, [&](const std::vector<int64_t>& index) {
    int64_t at = 0;
    for (int64_t i : index) at += i;
    if (g.im.empty())
      sum.v[at] += g.at(index);
    else
      sum.set_z(at, sum.z(at) + g.z(g.position(index)));
  });
  return sum;
}

std::vector<Array> gradients(const OpCase& c, const Args& args, const std::vector<Tensor>& leaves) {
  Random random(3);
  const Results results = differentiable_of(c.call(args));
  run_backward(results, cotangents_for(results, random), false);
  std::vector<Array> list;
  for (const Tensor& x : leaves) list.push_back(grad_of(x));
  return list;
}

void check_overlapping_gradient(const OpCase& c, const Args& given, Log& log) {
  Windows w(given);
  if (!w.overlap() || !called(c, w.plain)) return;
  std::vector<Tensor> lines, plain;
  for (size_t j = 0; j < given.t.size(); ++j) {
    if (!wants_gradient(c, given, j)) continue;
    lines.push_back(w.lines[j].requires_grad_());
    w.spread(j);
    plain.push_back(w.plain.t[j].requires_grad_());
  }
  const std::vector<Array> want = gradients(c, w.plain, plain);
  const std::vector<Array> got = gradients(c, w.args, lines);
  for (size_t j = 0; j < want.size(); ++j)
    log.compare("gradient of an overlapping input", got[j], summed_over_windows(want[j], lines[j]),
                {1e-8, 1e-9});
}

void expect_refusal(const Tensor& r, Log& log) {
  if (!isFloatingOrComplexType(r.scalar_type())) return;
  if (!r.requires_grad()) return log.add("expected a result whose backward throws, got no history");
  try {
    r.backward(detail::make_tensor(r.sizes(), r.scalar_type(), r.device()).zero_());
    log.add("expected backward to throw");
  } catch (const Error&) {
  }
}

// A program may write into a result of its own memory. That it may not is how a view shows that was
// made without history and recorded after: a write into it would be one into a leaf.
void expect_writable(const Tensor& r, const Args& args, Log& log) {
  const auto shares = [&](const Tensor& t) { return t.defined() && t.is_alias_of(r); };
  if (std::any_of(args.t.begin(), args.t.end(), shares)) return;
  try {
    r.zero_();
  } catch (const Error& e) {
    const std::string why = e.what();
    if (why.find("leaf Variable") != std::string::npos)
      log.add("expected a result that may be written, got: " + why);
  }
}

void check_history(const OpCase& c, const Args& args, Log& log) {
  Args leaves = copy(args);
  for (size_t j = 0; j < leaves.t.size(); ++j)
    if (wants_gradient(c, leaves, j)) leaves.t[j].set_requires_grad(true);
  const Results results = c.call(leaves);
  for (const Tensor& r : results) {
    if (c.refuses_gradient) expect_refusal(r, log);
    if (!c.differentiable && !c.refuses_gradient && r.requires_grad())
      log.add("expected a result without history");
    const auto is_r = [&](const Tensor& t) { return t.is_same(r); };
    const bool is_input = std::any_of(leaves.t.begin(), leaves.t.end(), is_r);
    if (r.requires_grad() && !r.grad_fn() && !is_input) log.add("expected a grad_fn");
  }
  if (c.differentiable && differentiable_of(results).empty())
    log.add("expected a result with history");
  for (const Tensor& r : results)
    if (r.defined()) expect_writable(r, leaves, log);
  NoGradGuard no_grad;
  // A view made under no_grad still says that its base requires a gradient.
  for (const Tensor& r : c.call(leaves))
    if (!c.is_view && (r.requires_grad() || r.grad_fn()))
      log.add("expected no history under no_grad");
}

/// The gradient must not depend on how the inputs and the cotangents lie in memory.
void check_gradient_layouts(const OpCase& c, const Args& args, Log& log) {
  const auto gradients = [&](Layout of_inputs, Layout of_cotangents) {
    Random random(3);
    Args leaves = copy(args);
    std::vector<Tensor> wanted;
    for (size_t j = 0; j < leaves.t.size(); ++j) {
      if (of_inputs) leaves.t[j] = of_inputs(leaves.t[j]).detach();
      if (wants_gradient(c, leaves, j)) wanted.push_back(leaves.t[j].requires_grad_());
    }
    const Results results = differentiable_of(c.call(leaves));
    std::vector<Tensor> cotangents = cotangents_for(results, random);
    for (Tensor& g : cotangents) {
      // Equal values along a dimension, so that it can be expanded.
      if (g.dim() > 0)
        g = to_tensor(Array(g.sizes().vec(), random.uniform(0.5, 2)), g.scalar_type());
      if (of_cotangents) g = of_cotangents(g);
    }
    run_backward(results, cotangents, false);
    std::vector<Array> list;
    for (const Tensor& x : wanted) list.push_back(grad_of(x));
    return list;
  };
  const std::vector<Array> want = gradients(nullptr, nullptr);
  for (const auto& [name, layout] : kLayouts)
    for (int side = 0; side < 2; ++side) {
      const std::vector<Array> got =
          side == 0 ? gradients(layout, nullptr) : gradients(nullptr, layout);
      for (size_t j = 0; j < want.size(); ++j)
        log.compare(side == 0 ? name : "strided cotangent", got[j], want[j], {1e-10, 1e-12});
    }
}

}  // namespace

Failures check_views_and_state(const OpCase& c) {
  Failures failures;
  Log log(failures);
  for (ScalarType dtype : c.dtypes)
    for (const Args& args : c.samples(dtype)) {
      log.sample(args);
      log.guarded([&] {
        const Arrays want = c.reference(read(args));
        for (const auto& [name, layout] : kLayouts) check_layout(c, args, want, name, layout, log);
        check_overlapping(c, args, log);
      });
    }
  for (const Args& args : c.samples(widest_dtype(c))) {
    if (!is_small(args)) continue;
    log.sample(args);
    log.guarded([&] { check_history(c, args, log); });
    if (!c.differentiable) continue;
    log.guarded([&] { check_gradient_layouts(c, args, log); });
    log.guarded([&] { check_overlapping_gradient(c, args, log); });
  }
  return failures;
}

}  // namespace torch::taper::testing
