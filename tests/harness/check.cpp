#include "harness/check.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <string_view>

#include <taper/framework/runtime/devices.h>

#include "harness/check_shared.h"
#include "harness/guarded_memory.h"

namespace torch::taper::testing {

// ---------------------------------------------------------------------- value
namespace {

void check_out_form(const OpCase& c, const Args& args, const Results& plain, Log& log) {
  const Array want = read(plain[0]);
  Tensor fresh = to_tensor(Array(want.sizes, 77), plain[0].scalar_type());
  const Tensor returned = c.out(fresh, args);
  if (!returned.is_same(fresh)) log.add("out form: expected the given tensor as result");
  log.compare("out form", read(fresh), want, {0, 0});
}

void check_inplace_form(const OpCase& c, const Args& args, const Results& plain, Log& log) {
  Args own = copy(args);
  const auto version = own.t[0]._version();
  const Tensor returned = c.inplace(own);
  if (!returned.is_same(own.t[0])) log.add("in-place form: expected the given tensor as result");
  if (own.t[0]._version() == version) log.add("in-place form: expected a new version");
  log.compare("in-place form", read(own.t[0]), read(plain[0]), {0, 0});
}

void check_value_of(const OpCase& c, ScalarType dtype, const Args& args, Log& log) {
  const Results got = c.call(args);
  const ScalarType want_dtype = c.result_dtype ? c.result_dtype(dtype) : dtype;
  if (got.empty()) return log.add("expected a result");
  if (got[0].scalar_type() != want_dtype)
    log.add("expected a result of dtype ", want_dtype, ", got ", got[0].scalar_type());
  compare_results(c, got, c.reference(read(args)), "value", log);
  if (c.out) check_out_form(c, args, got, log);
  if (c.inplace && fits_in_place(got[0], args)) check_inplace_form(c, args, got, log);
}

// ---------------------------------------------------------------------- memory
/// Results that lie at edges, made again by the other forms.
void write_at_edge(const OpCase& c, const Args& args, const Tensor& result, Edge edge) {
  if (c.inplace && fits_in_place(result, args)) c.inplace(at_edge(args, edge));
  if (!c.out) return;
  Tensor to = at_edge(result, edge);
  c.out(to, args);
}

void go_back_at_edge(const OpCase& c, const Args& given, Edge edge) {
  Args leaves = at_edge(given, edge);
  for (size_t j = 0; j < leaves.t.size(); ++j)
    if (wants_gradient(c, leaves, j)) leaves.t[j].set_requires_grad(true);
  const Results results = differentiable_of(c.call(leaves));
  Random random(5);
  std::vector<Tensor> cotangents;
  for (const Tensor& g : cotangents_for(results, random)) cotangents.push_back(at_edge(g, edge));
  run_backward(results, cotangents, false);
}

/// Calls and gradients read and write no element beside those of their tensors.
void check_edges(const OpCase& c, const Args& args, Log& log) {
  const CrashesNameTheCase crashes(c.name);
  const Results got = c.call(args);
  Arrays want;
  for (const Tensor& t : got) want.push_back(read(t));
  for (const Edge edge : {Edge::kFront, Edge::kBack}) {
    compare_results(c, c.call(at_edge(args, edge)), want, "at the edge of memory", log);
    if (got[0].device().is_cpu()) write_at_edge(c, args, got[0], edge);
    if (c.differentiable && isFloatingOrComplexType(args.t[0].scalar_type()))
      go_back_at_edge(c, args, edge);
  }
}

}  // namespace

namespace {

bool same_number(double g, double w) { return g == w || (std::isnan(g) && std::isnan(w)); }

/// Why a complex number is not what it should be; empty where it is.
std::string complex_difference(std::complex<double> g, std::complex<double> w, double rtol,
                               double atol) {
  if (same_number(g.real(), w.real()) && same_number(g.imag(), w.imag())) return "";
  const bool is_close = std::abs(g - w) <= atol + rtol * std::abs(w);
  if (is_close && !std::isinf(std::abs(w))) return "";
  return concat("expected ", w.real(), " + ", w.imag(), "i, got ", g.real(), " + ", g.imag(), "i");
}

std::string complex_difference(const Array& got, const Array& want, double rtol, double atol) {
  for (int64_t i = 0; i < want.numel(); ++i) {
    const std::string d = complex_difference(got.z(i), want.z(i), rtol, atol);
    if (!d.empty()) return concat(d, " at element ", i, " of ", IntArrayRef(want.sizes));
  }
  return "";
}

}  // namespace

std::string difference(const Array& got, const Array& want, double rtol, double atol) {
  if (got.sizes != want.sizes)
    return concat("expected sizes ", IntArrayRef(want.sizes), ", got ", IntArrayRef(got.sizes));
  if (!got.im.empty() || !want.im.empty()) return complex_difference(got, want, rtol, atol);
  for (int64_t i = 0; i < want.numel(); ++i) {
    const double g = got.v[i], w = want.v[i];
    const bool same = same_number(g, w);
    // Not `err > tol`: that lets a NaN pass.
    if (!same && !(std::abs(g - w) <= atol + rtol * std::abs(w)))
      return concat("expected ", w, " at element ", i, " of ", IntArrayRef(want.sizes), ", got ",
                    g);
    if (!same && std::isinf(w)) return concat("expected ", w, " at element ", i, ", got ", g);
  }
  return "";
}

Failures check_value(const OpCase& c) {
  Failures failures;
  Log log(failures);
  for (ScalarType dtype : c.dtypes)
    for (const Args& args : c.samples(dtype)) {
      log.sample(args);
      log.guarded([&] { check_value_of(c, dtype, args, log); });
      log.guarded([&] { check_edges(c, args, log); });
    }
  return failures;
}

// ---------------------------------------------------------------------- device

std::vector<Device> other_devices(std::vector<std::string>* skipped) {
  std::vector<Device> devices;
  if (cuda::is_available())
    devices.push_back(Device(kCUDA, 0));
  else if (skipped)
    skipped->push_back("cuda");
  return devices;
}

Failures check_device(const OpCase& c, std::vector<std::string>* skipped) {
  Failures failures;
  Log log(failures);
  const WithoutTf32 full_precision;
  for (Device device : other_devices(skipped))
    for (ScalarType dtype : c.dtypes)
      for (const Args& args : c.samples(dtype)) {
        log.sample(args, " on " + device.str());
        log.guarded([&] {
          Args moved = args;
          for (Tensor& t : moved.t) t = t.to(device);
          const Results got = c.call(moved), want = c.call(args);
          Arrays arrays;
          for (const Tensor& w : want) arrays.push_back(read(w));
          compare_results(c, got, arrays, "device", log);
        });
      }
  return failures;
}

// ---------------------------------------------------------------------- errors

namespace {

bool begins_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// Whether a message begins with the name of an op, as in "softmax: ..." and "einsum() ...", or
/// with words of LibTorch's that begin with the name of this one ("glu does not support ...").
bool begins_with_op(const OpCase& c, std::string_view message) {
  const size_t end =
      std::find_if(message.begin(), message.end(),
                   [](unsigned char ch) { return !std::isalnum(ch) && ch != '_' && ch != '.'; }) -
      message.begin();
  std::string word(message.substr(0, end));
  const std::string_view rest = message.substr(end);
  if (word.empty() || begins_with(rest, ": ") || begins_with(rest, "(")) return !word.empty();
  for (const std::string_view prefix : {"torch.", "tensor."})
    if (begins_with(word, prefix)) word.erase(0, prefix.size());
  std::replace(word.begin(), word.end(), '.', '_');  // of "linalg.cond"
  if (!word.empty() && word.back() == '_') word.pop_back();
  if (word.empty()) return false;
  return word == c.name || std::find(c.covers.begin(), c.covers.end(), word) != c.covers.end();
}

}  // namespace

Failures check_errors(const OpCase& c) {
  Failures failures;
  Log log(failures);
  for (const ErrorCase& e : c.errors) {
    log.context(e.what);
    try {
      e.run();
      log.add("expected an error, got none");
    } catch (const std::exception& got) {
      if (!e.is_type(got)) log.add("expected an error of type ", e.type, ", got ", got.what());
      if (!std::strstr(got.what(), e.what.c_str())) log.add("got the words: ", got.what());
      if (!begins_with_op(c, got.what()))
        log.add("expected a message that begins with the op's name, got: ", got.what());
    }
  }
  return failures;
}

}  // namespace torch::taper::testing
