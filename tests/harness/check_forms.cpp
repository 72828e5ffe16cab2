// The rules that all in-place and out forms share.
#include <algorithm>
#include <cctype>
#include <cstring>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/runtime/devices.h>

#include "harness/check_shared.h"

namespace torch::taper::testing {
namespace {

constexpr char kLeaf[] =
    "a leaf Variable that requires grad is being used in an in-place operation.";
constexpr char kViewOfLeaf[] =
    "a view of a leaf Variable that requires grad is being used in an in-place operation.";
constexpr char kOneOfSeveral[] = "is the output of a function that returns multiple views.";
constexpr char kNoGradView[] = "A view was created in no_grad mode and is being modified inplace";
constexpr char kStaleView[] = "was used after its base had been modified inplace";
constexpr char kOverlap[] =
    "more than one element of the written-to tensor refers to a single memory location.";
constexpr char kOutGradient[] =
    "functions with out=... arguments don't support automatic "
    "differentiation, but one of the arguments requires grad.";

/// `body` must throw these words and leave the memory of `t` as it was.
template <class Body>
void expect_refused(const char* what, const char* words, const Tensor& t, Log& log,
                    const Body& body) {
  const std::vector<unsigned char> before = bytes_of(t);
  const auto version = t._version();
  try {
    body();
    log.add(what, ": expected an error, got none");
  } catch (const std::exception& e) {
    if (!std::strstr(e.what(), words)) log.add(what, ": got the words: ", e.what());
  }
  if (bytes_of(t) != before || t._version() != version)
    log.add(what, ": the tensor was changed before the error");
}

Args with_first(const Args& args, const Tensor& first) {
  Args own = args;
  own.t[0] = first;
  return own;
}

/// A tensor that writes to one place for several elements.
Tensor overlapping(const Tensor& like) {
  const Dims strides(like.dim(), 0);
  return to_tensor(Array({1}, 1), like.scalar_type()).as_strided(like.sizes(), strides);
}

/// What one place in memory holds that was 1 and is all of these elements, some of which an op has
/// written.
Array written_to_any(const Array& apart) {
  const auto written =
      std::find_if(apart.v.begin(), apart.v.end(), [](double v) { return v != 1; });
  return Array(apart.sizes, written == apart.v.end() ? 1 : *written);
}

/// `spread`, an offset_and_spread tensor that has been written, holds `want`, and its gaps what the
/// layout put there.
void expect_written(const char* what, const Tensor& spread, const Array& want, Log& log) {
  log.compare(what, read(spread), want, tolerance_of(spread.scalar_type()));
  const std::vector<unsigned char> got = bytes_of(spread),
                                   fresh = bytes_of(offset_and_spread(spread));
  const size_t item = spread.itemsize(), first = static_cast<size_t>(spread.storage_offset());
  const size_t numel = static_cast<size_t>(spread.numel());
  for (size_t k = 0; k < got.size() / item; ++k) {
    const bool element = k >= first && k < first + 2 * numel && (k - first) % 2 == 0;
    if (!element && std::memcmp(&got[k * item], &fresh[k * item], item) != 0)
      return log.add(what, ": wrote beside its elements");
  }
}

// ---------------------------------------------------------------- in place

/// A derivative's name without the number of the overload.
std::string base_name(std::string name) {
  while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back()))) name.pop_back();
  return name;
}

/// Gradients of x, a copy of the first argument on the tape, after the in-place form has run on
/// what `part` makes of it.
std::vector<Array> inplace_gradients(const OpCase& c, const Args& args, const Layout& part) {
  Random random(5);
  Args leaves = copy(args);
  std::vector<Tensor> wanted;
  for (size_t j = 0; j < leaves.t.size(); ++j)
    if (wants_gradient(c, leaves, j)) wanted.push_back(leaves.t[j].requires_grad_());
  const Tensor x = leaves.t[0].clone();
  c.inplace(with_first(leaves, part(x)));
  run_backward({x}, cotangents_for({x}, random), false);
  std::vector<Array> list;
  for (const Tensor& leaf : wanted) list.push_back(grad_of(leaf));
  return list;
}

