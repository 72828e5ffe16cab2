#include <taper/testing/gradcheck.h>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/func/core.h>
#include <taper/testing/problem.h>

namespace torch::taper::autograd {

using testing::impl::Problem;

std::string GradcheckReport::text() const {
  std::string text;
  for (const GradcheckFailure& f : failures) {
    text += f.message;
    if (text.back() != '\n') text += '\n';
  }
  for (const std::string& note : notes) text += "note: " + note + "\n";
  return text;
}

namespace {

void check_options(const GradcheckOptions& o) {
  TAPER_CHECK_VALUE(o.check_forward_ad() || o.check_backward_ad(),
                    "gradcheck: expected check_forward_ad or check_backward_ad, got neither");
  TAPER_CHECK_VALUE(o.check_backward_ad() || !o.check_batched_grad(),
                    "gradcheck: check_batched_grad needs check_backward_ad");
  TAPER_CHECK_VALUE(o.check_forward_ad() || !o.check_batched_forward_grad(),
                    "gradcheck: check_batched_forward_grad needs check_forward_ad");
}

GradcheckReport report_of(const testing::TensorFunction& fn, const variable_list& inputs,
                          const GradcheckOptions& options) {
  GradcheckReport report;
  const AutoGradMode on(true);
  const Problem problem(fn, inputs, options, report);
  check_forward(problem);
  if (!report.passed()) return report;
  if (options.check_backward_ad()) {
    if (options.fast_mode())
      check_fast(problem);
    else
      check_slowly(problem);
    if (report.passed()) check_conditions(problem);
  }
  if (options.check_forward_ad() && report.passed()) check_forward_ad(problem);
  if (options.check_batched_grad() && report.passed()) check_batched_grad(problem);
  if (options.check_batched_forward_grad() && report.passed()) check_batched_forward_grad(problem);
  return report;
}

bool conclude(const char* what, const GradcheckReport& report, const GradcheckOptions& options) {
  if (report.passed()) return true;
  if (options.raise_exception()) throw GradcheckError(what + (" failed: " + report.text()));
  return false;
}

}  // namespace

GradcheckReport gradcheck_report(const testing::TensorFunction& fn, const variable_list& inputs,
                                 const GradcheckOptions& options) {
  check_options(options);
  return report_of(fn, inputs, options);
}

bool gradcheck(const testing::TensorFunction& fn, const variable_list& inputs,
               const GradcheckOptions& options) {
  return conclude("gradcheck", gradcheck_report(fn, inputs, options), options);
}

// ---------------------------------------------------------------------- second order
namespace {

Tensor random_cotangent(const Tensor& y, testing::impl::Dice& dice, bool with_gaps) {
  std::vector<double> v(static_cast<size_t>(testing::impl::num_parts(y)));
  for (double& x : v) x = dice.uniform(-1, 1);
  const Tensor plain = testing::impl::write_like(v, y);
  if (!with_gaps || plain.dim() == 0) return plain;
  Dims twice(plain.sizes());
  twice[twice.size() - 1] *= 2;
  const Tensor buffer = taper::detail::make_tensor(twice, plain.scalar_type(), plain.device());
  const NoGradGuard no_grad;
  Tensor gaps = buffer.slice(-1, 0, nullopt, 2).detach();
  gaps.copy_(plain);
  return gaps;
}

variable_list cotangents_of(const testing::TensorFunction& fn, const variable_list& inputs,
                            const GradcheckOptions& options, bool with_gaps) {
  const AutoGradMode on(true);
  const variable_list outputs = testing::impl::recorded_of(fn(inputs));
  TAPER_CHECK_VALUE(!outputs.empty(),
                    "gradgradcheck: expected a function with an output that requires a gradient, "
                    "got none (does any input require one?)");
  testing::impl::Dice dice(options.seed() + 17);
  variable_list list;
  for (const Tensor& y : outputs)
    list.push_back(random_cotangent(y, dice, with_gaps).requires_grad_());
  return list;
}

/// Returns the gradients of fn as a function of its inputs, followed by the cotangents.
testing::TensorFunction gradients_of(const testing::TensorFunction& fn,
                                     const std::vector<bool>& wanted) {
  return [fn, wanted](const variable_list& all) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(wanted.size());
    const variable_list inputs(all.begin(), middle), cotangents(middle, all.end());
    variable_list of;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (wanted[i]) of.push_back(inputs[i]);
    const variable_list outputs = testing::impl::recorded_of(fn(inputs));
    variable_list kept;
    for (const Tensor& g : grad(outputs, of, cotangents, true, true, true))
      if (g.defined()) kept.push_back(g);
    return kept;
  };
}

/// Does so by func::vjp, so that transformations can be applied.
testing::TensorFunction transformable_gradients_of(const testing::TensorFunction& fn,
                                                   const variable_list& originals,
                                                   const std::vector<bool>& wanted) {
  std::vector<bool> recorded;
  {
    const AutoGradMode on(true);
    for (const Tensor& y : fn(originals))
      recorded.push_back(!testing::impl::recorded_of({y}).empty());
  }
  return [fn, originals, wanted, recorded](const variable_list& all) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(wanted.size());
    const variable_list inputs(all.begin(), middle), cotangents(middle, all.end());
    variable_list of;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (wanted[i]) of.push_back(inputs[i]);
    const auto f = [&](const variable_list& x) {
      variable_list in = inputs, y;
      func::detail::Substitution with;
      for (size_t i = 0, k = 0; i < in.size(); ++i) {
        if (!wanted[i]) continue;
        in[i] = x[k++];
        with.add(originals[i], in[i]);
      }
      with.start();
      const variable_list outputs = fn(in);
      for (size_t i = 0; i < outputs.size(); ++i)
        if (recorded.at(i)) y.push_back(outputs[i]);
      const size_t count = y.size();
      return func::detail::Outputs{std::move(y), count};
    };
    return func::detail::vjp(f, of).product(cotangents);
  };
}

