#include <taper/testing/fuzz.h>

#include <cstdlib>
#include <iostream>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/testing/compare_devices.h>
#include <taper/testing/fuzz_case.h>
#include <taper/testing/gradcheck.h>

namespace torch::taper::testing {

using impl::Dice;
using impl::FuzzCase;
using taper::detail::concat;

namespace {

/// Describes a failed check: its name and its text. An empty name means no failure.
struct Finding {
  std::string check, text;
  bool found() const { return !check.empty(); }
};

class Fuzzer {
 public:
  Fuzzer(const TensorFunction& fn, const std::vector<FuzzInput>& inputs, const FuzzOptions& options)
      : fn_(fn), inputs_(inputs), options_(options) {}

  /// Runs all checks. An exception is a finding too.
  Finding run(const FuzzCase& c) const {
    std::string check = "call";
    try {
      return checked(c, check);
    } catch (const std::exception& e) {
      return {check, concat("threw: ", e.what())};
    }
  }
  /// Finds the smallest case that fails in the given check. Counts the steps.
  FuzzCase shrink(FuzzCase c, const std::string& check, int& steps) const {
    for (bool again = true; again;) {
      again = false;
      for (const FuzzCase& next : impl::simpler(c, inputs_)) {
        if (++tried_ > kMostTries) return c;
        if (run(next).check != check) continue;
        c = next, again = true, ++steps;
        break;
      }
    }
    return c;
  }

 private:
  Finding checked(const FuzzCase& c, std::string& check) const {
    const std::vector<Tensor> wide = impl::tensors_of(c, inputs_);
    const std::vector<Tensor> plain = impl::in_dtype(wide, c.dtype);
    const std::vector<Tensor> results = call(plain);
    Finding f;
    if (options_.finite()) f = check_finite(results);
    check = "layout";
    if (!f.found()) f = check_layout(c, plain, results);
    check = "dtype";
    if (!f.found()) f = check_dtype(c, plain, results);
    check = "reference";
    if (!f.found()) f = check_reference(c, plain, results);
    check = "device";
    if (!f.found()) f = check_devices(plain);
    check = "gradient";
    if (!f.found() && options_.gradients()) f = check_gradients(c, wide);
    return f;
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs) const {
    const NoGradGuard no_grad;
    return fn_(inputs);
  }

  static Finding check_finite(const std::vector<Tensor>& results) {
    for (size_t k = 0; k < results.size(); ++k) {
      if (!results[k].defined() || !isFloatingOrComplexType(results[k].scalar_type())) continue;
      const std::string wrong = not_finite(results[k]);
      if (!wrong.empty()) return {"finite", concat("output ", k, ": ", wrong)};
    }
    return {};
  }

  static Finding compare(const char* check, const std::vector<Tensor>& got,
                         const std::vector<Tensor>& want, Tolerance tolerance) {
    if (got.size() != want.size())
      return {check, concat("expected ", want.size(), " outputs, got ", got.size())};
    for (size_t k = 0; k < want.size(); ++k) {
      const std::string d = difference(got[k], want[k], tolerance);
      if (!d.empty()) return {check, concat("output ", k, ": ", d)};
    }
    return {};
  }
  Tolerance wide_tolerance(ScalarType t, double factor) const {
    const Tolerance d = default_tolerance(t, t);
    return {d.rtol * factor, d.atol * factor};
  }

  Finding check_layout(const FuzzCase& c, const std::vector<Tensor>& plain,
                       const std::vector<Tensor>& results) const {
    return compare("layout", call(impl::laid_out(c, plain)), results, wide_tolerance(c.dtype, 1));
  }
  // Both start from equal values, those of the narrow dtype.
  static std::vector<Tensor> widened(const std::vector<Tensor>& plain) {
    std::vector<Tensor> list;
    for (const Tensor& t : plain) list.push_back(t.is_floating_point() ? t.to(kDouble) : t);
    return list;
  }
  Finding check_dtype(const FuzzCase& c, const std::vector<Tensor>& plain,
                      const std::vector<Tensor>& results) const {
    if (c.dtype == kDouble || !isFloatingType(c.dtype) || options_.dtype_tolerance() == 0)
      return {};
    return compare("dtype", results, call(widened(plain)),
                   wide_tolerance(c.dtype, options_.dtype_tolerance()));
  }
  Finding check_reference(const FuzzCase& c, const std::vector<Tensor>& plain,
                          const std::vector<Tensor>& results) const {
    for (const TensorFunction& reference : options_.reference()) {
      const NoGradGuard no_grad;
      const double factor = c.dtype == kDouble ? 1 : options_.dtype_tolerance();
      Finding f =
          compare("reference", results, reference(widened(plain)), wide_tolerance(c.dtype, factor));
      if (f.found()) return f;
    }
    return {};
  }
  Finding check_devices(const std::vector<Tensor>& plain) const {
    if (options_.devices().empty()) return {};
    std::vector<Device> devices = {Device(kCPU)};
    devices.insert(devices.end(), options_.devices().begin(), options_.devices().end());
    const Verdict v =
        compare_devices(fn_, plain, devices, CompareDevicesOptions().gradients(false));
    return v.passed() ? Finding{} : Finding{"device", v.text()};
  }

