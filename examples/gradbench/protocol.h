// The protocol of GradBench (https://github.com/gradbench/gradbench). A message is a line of JSON.
// It names a module, such as "gmm", a function of it, such as "jacobian", and an input. The
// response has the function's output, and the time of each call.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tensors.h"

using Tensors = std::vector<Tensor>;

/// A function with its input, which is read before. `compute` is timed. `write` makes the output.
struct Evaluation {
  std::function<Tensors()> compute;
  std::function<Json(const Tensors&)> write = [](const Tensors& y) { return to_json(y.at(0)); };
};
/// The functions of a module, by name. Each takes the input of a message.
using Module = std::map<std::string, std::function<Evaluation(const Json& input)>>;
using Modules = std::map<std::string, Module>;

/// Returns the evaluation of a function of tensors that returns one.
template <class F, class... Args>
Evaluation evaluation(F f, Args... args) {
  Evaluation one;
  one.compute = [f, args...] { return Tensors{f(args...)}; };
  return one;
}

/// Returns the named element. Throws std::invalid_argument if there is none.
template <class T>
const T& named(const std::map<std::string, T>& all, const std::string& name,
               const std::string& kind) {
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  std::string names;
  for (const auto& each : all) names += (names.empty() ? "" : ", ") + each.first;
  throw std::invalid_argument("expected as " + kind + " one of " + names + ", got " + name);
}

template <class Body>
int64_t nanoseconds(const Body& body) {
  using namespace std::chrono;
  const auto start = steady_clock::now();
  body();
  return duration_cast<std::chrono::nanoseconds>(steady_clock::now() - start).count();
}
inline Json timing(const char* name, int64_t nanoseconds) {
  return {{"name", name}, {"nanoseconds", nanoseconds}};
}

/// Prepares a function and calls it `min_runs` times, or more often until `min_seconds` are over.
/// Returns the output and the times.
inline Json evaluate(const Json& message, const Modules& modules) {
  const Json& input = message.at("input");
  const auto& prepare =
      named(named(modules, message.at("module"), "module"), message.at("function"), "function");
  const bool has_runs = input.is_object() && input.contains("min_runs");
  const bool has_seconds = input.is_object() && input.contains("min_seconds");
  const int64_t runs = has_runs ? count(input, "min_runs") : 1;
  const double seconds = has_seconds ? number(input, "min_seconds") : 0;
  Evaluation one;
  Json timings = {timing("prepare", nanoseconds([&] { one = prepare(input); }))};
  Tensors results;
  int64_t calls = 0;
  for (double left = seconds; calls < runs || left > 0; ++calls) {
    results.clear();
    const int64_t ns = nanoseconds([&] { results = one.compute(); });
    timings.push_back(timing("evaluate", ns));
    left -= static_cast<double>(ns) * 1e-9;
  }
  return {{"success", true}, {"output", one.write(results)}, {"timings", timings}};
}

/// Returns the response to a message. An error is part of it.
inline Json respond(const Json& message, const Modules& modules) {
  Json response;
  try {
    const std::string kind = message.at("kind");
    if (kind == "evaluate") response = evaluate(message, modules);
    if (kind == "define") {
      named(modules, message.at("module"), "module");
      response = {{"success", true}};
    }
    if (kind == "start") response = {{"tool", "taper"}};
  } catch (const std::exception& e) {
    response = {{"success", false}, {"error", e.what()}};
  }
  response["id"] = message.at("id");
  return response;
}
