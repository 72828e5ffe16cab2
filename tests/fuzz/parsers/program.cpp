// The JSON of programs of torch.export: a graph that may say anything becomes a module or an error.
// Zip archives and pickles have fuzzers of their own.
#include <taper/ops/tensor/factory.h>
#include <taper/program/archive.h>
#include <taper/program/json.h>
#include <taper/program/program.h>

#include "parser.h"

namespace {

using namespace taper::program;

/// Makes small tensors for the weights that the graph describes.
void add_weights(Program& p) {
  for (const InputSpec& spec : p.input_specs) {
    const auto* t = std::get_if<TensorArgument>(&spec.arg.value);
    const auto meta = t ? p.graph.tensor_values.find(t->name) : p.graph.tensor_values.end();
    if (meta == p.graph.tensor_values.end() || meta->second.sizes.size() > 4) continue;
    std::vector<int64_t> sizes;
    for (const SymInt& size : meta->second.sizes) {
      const auto* n = std::get_if<int64_t>(&size);
      sizes.push_back(n && *n >= 0 && *n < 16 ? *n : 1);
    }
    p.weights[spec.target] = p.constants[spec.target] = taper::zeros(sizes, meta->second.dtype);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  const std::string_view text(reinterpret_cast<const char*>(data), nbytes);
  fuzz::parse(nbytes, fuzz::kPlain, [&] {
    Program p = program_of_json(text, "the input");
    json_of_program(p);
    taper::describe_program(p);
    add_weights(p);
    const taper::ProgramModuleImpl net(std::move(p));
    for (const auto& item : net.named_parameters()) fuzz::touch(item.value());
  });
  fuzz::parse(nbytes, fuzz::kPlain, [&] { payloads_of_json(text, "the input"); });
  return 0;
}