  Finding check_gradients(const FuzzCase& c, const std::vector<Tensor>& wide) const {
    std::vector<Tensor> inputs = impl::laid_out(c, wide);
    int64_t numel = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs_[i].has_gradient || inputs[i].scalar_type() != kDouble) continue;
      // gradcheck varies elements separately, so each needs its own memory.
      if (impl::overlaps_itself(inputs[i])) inputs[i] = inputs[i].contiguous();
      inputs[i] = inputs[i].detach().requires_grad_();
      numel += inputs[i].numel();
    }
    if (numel == 0 || numel > options_.gradient_numel()) return {};
    autograd::GradcheckOptions o;
    o.fast_mode(true).allow_constant(true).seed(c.values + 1);
    autograd::GradcheckReport r = autograd::gradcheck_report(fn_, inputs, o);
    if (!r.passed()) return {"gradient", r.text()};
    if (options_.second_gradients()) r = autograd::gradgradcheck_report(fn_, inputs, {}, o);
    return r.passed() ? Finding{} : Finding{"second gradient", r.text()};
  }

  static constexpr int kMostTries = 500;
  const TensorFunction& fn_;
  const std::vector<FuzzInput>& inputs_;
  const FuzzOptions& options_;
  mutable int tried_ = 0;
};

int64_t number_of(const char* variable, int64_t otherwise) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return otherwise;
  char* end = nullptr;
  const long long n = std::strtoll(text, &end, 10);
  TAPER_CHECK_VALUE(!*end && n >= 0, "fuzz: expected ", variable, " to be a number, got '", text,
                    "'");
  return n;
}

std::string report(const std::string& name, const FuzzCase& c, const std::vector<FuzzInput>& inputs,
                   const Finding& f) {
  return concat("  ", impl::describe_case(c, inputs), "\n  run it again: TAPER_FUZZ='", name, ": ",
                impl::case_text(c), "'\n  ", f.check, ": ", f.text);
}

/// Reads the case from TAPER_FUZZ. Returns false if it is for another name.
bool given_case(const std::string& name, const std::vector<FuzzInput>& inputs, FuzzCase& c) {
  const char* text = std::getenv("TAPER_FUZZ");
  const std::string given = text ? text : "", prefix = name + ": ";
  if (given.compare(0, prefix.size(), prefix) != 0) return false;
  c = impl::parse_case(given.substr(prefix.size()), inputs);
  return true;
}

void check_arguments(const std::vector<FuzzInput>& inputs, const FuzzOptions& options) {
  TAPER_CHECK_VALUE(!inputs.empty(), "fuzz: expected at least one input");
  TAPER_CHECK_VALUE(!options.dtypes().empty(), "fuzz: expected at least one dtype");
  for (const FuzzInput& input : inputs) impl::shape_words(input.shape());
}

}  // namespace

Verdict fuzz(const std::string& name, const TensorFunction& fn,
             const std::vector<FuzzInput>& inputs, const FuzzOptions& options) {
  check_arguments(inputs, options);
  const Fuzzer fuzzer(fn, inputs, options);
  Verdict verdict;
  FuzzCase c;
  if (given_case(name, inputs, c)) {
    const Finding f = fuzzer.run(c);
    if (f.found())
      verdict.failures.push_back(concat("fuzz '", name, "' fails\n", report(name, c, inputs, f)));
    verdict.notes.push_back("only the case of TAPER_FUZZ was run");
    return verdict;
  }
  const int64_t runs = number_of("TAPER_FUZZ_RUNS", options.runs());
  const auto seed =
      static_cast<uint64_t>(number_of("TAPER_FUZZ_SEED", static_cast<int64_t>(options.seed())));
  const bool verbose = options.verbose() || number_of("TAPER_FUZZ_VERBOSE", 0) != 0;
  Dice dice(seed);
  for (int64_t i = 0; i < runs; ++i) {
    c = impl::random_case(inputs, options, dice);
    if (verbose) std::cerr << "fuzz '" << name << "': " << impl::case_text(c) << std::endl;
    const Finding first = fuzzer.run(c);
    if (!first.found()) continue;
    int steps = 0;
    const FuzzCase smallest = fuzzer.shrink(c, first.check, steps);
    verdict.failures.push_back(concat("fuzz '", name, "': run ", i + 1, " of ", runs, " with seed ",
                                      seed, " fails; the smallest case after ", steps,
                                      " steps from ", impl::describe_case(c, inputs), ":\n",
                                      report(name, smallest, inputs, fuzzer.run(smallest))));
    return verdict;
  }
  return verdict;
}

}  // namespace torch::taper::testing
