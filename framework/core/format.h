// std::format of tensors: std::format("{}", x). Programs include this header by name, because
// <format> takes long to compile. It is empty for compilers without std::format.
#pragma once

#if __cplusplus >= 202002L && __has_include(<format>)
#include <format>
#endif

#ifdef __cpp_lib_format
#include <sstream>
#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// Formats a value as operator<< prints it. Accepts the format options of a string, such as a
/// width.
template <class T>
struct StreamFormatter : std::formatter<std::string_view> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    std::ostringstream text;
    text << value;
    return std::formatter<std::string_view>::format(text.str(), context);
  }
};

}  // namespace torch::taper::detail

/// Format a tensor with its elements, a list of sizes, a dtype and a device.
///@{
template <>
struct std::formatter<torch::taper::Tensor>
    : torch::taper::detail::StreamFormatter<torch::taper::Tensor> {};
template <>
struct std::formatter<torch::taper::IntArrayRef>
    : torch::taper::detail::StreamFormatter<torch::taper::IntArrayRef> {};
template <>
struct std::formatter<torch::taper::ScalarType>
    : torch::taper::detail::StreamFormatter<torch::taper::ScalarType> {};
template <>
struct std::formatter<torch::taper::Device>
    : torch::taper::detail::StreamFormatter<torch::taper::Device> {};
///@}

#pragma GCC visibility pop
#endif
