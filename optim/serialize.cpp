#include <taper/optim/serialize.h>

#include <cstdlib>
#include <sstream>
#include <utility>

namespace torch::taper::optim {
namespace detail {
namespace {

thread_local bool absent_is_undefined = false;

// Reads a number, or the tensor of a number that LibTorch writes.
int64_t read_count(serialize::InputArchive& archive, const char* name) {
  IValue value;
  if (archive.try_read(name, value) && value.isTensor() && value.toTensor().defined() &&
      value.toTensor().scalar_type() == kLong && value.toTensor().numel() == 1)
    return *value.toTensor().const_data_ptr<int64_t>();
  return read_value<int64_t>(archive, name);
}

std::vector<std::string> read_names(serialize::InputArchive& archive) {
  const int64_t count = read_count(archive, "params/size");
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i)
    names.push_back(read_value<std::string>(archive, "params/" + std::to_string(i)));
  return names;
}

}  // namespace

AbsentIsUndefined::AbsentIsUndefined(bool v) : before_(std::exchange(absent_is_undefined, v)) {}
AbsentIsUndefined::~AbsentIsUndefined() { absent_is_undefined = before_; }

// The device of the saved tensor may be missing. A step moves a state to the device of its
// parameter.
void read_field(serialize::InputArchive& archive, const char* name, Tensor& value) {
  IValue stored;
  Tensor read;
  if (archive.try_read(name, stored) && stored.isTensor())
    read = stored.toTensor();
  else if (!absent_is_undefined)
    archive.read(name, read, /*is_buffer=*/true);
  value = std::move(read);
}

void save_optimizer(serialize::OutputArchive& archive, const Optimizer& optimizer,
                    const std::vector<const OptimizerParamState*>& states) {
  serialize::OutputArchive all_states, groups;
  for (size_t i = 0; i < states.size(); ++i) {
    if (!states[i]) continue;
    serialize::OutputArchive state;
    states[i]->serialize(state);
    all_states.write(std::to_string(i), state);
  }
  groups.write("size", IValue(static_cast<int64_t>(optimizer.param_groups().size())));
  size_t number = 0;
  for (size_t i = 0; i < optimizer.param_groups().size(); ++i) {
    const OptimizerParamGroup& group = optimizer.param_groups()[i];
    serialize::OutputArchive one, options;
    one.write("params/size", IValue(static_cast<int64_t>(group.params().size())));
    for (size_t j = 0; j < group.params().size(); ++j)
      one.write("params/" + std::to_string(j), IValue(std::to_string(number++)));
    group.options().serialize(options);
    one.write("options", options);
    groups.write(std::to_string(i), one);
  }
  archive.write("state", all_states);
  archive.write("param_groups", groups);
}

LoadedOptimizer load_optimizer(serialize::InputArchive& archive, const Optimizer& optimizer) {
  LoadedOptimizer loaded;
  serialize::InputArchive groups;
  archive.read("param_groups", groups);
  IValue version;
  loaded.from_libtorch = archive.try_read("pytorch_version", version);
  // prefix of LibTorch's names
  const std::string start = loaded.from_libtorch ? "param_groups/" : "";
  TAPER_CHECK(read_count(groups, (start + "size").c_str()) ==
                  static_cast<int64_t>(optimizer.param_groups().size()),
              "loaded state dict has a different number of parameter groups");
  for (size_t i = 0; i < optimizer.param_groups().size(); ++i) {
    serialize::InputArchive one;
    groups.read(start + std::to_string(i), one);
    LoadedOptimizer::Group group;
    group.params = read_names(one);
    one.read("options", group.options);
    TAPER_CHECK(group.params.size() == optimizer.param_groups()[i].params().size(),
                "loaded state dict contains a parameter group that has a different size than the "
                "optimizer's parameter group");
    loaded.groups.push_back(std::move(group));
  }
  archive.read("state", loaded.states);
  loaded.state_keys = loaded.states.keys();
  return loaded;
}

}  // namespace detail

StateKey::StateKey(const std::string& text) {
  char* end = nullptr;
  address_ = reinterpret_cast<const void*>(std::strtoull(text.c_str(), &end, 16));
  TAPER_CHECK(
      !text.empty() && *end == '\0',
      "Optimizer::state: expected as key a parameter's TensorImpl or the text of its address, "
      "c10::guts::to_string(p.unsafeGetTensorImpl()), got '",
      text, "'");
}
StateKey::operator std::string() const { return taper::detail::concat(address_); }
std::ostream& operator<<(std::ostream& out, StateKey key) { return out << key.address_; }

void Optimizer::save(serialize::OutputArchive&) const {
  throw NotImplementedError("Optimizer: expected a subclass that implements save()");
}
void Optimizer::load(serialize::InputArchive&) {
  throw NotImplementedError("Optimizer: expected a subclass that implements load()");
}

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const Optimizer& optimizer) {
  optimizer.save(archive);
  return archive;
}
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Optimizer& optimizer) {
  optimizer.load(archive);
  return archive;
}

}  // namespace torch::taper::optim
