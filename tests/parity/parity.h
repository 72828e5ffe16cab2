// What a parity program prints with: lines of "key<TAB>kind<TAB>values" that run.py compares.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace parity {

inline void line(const std::string& key, const char* kind, const std::string& text) {
  std::printf("%s\t%s\t", key.c_str(), kind);
  for (char c : text) c == '\n' ? (void)std::fputs("\\n", stdout) : (void)std::fputc(c, stdout);
  std::printf("\n");
  std::fflush(stdout);
}

inline std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}

/// Floats are compared with a tolerance, all else exactly.
inline void show(const std::string& key, double v) { line(key, "float", number(v)); }
inline void show(const std::string& key, float v) { show(key, static_cast<double>(v)); }
/// A number of a training run, step `i`: rounding differences of the steps before add up, so the
/// relative tolerance starts at `rtol` and grows by `growth` with every step.
inline void curve(const std::string& key, int i, double v, double rtol = 2e-5,
                  double growth = 1.1) {
  char kind[40];
  std::snprintf(kind, sizeof kind, "float:%.3g", rtol * std::pow(growth, i));
  line(key + "." + std::to_string(i), kind, number(v));
}
inline void show(const std::string& key, bool v) { line(key, "text", v ? "true" : "false"); }
inline void show(const std::string& key, int64_t v) { line(key, "text", std::to_string(v)); }
inline void show(const std::string& key, int v) { line(key, "text", std::to_string(v)); }
inline void show(const std::string& key, size_t v) { line(key, "text", std::to_string(v)); }
inline void show(const std::string& key, const std::string& v) { line(key, "text", v); }
inline void show(const std::string& key, const char* v) { line(key, "text", v); }

/// Dtype, sizes, whether it requires a gradient, then the values.
inline void show(const std::string& key, const torch::Tensor& t) {
  if (!t.defined()) return line(key, "text", "undefined");
  std::string about = torch::toString(t.scalar_type());
  about += " [";
  for (int64_t s : t.sizes()) about += std::to_string(s) + " ";
  about += t.requires_grad() ? "] grad" : "]";
  line(key + ".is", "text", about);
  const bool exact = !t.is_floating_point();
  const torch::Tensor flat = t.detach().to(torch::kDouble).contiguous().reshape({-1});
  std::string values;
  for (int64_t i = 0; i < flat.numel(); ++i)
    values += (i ? " " : "") + number(flat.data_ptr<double>()[i]);
  line(key, exact ? "text" : "float", values);
}
inline void show(const std::string& key, const std::vector<torch::Tensor>& list) {
  show(key + ".size", list.size());
  for (size_t i = 0; i < list.size(); ++i) show(key + "." + std::to_string(i), list[i]);
}

/// The text of a tensor, module, ... as operator<< prints it.
template <class T>
void print(const std::string& key, const T& value) {
  std::ostringstream out;
  out << value;
  line(key, "text", out.str());
}

/// The type and the first line of the error that `body` throws, without the hint that may follow.
template <class Body>
void error(const std::string& key, const Body& body) {
  const auto first_line = [](const std::string& text) {
    return text.substr(0, std::min(text.find('\n'), text.find(" Hint: ")));
  };
  try {
    body();
    line(key, "error", "no error");
  } catch (const c10::IndexError& e) {
    line(key, "error", "IndexError: " + first_line(e.what_without_backtrace()));
  } catch (const c10::ValueError& e) {
    line(key, "error", "ValueError: " + first_line(e.what_without_backtrace()));
  } catch (const c10::TypeError& e) {
    line(key, "error", "TypeError: " + first_line(e.what_without_backtrace()));
  } catch (const c10::NotImplementedError& e) {
    line(key, "error", "NotImplementedError: " + first_line(e.what_without_backtrace()));
  } catch (const c10::Error& e) {
    line(key, "error", "Error: " + first_line(e.what_without_backtrace()));
  } catch (const std::exception& e) {
    line(key, "error", std::string("exception: ") + first_line(e.what()));
  }
}
/// Only that there is an error: where the words are each library's own.
template <class Body>
void throws(const std::string& key, const Body& body) {
  try {
    body();
    line(key, "text", "no error");
  } catch (const std::exception&) {
    line(key, "text", "error");
  }
}

/// Numbers that both programs make alike, without a library's generator: in [-1, 1).
inline torch::Tensor numbers(std::vector<int64_t> sizes, uint64_t seed = 1,
                             torch::ScalarType dtype = torch::kFloat) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  std::vector<double> values(static_cast<size_t>(n));
  uint64_t state = seed * 2862933555777941757u + 3037000493u;
  for (double& v : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<double>(state >> 40) / static_cast<double>(1 << 23) - 1;
  }
  return torch::tensor(values, torch::kDouble).reshape(sizes).to(dtype);
}

/// A function's value and the gradients of its inputs, against fixed cotangents.
template <class Function>
void with_gradients(const std::string& key, std::vector<torch::Tensor> inputs,
                    const Function& function) {
  for (torch::Tensor& x : inputs) x.requires_grad_();
  const torch::Tensor y = function(inputs);
  show(key, y);
  y.backward(numbers(y.sizes().vec(), 99, y.scalar_type()));
  for (size_t i = 0; i < inputs.size(); ++i)
    show(key + ".grad" + std::to_string(i), inputs[i].grad());
}

}  // namespace parity
