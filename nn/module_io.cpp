#include <taper/framework/io/archive.h>
#include <taper/nn/module.h>

namespace torch::taper::nn {

void Module::save(serialize::OutputArchive& archive) const {
  for (const auto& parameter : named_parameters(/*recurse=*/false))
    archive.write(parameter.key(), parameter.value());
  for (const auto& buffer : named_buffers(/*recurse=*/false))
    archive.write(buffer.key(), buffer.value(), /*is_buffer=*/true);
  for (const auto& child : children_) {
    if (!child.value()->is_serializable()) continue;
    serialize::OutputArchive nested;
    child.value()->save(nested);
    archive.write(child.key(), nested);
  }
}

void Module::load(serialize::InputArchive& archive) {
  archive.all_or_nothing([&] {
    for (auto& parameter : named_parameters(/*recurse=*/false))
      archive.read_parameter(parameter.key(), parameter.value());
    for (auto& buffer : named_buffers(/*recurse=*/false)) {
      archive.read(buffer.key(), buffer.value(), /*is_buffer=*/true);
      TAPER_CHECK(buffer->defined(), "load: '", archive.full_name(buffer.key()),
                  "': expected a defined tensor, got an undefined one");
    }
    for (auto& child : children_) {
      if (!child.value()->is_serializable()) continue;
      serialize::InputArchive nested;
      archive.read(child.key(), nested);
      child.value()->load(nested);
    }
  });
}

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const std::shared_ptr<Module>& module) {
  TAPER_CHECK(module, "Cannot serialize empty module");
  module->save(archive);
  return archive;
}

serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                    const std::shared_ptr<Module>& module) {
  TAPER_CHECK(module, "Cannot deserialize empty module");
  module->load(archive);
  return archive;
}

}  // namespace torch::taper::nn
