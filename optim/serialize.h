// Saving and loading optimizers: the pieces from which save() and load() are made.
#pragma once

#include <taper/framework/io/archive.h>
#include <taper/optim/optimizer.h>

namespace taper::optim {
namespace detail {

/// Writes the state and the options through their own serialize(). Parameters are numbered through
/// all groups, so the same optimizer always gives the same file.
void save_optimizer(serialize::OutputArchive& archive, const Optimizer& optimizer,
                    const std::vector<const OptimizerParamState*>& states);

/// What a file holds, before anything of the optimizer is changed.
struct LoadedOptimizer {
  struct Group {
    std::vector<std::string> params;
    serialize::InputArchive options;
  };
  std::vector<Group> groups;
  serialize::InputArchive states;
  std::vector<std::string> state_keys;
};
/// Throws Error unless the groups have the sizes of the optimizer's.
LoadedOptimizer load_optimizer(serialize::InputArchive& archive, const Optimizer& optimizer);
/// The text under which an optimizer keeps the state of a parameter.
std::string state_key(const Tensor& parameter);

// One value of options or of a state. An undefined tensor is left out of the archive.
template <class T>
void write_field(serialize::OutputArchive& archive, const char* name, const T& value) {
  if constexpr (std::is_same<T, Tensor>::value) {
    if (value.defined()) archive.write(name, value, /*is_buffer=*/true);
  } else {
    archive.write(name, IValue(value));
  }
}
template <class T>
void read_field(serialize::InputArchive& archive, const char* name, T& value) {
  if constexpr (std::is_same<T, Tensor>::value) {
    Tensor read;
    archive.try_read(name, read, /*is_buffer=*/true);
    value = std::move(read);
  } else {
    IValue read;
    archive.read(name, read);
    value = read.to<T>();
  }
}
template <class T>
bool same_field(const T& a, const T& b) {
  if constexpr (std::is_same<T, Tensor>::value)
    return a.defined() == b.defined() && (!a.defined() || a.equal(b));
  else
    return a == b;
}

}  // namespace detail

/// Saves what `optimizer` keeps; State and Options are its own types.
template <class State, class Options>
void serialize(serialize::OutputArchive& archive, const Optimizer& optimizer) {
  std::vector<const OptimizerParamState*> states;
  for (const OptimizerParamGroup& group : optimizer.param_groups()) {
    for (const Tensor& p : group.params()) {
      auto found = optimizer.state().find(detail::state_key(p));
      states.push_back(found == optimizer.state().end() ? nullptr : found->second.get());
    }
  }
  detail::save_optimizer(archive, optimizer, states);
}

/// Loads what the function above saved. Nothing is changed unless all of it can be read.
template <class State, class Options>
void serialize(serialize::InputArchive& archive, Optimizer& optimizer) {
  detail::LoadedOptimizer loaded = detail::load_optimizer(archive, optimizer);
  std::unordered_map<std::string, std::unique_ptr<OptimizerParamState>> states;
  for (const std::string& name : loaded.state_keys) {
    serialize::InputArchive from;
    loaded.states.read(name, from);
    auto state = std::make_unique<State>();
    state->serialize(from);
    states[name] = std::move(state);
  }
  std::vector<std::unique_ptr<OptimizerOptions>> options;
  for (auto& group : loaded.groups) {
    options.push_back(optimizer.defaults().clone());
    options.back()->serialize(group.options);
  }
  for (size_t i = 0; i < loaded.groups.size(); ++i) {
    OptimizerParamGroup& group = optimizer.param_groups()[i];
    group.set_options(std::move(options[i]));
    for (size_t j = 0; j < group.params().size(); ++j) {
      const std::string key = detail::state_key(group.params()[j]);
      auto found = states.find(loaded.groups[i].params[j]);
      if (found != states.end())
        optimizer.state()[key] = std::move(found->second);
      else
        optimizer.state().erase(key);
    }
  }
}

}  // namespace taper::optim

/// Defines serialize() and operator== of an options or state class from the list of its fields, a
/// macro that applies another to each: #define LIST(X) X(lr) X(momentum)
#define TAPER_OPTIM_WRITE_FIELD(name) detail::write_field(archive, #name, name());
#define TAPER_OPTIM_READ_FIELD(name) detail::read_field(archive, #name, read.name());
#define TAPER_OPTIM_SAME_FIELD(name) &&detail::same_field(a.name(), b.name())
#define TAPER_OPTIM_FIELDS(Type, FIELDS)                                   \
  void Type::serialize(::taper::serialize::OutputArchive& archive) const { \
    FIELDS(TAPER_OPTIM_WRITE_FIELD)                                        \
  }                                                                        \
  void Type::serialize(::taper::serialize::InputArchive& archive) {        \
    Type read(*this);                                                      \
    FIELDS(TAPER_OPTIM_READ_FIELD)                                         \
    *this = std::move(read);                                               \
  }                                                                        \
  bool operator==(const Type& a, const Type& b) { return true FIELDS(TAPER_OPTIM_SAME_FIELD); }

/// Defines what all optimizers of the library have in common: their options' and states' functions
/// from the lists of fields, the constructors, save() and load(). `check_options` throws for bad
/// options.
#define TAPER_DEFINE_OPTIMIZER(Name, OPTIONS, STATE)                                    \
  TAPER_OPTIM_FIELDS(Name##Options, OPTIONS)                                            \
  TAPER_OPTIM_FIELDS(Name##ParamState, STATE)                                           \
  Name::Name(std::vector<OptimizerParamGroup> param_groups, Name##Options defaults)     \
      : Optimizer(std::move(param_groups), std::make_unique<Name##Options>(defaults)) { \
    check_options(defaults);                                                            \
  }                                                                                     \
  Name::Name(std::vector<Tensor> params, Name##Options defaults)                        \
      : Optimizer(std::move(params), std::make_unique<Name##Options>(defaults)) {       \
    check_options(defaults);                                                            \
  }                                                                                     \
  void Name::save(serialize::OutputArchive& archive) const {                            \
    optim::serialize<Name##ParamState, Name##Options>(archive, *this);                  \
  }                                                                                     \
  void Name::load(serialize::InputArchive& archive) {                                   \
    optim::serialize<Name##ParamState, Name##Options>(archive, *this);                  \
  }