GradcheckOptions named(GradcheckOptions options, const std::vector<bool>& wanted,
                       size_t num_cotangents) {
  std::vector<std::string> names = options.input_names(), outputs;
  for (size_t i = names.size(); i < wanted.size(); ++i)
    names.push_back(taper::detail::concat("input ", i));
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) outputs.push_back("gradient of " + names[i]);
  for (size_t k = 0; k < num_cotangents; ++k)
    names.push_back(taper::detail::concat("grad_output ", k));
  options.input_names(names);
  options.output_names(outputs);
  return options;
}

}  // namespace

GradcheckReport gradgradcheck_report(const testing::TensorFunction& fn, const variable_list& inputs,
                                     const variable_list& grad_outputs,
                                     const GradcheckOptions& options, bool with_gaps) {
  std::vector<bool> wanted;
  for (const Tensor& x : inputs) wanted.push_back(x.defined() && x.requires_grad());
  const variable_list cotangents =
      grad_outputs.empty() ? cotangents_of(fn, inputs, options, with_gaps) : grad_outputs;
  variable_list all = inputs;
  all.insert(all.end(), cotangents.begin(), cotangents.end());
  check_options(options);
  const GradcheckOptions o = named(options, wanted, cotangents.size());
  GradcheckReport report;
  if (o.check_backward_ad()) {
    GradcheckOptions by_tape = o;
    by_tape.check_forward_ad(false).check_batched_grad(false).check_batched_forward_grad(false);
    report = report_of(gradients_of(fn, wanted), all, by_tape);
  }
  if (!report.passed() || !(o.check_forward_ad() || o.check_batched_grad())) return report;
  GradcheckOptions transformed = o;
  transformed.check_backward_ad(false);
  GradcheckReport more =
      report_of(transformable_gradients_of(fn, inputs, wanted), all, transformed);
  more.notes.insert(more.notes.begin(), report.notes.begin(), report.notes.end());
  return more;
}

bool gradgradcheck(const testing::TensorFunction& fn, const variable_list& inputs,
                   const variable_list& grad_outputs, const GradcheckOptions& options,
                   bool with_gaps) {
  return conclude("gradgradcheck",
                  gradgradcheck_report(fn, inputs, grad_outputs, options, with_gaps), options);
}

bool gradgradcheck(const testing::TensorFunction& fn, const variable_list& inputs,
                   const GradcheckOptions& options) {
  return gradgradcheck(fn, inputs, {}, options);
}

}  // namespace torch::taper::autograd
