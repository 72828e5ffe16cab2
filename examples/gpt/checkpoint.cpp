#include "checkpoint.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace gpt {
namespace {

using taper::IValue;
using taper::serialize::InputArchive;
using taper::serialize::OutputArchive;

IValue read(InputArchive& archive, const std::string& key) {
  IValue value;
  archive.read(key, value);
  return value;
}

/// The default generators with their names in a checkpoint.
std::vector<std::pair<std::string, taper::Generator>> generators() {
  std::vector<std::pair<std::string, taper::Generator>> all;
  all.emplace_back("generator", taper::default_generator());
  for (taper::DeviceIndex i = 0; i < taper::cuda::device_count(); ++i)
    all.emplace_back("generator_of_cuda_" + std::to_string(i), taper::cuda::default_generator(i));
  return all;
}

OutputArchive archive_of(const Config& c) {
  OutputArchive archive;
  archive.write("vocabulary", IValue(c.vocabulary));
  archive.write("context", IValue(c.context));
  archive.write("layers", IValue(c.layers));
  archive.write("heads", IValue(c.heads));
  archive.write("width", IValue(c.width));
  archive.write("dropout", IValue(c.dropout));
  archive.write("bias", IValue(c.bias));
  return archive;
}

}  // namespace

bool is_checkpoint(const std::string& path) {
  const std::filesystem::path file(path);
  if (!std::filesystem::is_regular_file(file) || file.extension() == ".safetensors") return false;
  char start[2] = {};
  std::ifstream(path, std::ios::binary).read(start, 2);
  return std::string(start, 2) != "PK";
}

void save_checkpoint(const std::string& path, const SettingList& settings, const ModelImpl& model,
                     const taper::optim::Optimizer& optimizer, int64_t step) {
  OutputArchive archive, parameters, state, flags;
  model.save(parameters);
  optimizer.save(state);
  std::string names;
  for (const auto& [flag, value] : settings) {
    flags.write(flag, IValue(value));
    names += flag + " ";
  }
  OutputArchive config = archive_of(model.config);
  archive.write("flags", IValue(names));
  archive.write("settings", flags);
  archive.write("config", config);
  archive.write("step", IValue(step));
  for (const auto& [name, generator] : generators())
    archive.write(name, generator.get_state(), /*is_buffer=*/true);
  archive.write("model", parameters);
  archive.write("optimizer", state);
  archive.save_to(path);
}

SettingList read_settings(const std::string& path) {
  InputArchive archive, flags;
  archive.load_from(path);
  archive.read("settings", flags);
  SettingList settings;
  std::istringstream names(read(archive, "flags").toStringRef());
  for (std::string flag; names >> flag;)
    settings.emplace_back(flag, read(flags, flag).toStringRef());
  return settings;
}

Config read_config(const std::string& path) {
  InputArchive archive, config;
  archive.load_from(path);
  archive.read("config", config);
  Config c;
  c.vocabulary = read(config, "vocabulary").toInt();
  c.context = read(config, "context").toInt();
  c.layers = read(config, "layers").toInt();
  c.heads = read(config, "heads").toInt();
  c.width = read(config, "width").toInt();
  c.dropout = read(config, "dropout").toDouble();
  c.bias = read(config, "bias").toBool();
  return c;
}

void load_model(const std::string& path, ModelImpl& model) {
  InputArchive archive, parameters;
  archive.load_from(path);
  archive.read("model", parameters);
  model.load(parameters);
}

int64_t load_checkpoint(const std::string& path, ModelImpl& model,
                        taper::optim::Optimizer& optimizer) {
  InputArchive archive, parameters, state;
  archive.load_from(path);
  archive.read("model", parameters);
  archive.read("optimizer", state);
  taper::Tensor cpu_state;
  archive.read("generator", cpu_state, /*is_buffer=*/true);
  const int64_t step = read(archive, "step").toInt();
  model.load(parameters);
  optimizer.load(state);
  for (auto& [name, generator] : generators()) {
    taper::Tensor drawn;
    if (archive.try_read(name, drawn, /*is_buffer=*/true)) generator.set_state(drawn);
  }
  return step;
}

}  // namespace gpt
