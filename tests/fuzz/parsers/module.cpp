// Archives of a module: it is loaded as a whole or stays as it was.
#include <taper/framework/io/serialize.h>
#include <taper/nn/modules.h>

#include "example_module.h"
#include "parser.h"

FUZZ_REPAIRED(fuzz::repair_archive)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  fuzz::ExampleModule module;
  fuzz::parse(nbytes, fuzz::kPlain,
              [&] { taper::load(module, reinterpret_cast<const char*>(data), nbytes); });
  for (const auto& item : module->state_dict()) fuzz::touch(item.value());
  return 0;
}
