// The dispatcher has every op of the table, with its schema.
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>
#include <torch/torch.h>

#include <regex>

#include "expect.h"

namespace {

// Defaults are written in another way, as PyTorch writes them: 1e-05 as 1.0000000000000001e-05, 1.0
// as 1., and 0 of a list as [0].
std::string without_defaults(const std::string& schema) {
  return std::regex_replace(schema, std::regex("=(\\[[^\\]]*\\]|[^,)]*)"), "=");
}

}  // namespace

int main() {
  size_t count = 0;
  for (const torch::OpInfo* op : torch::all_ops()) {
    const std::string name(op->aten_name());
    const size_t dot = name.find('.');
    const auto found = c10::Dispatcher::singleton().findSchema(
        {name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1)});
    EXPECT(found);
    const std::string text = torch::taper::toString(found->schema());
    if (without_defaults(text) != without_defaults(op->schema))
      std::cerr << "expected " << op->schema << "\ngot      " << text << "\n";
    EXPECT(without_defaults(text) == without_defaults(op->schema));
    ++count;
  }
  EXPECT(count > 1400);
}
