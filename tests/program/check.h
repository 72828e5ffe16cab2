// Compares what a program computes with what PyTorch computed (make_files.py, models.py).
#pragma once

#include <taper/program/program.h>
#include <taper/taper.h>

#include <algorithm>
#include <string>
#include <vector>

namespace torch::taper::testing {

/// The largest relative differences, and what was compared.
struct Differences {
  double outputs = 0, buffers = 0, gradients = 0, sgd = 0, adamw = 0;
  bool learns = false;
};

/// What PyTorch says of a program.
struct Expected {
  explicit Expected(const std::string& path) : all(load_pt(path).toGenericDict()) {
    for (const IValue& v : all.at("inputs").toList()) inputs.push_back(v);
    for (const auto& entry : all.at("named").toGenericDict())
      named.emplace(entry.key().toStringRef(), entry.value());
  }
  bool has(const char* key) const { return all.contains(key); }
  GenericDict dict(const char* key) const { return all.at(key).toGenericDict(); }

  GenericDict all;
  std::vector<IValue> inputs;
  ProgramModuleImpl::Named named;
};

/// Returns a copy with new tensors, since a program may change its inputs.
inline IValue copied(const IValue& v) {
  if (v.isTensor()) return v.toTensor().clone();
  if (v.isTuple()) {
    std::vector<IValue> all;
    for (const IValue& e : v.toTupleRef().elements()) all.push_back(copied(e));
    return ivalue::Tuple::create(std::move(all));
  }
  if (v.isList()) {
    std::vector<IValue> all;
    for (const IValue& e : v.toList()) all.push_back(copied(e));
    return GenericList(std::move(all));
  }
  if (v.isGenericDict()) {
    GenericDict dict;
    for (const auto& entry : v.toGenericDict()) dict.insert(entry.key(), copied(entry.value()));
    return dict;
  }
  return v;
}

inline void add_tensors(const IValue& value, std::vector<Tensor>& all) {
  if (value.isTensor()) all.push_back(value.toTensor());
  if (value.isTuple())
    for (const IValue& v : value.toTupleRef().elements()) add_tensors(v, all);
  if (value.isList())
    for (const IValue& v : value.toList()) add_tensors(v, all);
  if (value.isGenericDict())
    for (const auto& entry : value.toGenericDict()) add_tensors(entry.value(), all);
}
inline std::vector<Tensor> call(ProgramModule& net, const Expected& e) {
  std::vector<IValue> inputs;
  for (const IValue& v : e.inputs) inputs.push_back(copied(v));
  ProgramModuleImpl::Named named;
  for (const auto& [name, v] : e.named) named.emplace(name, copied(v));
  std::vector<Tensor> all;
  add_tensors(net->run(std::move(inputs), named), all);
  return all;
}

/// Returns max |a - b| / max |b|. Other sizes, and a NaN on one side, are infinite differences.
inline double difference(const Tensor& a, const Tensor& b) {
  if (!a.defined() || a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) return INFINITY;
  if (a.numel() == 0) return 0;
  const Tensor x = a.detach().to(kDouble), y = b.detach().to(kDouble);
  if (!x.isnan().equal(y.isnan()) || !x.isinf().equal(y.isinf())) return INFINITY;
  const Tensor finite = y.isfinite();
  const auto value = [&](const Tensor& t) {
    return t.masked_fill(~finite, 0).abs().max().item<double>();
  };
  const double largest = value(y);
  return value(x - y) / (largest > 0 ? largest : 1);
}
inline double largest(double a, double b) { return a >= b ? a : b; }  // NaN stays

inline Tensor loss_of(const std::vector<Tensor>& outputs) {
  Tensor loss;
  for (const Tensor& t : outputs) {
    if (!t.is_floating_point()) continue;
    const Tensor ramp = linspace(-1, 1, t.numel(), t.scalar_type()).view(t.sizes());
    const Tensor part = (t * t).mean() + (t * ramp).mean();
    loss = loss.defined() ? loss + part : part;
  }
  return loss;
}

inline std::vector<Tensor> learning(ProgramModule& net) {
  std::vector<Tensor> all;
  for (const Tensor& p : net->parameters())
    if (p.requires_grad()) all.push_back(p);
  return all;
}

template <class Optimizer>
double train(ProgramModule net, const Expected& e, Optimizer optimizer, const char* name) {
  double worst = 0, scale = 0;  // a loss may pass through zero
  const GenericList losses = e.all.at(name).toList();
  for (const IValue& expected : losses)
    scale = std::max(scale, std::abs(expected.toScalar().toDouble()));
  for (const IValue& expected : losses) {
    optimizer.zero_grad();
    const Tensor loss = loss_of(call(net, e));
    loss.backward();
    optimizer.step();
    const double off = std::abs(loss.item<double>() - expected.toScalar().toDouble());
    worst = largest(worst, off / std::max(scale, 1e-30));
  }
  return worst;
}

inline double gradients(const std::string& program, const Expected& e) {
  ProgramModule net = load_program(program);
  loss_of(call(net, e)).backward();
  const auto parameters = net->named_parameters();
  double scale = 0, worst = 0;  // small gradients are noise beside large ones
  for (const auto& entry : e.dict("gradients"))
    scale = std::max(scale, entry.value().toTensor().abs().max().template item<double>());
  for (const auto& entry : e.dict("gradients")) {
    const Tensor* p = parameters.find(entry.key().toStringRef());
    if (!p) return INFINITY;
    const Tensor want = entry.value().toTensor();
    // PyTorch's cond gives zeros to the branch that did not run.
    if (!p->grad().defined() && want.count_nonzero().template item<int64_t>() == 0) continue;
    if (!p->grad().defined()) return INFINITY;
    const double own = want.abs().max().template item<double>();
    worst = largest(worst, difference(p->grad(), want) * own / std::max(own, 0.01 * scale));
  }
  return worst;
}

/// Loads a program, runs and trains it, and compares with PyTorch.
inline Differences check(const std::string& program, const std::string& expected) {
  const Expected e(expected);
  Differences found;
  ProgramModule net = load_program(program);
  const std::vector<Tensor> outputs = call(net, e);
  const GenericList wanted = e.all.at("outputs").toList();
  if (outputs.size() != wanted.size()) found.outputs = INFINITY;
  for (size_t i = 0; i < std::min(outputs.size(), wanted.size()); ++i)
    found.outputs = largest(found.outputs, difference(outputs[i], wanted.get(i).toTensor()));
  const auto buffers = net->named_buffers();
  for (const auto& entry : e.dict("buffers")) {
    const Tensor* b = buffers.find(entry.key().toStringRef());
    found.buffers = largest(found.buffers, b ? difference(*b, entry.value().toTensor()) : INFINITY);
  }
  found.learns = e.has("gradients");
  if (!found.learns) return found;
  found.gradients = gradients(program, e);
  ProgramModule a = load_program(program), b = load_program(program);
  found.sgd = train(a, e, optim::SGD(learning(a), optim::SGDOptions(1e-3).momentum(0.9)), "sgd");
  found.adamw = train(b, e, optim::AdamW(learning(b), optim::AdamWOptions(1e-3)), "adamw");
  return found;
}

}  // namespace torch::taper::testing
