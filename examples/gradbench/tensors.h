// Tensors of doubles from lists of JSON, and back.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using Json = nlohmann::json;
using torch::Tensor;

/// Returns the sizes of nested lists, by the first element of each.
inline std::vector<int64_t> sizes_of(const Json& list) {
  std::vector<int64_t> sizes;
  for (const Json* at = &list; at->is_array(); at = &at->front()) {
    sizes.push_back(static_cast<int64_t>(at->size()));
    if (at->empty()) break;
  }
  return sizes;
}

/// Appends the numbers of nested lists. Throws std::invalid_argument for lists of other sizes.
inline void append_numbers(const Json& value, const int64_t* size, const int64_t* end,
                           std::vector<double>& all) {
  if (size == end) {
    if (!value.is_number())
      throw std::invalid_argument("expected a number, got " + value.dump().substr(0, 40));
    all.push_back(value.get<double>());
    return;
  }
  if (!value.is_array() || static_cast<int64_t>(value.size()) != *size)
    throw std::invalid_argument("expected a list of " + std::to_string(*size) + " elements, got " +
                                value.dump().substr(0, 40));
  for (const Json& each : value) append_numbers(each, size + 1, end, all);
}

/// Returns a tensor of the numbers in nested lists. Throws std::invalid_argument for other values.
inline Tensor to_tensor(const Json& value) {
  const std::vector<int64_t> sizes = sizes_of(value);
  std::vector<double> all;
  append_numbers(value, sizes.data(), sizes.data() + sizes.size(), all);
  return torch::tensor(all, torch::kDouble).view(sizes);
}

/// Returns whether the sizes are the expected ones, of which -1 stands for any.
inline bool fits(torch::IntArrayRef sizes, const std::vector<int64_t>& expected) {
  if (sizes.size() != expected.size()) return false;
  for (size_t i = 0; i < expected.size(); ++i)
    if (expected[i] != -1 && expected[i] != sizes[i]) return false;
  return true;
}

/// Returns the numbers of an input's field. Throws std::invalid_argument if it is missing, and for
/// other sizes. A size of -1 stands for any.
inline Tensor numbers(const Json& input, const std::string& name,
                      const std::vector<int64_t>& sizes) {
  if (!input.is_object() || !input.contains(name))
    throw std::invalid_argument("expected an input with the field " + name);
  const Tensor t = to_tensor(input.at(name));
  if (fits(t.sizes(), sizes)) return t;
  throw std::invalid_argument(name + ": expected sizes " + Json(sizes).dump() + ", got " +
                              Json(sizes_of(input.at(name))).dump());
}

/// Returns a field that is one number. Throws std::invalid_argument for anything else.
inline double number(const Json& input, const std::string& name) {
  return numbers(input, name, {}).item<double>();
}

/// Returns a field that counts something. Throws std::invalid_argument for anything else.
inline int64_t count(const Json& input, const std::string& name, int64_t least = 1) {
  const double value = number(input, name);
  if (!(value >= static_cast<double>(least) && value < 1e15) ||
      value != static_cast<double>(static_cast<int64_t>(value)))
    throw std::invalid_argument(name + ": expected a whole number of at least " +
                                std::to_string(least) + ", got " + input.at(name).dump());
  return static_cast<int64_t>(value);
}

/// Returns indices in a field. Throws std::invalid_argument unless all are from `least` to
/// `end` - 1.
inline Tensor indices(const Json& input, const std::string& name, const std::vector<int64_t>& sizes,
                      int64_t end, int64_t least = 0) {
  const Tensor t = numbers(input, name, sizes);
  if (((t < least) | (t >= end) | (t != t.floor())).any().item<bool>())
    throw std::invalid_argument(name + ": expected indices from " + std::to_string(least) + " to " +
                                std::to_string(end - 1));
  return t.to(torch::kLong);
}

template <class T>
Json nested(const T*& next, torch::IntArrayRef sizes) {
  if (sizes.empty()) return *next++;
  Json list = Json::array();
  for (int64_t i = 0; i < sizes[0]; ++i) list.push_back(nested(next, sizes.slice(1)));
  return list;
}

/// Returns nested lists of a tensor's numbers, or one number.
inline Json to_json(const Tensor& t) {
  const bool whole = t.scalar_type() == torch::kLong;
  const Tensor all = t.detach().to(whole ? torch::kLong : torch::kDouble).contiguous();
  if (whole) {
    const int64_t* next = all.data_ptr<int64_t>();
    return nested(next, all.sizes());
  }
  const double* next = all.data_ptr<double>();
  return nested(next, all.sizes());
}
