// Equations of einsum. An input is "equation|sizes": "ij,jk->ik|23,31".
#include <taper/ops/linalg/einsum.h>
#include <taper/ops/tensor/factory.h>

#include "parser.h"

namespace {

// A digit is a size from 0 to 3, a comma begins the next operand.
std::vector<taper::Tensor> operands_of(const std::string& sizes) {
  std::vector<taper::Tensor> operands;
  std::vector<int64_t> one;
  for (char c : sizes + ",") {
    if (c == ',') {
      operands.push_back(taper::ones(one));
      one.clear();
    } else if (one.size() < 8) {
      one.push_back((c - '0') & 3);
    }
  }
  return operands;
}

// Every dimension of every operand may become one of the result, which is to stay small.
bool is_small(const std::vector<taper::Tensor>& operands) {
  double numel = 1;
  for (const taper::Tensor& t : operands)
    for (int64_t size : t.sizes()) numel *= static_cast<double>(std::max<int64_t>(size, 1));
  return operands.size() <= 16 && numel <= 1 << 14;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  const std::string text(reinterpret_cast<const char*>(data), nbytes);
  const size_t bar = text.find('|');
  const auto operands = operands_of(bar == std::string::npos ? "" : text.substr(bar + 1));
  if (!is_small(operands)) return 0;
  fuzz::parse(nbytes, fuzz::kPlain,
              [&] { fuzz::touch(taper::einsum(text.substr(0, bar), operands)); });
  return 0;
}
