#include <taper/testing/problem.h>

#include <iostream>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>

namespace torch::taper::testing::impl {

void check_arity(size_t expected, size_t got) {
  TAPER_CHECK_VALUE(expected == got, "gradcheck: expected ", expected,
                    " inputs for a function of that many tensors, got ", got);
}

Problem::Problem(const TensorFunction& fn, const variable_list& in, const GradcheckOptions& o,
                 GradcheckReport& r)
    : options(o), report(r), inputs(in), fn_(fn) {
  check_inputs();
  if (options.same_random_numbers()) random_states_.emplace();
  record();
}

void Problem::check_inputs() {
  TAPER_CHECK_VALUE(options.eps() > 0, "gradcheck: expected a positive eps, got ", options.eps());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].defined() && inputs[i].requires_grad()) check_input(i);
  TAPER_CHECK_VALUE(!wanted.empty(),
                    "gradcheck expects at least one input tensor to require gradient, but none of "
                    "the them have requires_grad=True.");
  for (size_t k = 0; k < wanted.size(); ++k)
    for (const Tensor& other : inputs)
      TAPER_CHECK(!other.defined() || other.is_same(wanted[k]) || !overlap(wanted[k], other),
                  "gradcheck: ", input_name(k),
                  " shares memory with another input, so that varying one would vary the other. "
                  "You should pass a clone.");
}

void Problem::check_input(size_t i) {
  const Tensor& x = inputs[i];
  for (int64_t d = 0; d < x.dim(); ++d)
    TAPER_CHECK(x.stride(d) != 0 || x.size(d) <= 1 || x.numel() == 0, "The ", i,
                "th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You "
                "should call .contiguous on the input before passing it to gradcheck.");
  TAPER_CHECK(!overlaps_itself(x), "The ", i,
              "th input has elements that share memory. gradcheck only supports inputs that are "
              "non-overlapping to be able to compute the numerical gradients correctly. You should "
              "call .contiguous on the input before passing it to gradcheck.");
  if (toRealValueType(x.scalar_type()) != kDouble) {
    report.notes.push_back(concat(
        "Input #", i,
        " requires gradient and is not a double precision floating point or complex, but ",
        x.scalar_type(), ". This check will likely fail: differences of that dtype drown in ",
        "rounding. Convert the input with .to(kDouble)."));
    std::cerr << "Warning: " << report.notes.back() << '\n';
  }
  wanted.push_back(x);
  wanted_at.push_back(i);
}

void Problem::record() {
  outputs = call(inputs);
  TAPER_CHECK_VALUE(!outputs.empty(),
                    "gradcheck: expected a function that returns tensors, got none");
  offset.assign(outputs.size(), 0);
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Tensor& y = outputs[k];
    if (!y.defined() || !isFloatingOrComplexType(y.scalar_type())) continue;
    floating.push_back(k);
    offset[k] = num_values;
    num_values += num_parts(y);
    if (y.requires_grad()) recorded.push_back(k);
  }
}

variable_list Problem::call(const variable_list& in) const {
  const AutoGradMode on(true);
  if (random_states_) random_states_->restore();
  return fn_(in);
}

void Problem::values(std::vector<double>& to) const {
  const variable_list now = call(inputs);
  TAPER_CHECK(now.size() == outputs.size(), "gradcheck: fn returned ", outputs.size(),
              " outputs at first, and ", now.size(), " in another call");
  to.resize(static_cast<size_t>(num_values));
  for (size_t k : floating) {
    TAPER_CHECK(now[k].defined() && now[k].sizes() == outputs[k].sizes() &&
                    now[k].is_complex() == outputs[k].is_complex(),
                "gradcheck: ", output_name(k), " was ", outputs[k].scalar_type(), " of sizes ",
                outputs[k].sizes(), " at first, and something else in another call");
    read_into(now[k], to.data() + offset[k]);
  }
}

std::string Problem::input_name(size_t k) const {
  const size_t i = wanted_at[k];
  return i < options.input_names().size() ? options.input_names()[i] : concat("input ", i);
}
std::string Problem::output_name(size_t k) const {
  return k < options.output_names().size() ? options.output_names()[k] : concat("output ", k);
}
std::string Problem::output_place(size_t k, int64_t element) const {
  return output_name(k) + part_text(element, outputs[k]);
}
std::string Problem::input_place(size_t k, int64_t element) const {
  return input_name(k) + part_text(element, wanted[k]);
}

void Problem::fail(Kind kind, std::string message) const {
  GradcheckFailure failure;
  failure.kind = kind;
  failure.message = std::move(message);
  report.failures.push_back(std::move(failure));
}

variable_list Problem::gradients(const variable_list& of, const variable_list& cotangents) const {
  return autograd::grad(of, wanted, cotangents, true, false, true);
}

variable_list recorded_of(const variable_list& outputs) {
  variable_list list;
  for (const Tensor& y : outputs)
    if (y.defined() && isFloatingOrComplexType(y.scalar_type()) && y.requires_grad())
      list.push_back(y);
  return list;
}

variable_list cotangents_for(const variable_list& outputs, uint64_t seed) {
  Dice dice(seed);
  variable_list list;
  for (const Tensor& y : outputs) {
    std::vector<double> v(static_cast<size_t>(num_parts(y)));
    for (double& x : v) x = dice.weight();
    list.push_back(write_like(v, y));
  }
  return list;
}

}  // namespace torch::taper::testing::impl