void check_inplace_history(const OpCase& c, const Args& args, Log& log) {
  const Tensor leaf = copy(args).t[0].requires_grad_();
  expect_refused("in place on a leaf", kLeaf, leaf, log,
                 [&] { c.inplace(with_first(args, leaf)); });
  expect_refused("in place on a view of a leaf", kViewOfLeaf, leaf, log,
                 [&] { c.inplace(with_first(args, leaf.view(leaf.sizes()))); });
  const Tensor x = leaf.clone();
  c.inplace(with_first(args, x));
  const std::string want = base_name(c.call(with_first(args, leaf))[0].grad_fn()->name());
  const std::string got = base_name(x.grad_fn()->name());
  if (got != want) log.add("in place: expected the history ", want, ", got ", got);
  if (c.refuses_gradient) return;
  const auto of_view =
      inplace_gradients(c, args, [](const Tensor& t) { return t.view(t.sizes()); });
  const auto plain = inplace_gradients(c, args, [](const Tensor& t) { return t; });
  for (size_t j = 0; j < plain.size(); ++j)
    log.compare("in place on a view: gradient", of_view[j], plain[j], {1e-12, 0});
}

/// The in-place form of an op of which argument j alone wants a gradient, and so its gradient, are
/// those of the plain op.
void check_inplace_of_one(const OpCase& c, const Args& args, size_t j, Log& log) {
  const auto gradient = [&](bool in_place) {
    Random random(5);
    Args leaves = copy(args);
    const Tensor leaf = leaves.t[j].requires_grad_();
    const Args own = with_first(leaves, leaves.t[0].clone());
    const Tensor y = in_place ? (c.inplace(own), own.t[0]) : c.call(own)[0];
    // (A part without elements leaves no history.)
    if (y.requires_grad()) run_backward({y}, cotangents_for({y}, random), false);
    return grad_of(leaf);
  };
  log.compare("in place: gradient of one argument", gradient(true), gradient(false), {1e-12, 0});
}

Tensor one_of_several(const Tensor& x) { return x.unsqueeze(0).unbind(0)[0]; }
Tensor no_grad_view(const Tensor& x) {
  const NoGradGuard no_grad;
  return x.view(x.sizes());
}

/// Where argument j alone wants a gradient, the op must refuse before it writes: a view whose
/// history cannot be replaced, and an argument whose own history cannot be had.
void check_inplace_refusals(const OpCase& c, const Args& args, size_t j, Log& log) {
  constexpr std::tuple<const char*, const char*, Layout> kViews[] = {
      {"in place on one of several views", kOneOfSeveral, one_of_several},
      {"in place on a view made under no_grad", kNoGradView, no_grad_view}};
  for (const auto& [what, words, view] : kViews) {
    Args leaves = copy(args);
    leaves.t[j].requires_grad_();
    const Tensor x = view(j == 0 ? leaves.t[0].clone() : leaves.t[0]);
    expect_refused(what, words, x, log, [&] { c.inplace(with_first(leaves, x)); });
  }
  if (j == 0) return;
  Args leaves = copy(args);
  const Tensor base = leaves.t[j].requires_grad_().clone();
  leaves.t[j] = one_of_several(base);
  base.mul_(1);
  expect_refused("in place with a stale view", kStaleView, leaves.t[0], log,
                 [&] { c.inplace(leaves); });
}

void check_inplace(const OpCase& c, const Args& args, Log& log) {
  const Results plain = c.call(args);
  if (!fits_in_place(plain[0], args)) return;
  const Tensor spread = offset_and_spread(args.t[0]);
  c.inplace(with_first(args, spread));
  expect_written("in place on a strided tensor", spread, read(plain[0]), log);
  if (args.t[0].numel() > 1) {
    const Tensor narrow = overlapping(args.t[0]);
    const auto write = [&] { c.inplace(with_first(args, narrow)); };
    if (!c.fills) {
      expect_refused("in place on an expanded tensor", kOverlap, narrow, log, write);
    } else {
      const Array apart = read(c.call(with_first(args, narrow.clone()))[0]);
      write();
      log.compare("in place on an expanded tensor", read(narrow), written_to_any(apart), {0, 0});
    }
  }
  const bool recorded = c.differentiable || c.refuses_gradient;
  if (recorded && wants_gradient(c, args, 0)) check_inplace_history(c, args, log);
  for (size_t j = 0; j < args.t.size(); ++j)
    if (recorded && wants_gradient(c, args, j)) {
      check_inplace_refusals(c, args, j, log);
      if (!c.refuses_gradient) check_inplace_of_one(c, args, j, log);
    }
}

