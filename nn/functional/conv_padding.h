// Passes the padding of a convolution to its op. Only the .cpp files of nn include this header.
#pragma once

#include <string>

#include <taper/nn/options/conv.h>

namespace torch::taper::nn::functional::detail {

/// Calls `function` with the numbers of `padding`, or with the text "valid" or "same".
template <size_t D, class Function>
Tensor with_padding(const nn::detail::conv_padding_t<D>& padding, const Function& function) {
  if (const auto* numbers = std::get_if<ExpandingArray<D>>(&padding))
    return function(IntArrayRef(*numbers));
  return function(std::string(std::get_if<enumtype::kSame>(&padding) ? "same" : "valid"));
}

}  // namespace torch::taper::nn::functional::detail
