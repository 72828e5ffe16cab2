#include "weights.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "checkpoint.h"

namespace gpt {
namespace {

using taper::IValue;
using taper::StateDict;
using taper::Tensor;

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}
bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Returns the name without the prefixes of other programs. Returns "" for tensors that are not
// parameters here: masks, and the output layer, which is the embedding.
std::string own_name(std::string name) {
  for (const char* prefix : {"_orig_mod.", "module.", "transformer."})
    if (starts_with(name, prefix)) name.erase(0, std::string(prefix).size());
  const bool mask = ends_with(name, ".attn.bias") || ends_with(name, ".attn.masked_bias");
  return mask || name == "lm_head.weight" ? "" : name;
}

// Files of GPT-2 store the weights of linear layers as [in, out], files of nanoGPT as [out, in].
bool is_linear_weight(const std::string& name) {
  return ends_with(name, "c_attn.weight") || ends_with(name, "c_proj.weight") ||
         ends_with(name, "c_fc.weight");
}

const Tensor& entry(const StateDict& tensors, const std::string& name, const std::string& path) {
  for (const auto& item : tensors)
    if (item.key() == name) return item.value();
  TAPER_CHECK(false, path, ": expected weights of GPT-2, which have ", name);
  return tensors.begin()->value();
}

Config config_of_sizes(const StateDict& tensors, const std::string& path) {
  const Tensor &wte = entry(tensors, "wte.weight", path), &wpe = entry(tensors, "wpe.weight", path);
  TAPER_CHECK(wte.dim() == 2 && wpe.dim() == 2, path,
              ": expected embeddings of two dimensions, got ", wte.sizes(), " and ", wpe.sizes());
  Config config;
  config.vocabulary = wte.size(0), config.width = wte.size(1), config.context = wpe.size(0);
  config.heads = config.width / 64, config.layers = 0, config.bias = false;
  for (const auto& item : tensors) {
    if (ends_with(item.key(), ".ln_1.weight")) ++config.layers;
    if (item.key() == "ln_f.bias") config.bias = true;
  }
  return config;
}

StateDict renamed(const StateDict& tensors, bool transpose) {
  StateDict result;
  for (const auto& item : tensors) {
    const std::string name = own_name(item.key());
    if (name.empty()) continue;
    const bool turn = transpose && is_linear_weight(name) && item.value().dim() == 2;
    result.insert(name, turn ? item.value().t() : item.value());
  }
  return result;
}

void read_heads(const std::string& path, Config& config) {
  std::ifstream file(std::filesystem::path(path).replace_filename("config.json"));
  if (!file) return;
  const auto json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (json.is_object() && json.contains("n_head") && json["n_head"].is_number_integer())
    config.heads = json["n_head"].get<int64_t>();
}

Weights read_huggingface(const std::string& path) {
  Weights weights;
  weights.tensors = renamed(taper::load_safetensors(path), /*transpose=*/true);
  weights.config = config_of_sizes(weights.tensors, path);
  read_heads(path, weights.config);
  return weights;
}

// The value of a key, or null.
const IValue* find(const taper::GenericDict& dict, const std::string& key) {
  for (const auto& item : dict)
    if (item.key().isString() && item.key().toStringRef() == key) return &item.value();
  return nullptr;
}

Weights read_nanogpt(const std::string& path) {
  const IValue file = taper::load_pt(path);
  TAPER_CHECK(file.isGenericDict(), path, ": expected a checkpoint of nanoGPT, got another value");
  const auto dict = file.toGenericDict();
  const IValue *model = find(dict, "model"), *arguments = find(dict, "model_args");
  TAPER_CHECK(model && arguments && arguments->isGenericDict(), path,
              ": expected a checkpoint of nanoGPT, which has model and model_args");
  Weights weights;
  weights.tensors = renamed(taper::to_state_dict(*model), /*transpose=*/false);
  weights.config = config_of_sizes(weights.tensors, path);
  if (const IValue* heads = find(arguments->toGenericDict(), "n_head"))
    weights.config.heads = heads->toInt();
  return weights;
}

Weights read_own(const std::string& path) {
  Weights weights;
  weights.config = read_config(path);
  Model model(weights.config);
  load_model(path, *model);
  for (const auto& item : model->named_parameters())
    weights.tensors.insert(item.key(), item.value().detach());
  return weights;
}

}  // namespace

Weights read_weights(const std::string& given) {
  const bool folder = std::filesystem::is_directory(given);
  const std::string path = folder ? given + "/model.safetensors" : given;
  TAPER_CHECK(std::filesystem::exists(path), path, ": there is no such file");
  if (is_checkpoint(path)) return read_own(path);
  Weights weights = ends_with(path, ".safetensors") ? read_huggingface(path) : read_nanogpt(path);
  const Config& c = weights.config;
  TAPER_CHECK(c.layers > 0 && c.heads > 0 && c.width % c.heads == 0, path,
              ": expected layers, and a width of ", c.width,
              " that is a multiple of the heads, got ", c.layers, " layers and ", c.heads,
              " heads");
  return weights;
}

void load_weights(ModelImpl& model, const Weights& weights, const std::string& path) {
  taper::NoGradGuard no_grad;
  auto parameters = model.named_parameters();
  for (const auto& item : parameters) {
    const Tensor& saved = entry(weights.tensors, item.key(), path);
    TAPER_CHECK(saved.sizes() == item.value().sizes(), path, ": ", item.key(), ": expected sizes ",
                item.value().sizes(), ", got ", saved.sizes());
  }
  for (const auto& item : weights.tensors)
    TAPER_CHECK(parameters.contains(item.key()), path, ": ", item.key(),
                " is no parameter of GPT-2");
  for (auto& item : parameters) item.value().copy_(entry(weights.tensors, item.key(), path));
}

}  // namespace gpt