// ---------------------------------------------------------------- out

void check_out_gradients(const OpCase& c, const Args& args, const Tensor& like, Log& log) {
  Tensor asks = to_tensor(Array(like.sizes().vec(), 1), like.scalar_type()).requires_grad_();
  expect_refused("out that requires a gradient", kOutGradient, asks, log,
                 [&] { c.out(asks, args); });
  for (size_t j = 0; j < args.t.size(); ++j) {
    if (!wants_gradient(c, args, j)) continue;
    Args leaves = copy(args);
    leaves.t[j].requires_grad_();
    Tensor z = to_tensor(Array(like.sizes().vec(), 1), like.scalar_type());
    expect_refused("out of an input that requires a gradient", kOutGradient, z, log,
                   [&] { c.out(z, leaves); });
    const NoGradGuard no_grad;
    c.out(z, leaves);
    log.compare("out under no_grad", read(z), read(like), {0, 0});
  }
}

ScalarType lower_kind(ScalarType t) {
  return isComplexType(t) ? kDouble : isFloatingType(t) ? kLong : kBool;
}

/// Integers cannot hold floating results, real numbers complex ones, and bools neither. But `out`
/// chooses the dtype of sums and products: their operands are cast.
void check_out_kind(const OpCase& c, const Args& args, const Tensor& like, Log& log) {
  if (like.scalar_type() == kBool) return;
  const ScalarType lower = lower_kind(like.scalar_type());
  const auto make = [&] { return to_tensor(Array(like.sizes().vec(), 1), lower); };
  Tensor z = make();
  try {
    c.out(z, args);
  } catch (const std::exception&) {
    Tensor untouched = make();
    return expect_refused("out of a lower kind", "type", untouched, log,
                          [&] { c.out(untouched, args); });
  }
  Args cast = args;
  for (Tensor& t : cast.t)
    if (t.scalar_type() == like.scalar_type()) t = t.to(lower);
  log.compare("out of a lower kind", read(z), read(c.call(cast)[0]), {0, 0});
}

// But for numbers, which go anywhere.
void check_out_elsewhere(const OpCase& c, const Args& args, const Tensor& like, Log& log) {
  const auto is_number = [](const Tensor& t) { return t.dim() == 0; };
  if (!cuda::is_available() || std::all_of(args.t.begin(), args.t.end(), is_number)) return;
  Tensor z = to_tensor(Array(like.sizes().vec(), 1), like.scalar_type()).to(kCUDA);
  expect_refused("out on another device", "device", z, log, [&] { c.out(z, args); });
}

void check_out(const OpCase& c, const Args& args, Log& log) {
  const Tensor want = c.call(args)[0];
  Tensor resized = to_tensor(Array({0}), want.scalar_type());
  const auto version = resized._version();
  c.out(resized, args);
  log.compare("out of another shape", read(resized), read(want), {0, 0});
  if (resized._version() == version) log.add("out: expected a new version");
  Tensor spread = offset_and_spread(to_tensor(Array(want.sizes().vec(), 5), want.scalar_type()));
  c.out(spread, args);
  expect_written("out to a strided tensor", spread, read(want), log);
  if (want.numel() > 1) {
    Tensor narrow = overlapping(want);
    expect_refused("out to an expanded tensor", kOverlap, narrow, log,
                   [&] { c.out(narrow, args); });
  }
  check_out_elsewhere(c, args, want, log);
  check_out_kind(c, args, want, log);
  if (c.differentiable && isFloatingOrComplexType(want.scalar_type()))
    check_out_gradients(c, args, want, log);
}

}  // namespace

Failures check_forms(const OpCase& c) {
  Failures failures;
  Log log(failures);
  for (const Args& args : c.samples(widest_dtype(c))) {
    if (!is_small(args)) continue;
    log.sample(args);
    if (c.inplace) log.guarded([&] { check_inplace(c, args, log); });
    if (c.out) log.guarded([&] { check_out(c, args, log); });
  }
  return failures;
}

}  // namespace torch::taper::testing
