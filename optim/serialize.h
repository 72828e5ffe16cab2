// Functions by which optimizers implement save() and load().
#pragma once

#include <taper/framework/io/archive.h>
#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {
namespace detail {

/// Writes the states and the options of `optimizer`. Parameters are identified by their numbers
/// over all groups, so that equal optimizers give equal files.
void save_optimizer(serialize::OutputArchive& archive, const Optimizer& optimizer,
                    const std::vector<const OptimizerParamState*>& states);

/// Holds the content of a file. It is read completely before the optimizer is changed.
struct LoadedOptimizer {
  struct Group {
    std::vector<std::string> params;
    serialize::InputArchive options;
  };
  std::vector<Group> groups;
  serialize::InputArchive states;
  std::vector<std::string> state_keys;
  bool from_libtorch = false;
};
/// Reads a file. Throws Error unless each group of the file has as many parameters as the
/// optimizer's group.
LoadedOptimizer load_optimizer(serialize::InputArchive& archive, const Optimizer& optimizer);

/// Returns the value with this name. Throws Error, which contains the name, if there is no such
/// value of type T.
template <class T>
T read_value(serialize::InputArchive& archive, const std::string& name) {
  IValue value;
  archive.read(name, value);
  try {
    return value.to<T>();
  } catch (const Error& e) {
    throw Error(taper::detail::concat("load: '", archive.full_name(name), "': ", e.what()));
  }
}

// Reads and writes one value of options or of a state. A tensor may be undefined.
template <class T>
void write_field(serialize::OutputArchive& archive, const char* name, const T& value) {
  archive.write(name, IValue(value));
}
template <class T>
void read_field(serialize::InputArchive& archive, const char* name, T& value) {
  value = read_value<T>(archive, name);
}
/// While an object of this class exists, read_field on this thread reads a missing tensor as
/// undefined. This is needed because LibTorch does not write undefined tensors to files.
class AbsentIsUndefined {
 public:
  explicit AbsentIsUndefined(bool absent_is_undefined);
  ~AbsentIsUndefined();
  AbsentIsUndefined(const AbsentIsUndefined&) = delete;
  AbsentIsUndefined& operator=(const AbsentIsUndefined&) = delete;

 private:
  bool before_;
};
void read_field(serialize::InputArchive& archive, const char* name, Tensor& value);
// Reads a value, or a tensor that may be missing. LibTorch's macros for optimizers of programs
// allow missing tensors.
template <class T>
void read_field_if_there(serialize::InputArchive& archive, const char* name, T& value) {
  IValue read;
  if (!std::is_same<T, Tensor>::value || archive.try_read(name, read))
    read_field(archive, name, value);
}
/// Throws Error unless a tensor of a loaded state has the sizes of its parameter.
inline void check_field(const std::string& state, const char* name, const Tensor& value,
                        const Tensor& parameter) {
  TAPER_CHECK(!value.defined() || value.sizes() == parameter.sizes(), "load: '", state, ".", name,
              "': expected a tensor of sizes ", parameter.sizes(), ", got ", value.sizes());
}
inline void check_field(const std::string&, const char*, int64_t, const Tensor&) {}
template <class T>
bool same_field(const T& a, const T& b) {
  if constexpr (std::is_same<T, Tensor>::value)
    return a.defined() == b.defined() && (!a.defined() || a.equal(b));
  else
    return a == b;
}

}  // namespace detail

/// Saves options and states of `optimizer`. State and Options are the classes of its states and
/// options.
template <class State, class Options>
void serialize(serialize::OutputArchive& archive, const Optimizer& optimizer) {
  std::vector<const OptimizerParamState*> states;
  for (const OptimizerParamGroup& group : optimizer.param_groups()) {
    for (const Tensor& p : group.params()) {
      auto found = optimizer.state().find(p.unsafeGetTensorImpl());
      states.push_back(found == optimizer.state().end() ? nullptr : found->second.get());
    }
  }
  detail::save_optimizer(archive, optimizer, states);
}

/// Loads the output of the function above. Calls check(state, parameter, name of the state) for
/// each parameter. If check throws, or if something cannot be read, nothing is changed.
template <class State, class Options, class Check>
void serialize(serialize::InputArchive& archive, Optimizer& optimizer, const Check& check) {
  detail::LoadedOptimizer loaded = detail::load_optimizer(archive, optimizer);
  std::unordered_map<std::string, std::unique_ptr<State>> states;
  for (const std::string& name : loaded.state_keys) {
    const detail::AbsentIsUndefined rule(loaded.from_libtorch);
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
    for (size_t j = 0; j < loaded.groups[i].params.size(); ++j) {
      const std::string& name = loaded.groups[i].params[j];
      const auto found = states.find(name);
      if (found != states.end())
        check(*found->second, optimizer.param_groups()[i].params()[j],
              loaded.states.full_name(name));
    }
  }
  for (size_t i = 0; i < loaded.groups.size(); ++i) {
    OptimizerParamGroup& group = optimizer.param_groups()[i];
    group.set_options(std::move(options[i]));
    for (size_t j = 0; j < group.params().size(); ++j) {
      const StateKey key = group.params()[j].unsafeGetTensorImpl();
      auto found = states.find(loaded.groups[i].params[j]);
      if (found != states.end())
        optimizer.state()[key] = std::move(found->second);
      else
        optimizer.state().erase(key);
    }
  }
}
template <class State, class Options>
void serialize(serialize::InputArchive& archive, Optimizer& optimizer) {
  serialize<State, Options>(archive, optimizer,
                            [](const State&, const Tensor&, const std::string&) {});
}

/// The constructor of an optimizer calls this function at its end. This template does nothing. An
/// optimizer may define an overload that makes its states.
template <class T>
void begin_state(T&) {}

}  // namespace torch::taper::optim

#pragma GCC visibility pop

/// Defines serialize() and operator== of an options or state class from the list of its fields.
/// FIELDS is a macro that applies another macro to each field: #define LIST(X) X(lr) X(momentum)
#define TAPER_OPTIM_VISIT(name) visit(#name, of.name()...);
#define TAPER_OPTIM_FIELDS(Type, FIELDS)                                   \
  /* visit(name, the field of each of them) */                             \
  template <class Visit, class... Same>                                    \
  static void visit_fields(const Type*, const Visit& visit, Same&... of) { \
    FIELDS(TAPER_OPTIM_VISIT)                                              \
  }                                                                        \
  void Type::serialize(::taper::serialize::OutputArchive& archive) const { \
    const auto write = [&](const char* name, const auto& value) {          \
      detail::write_field(archive, name, value);                           \
    };                                                                     \
    visit_fields(this, write, *this);                                      \
  }                                                                        \
  void Type::serialize(::taper::serialize::InputArchive& archive) {        \
    Type all(*this);                                                       \
    const auto read = [&](const char* name, auto& value) {                 \
      detail::read_field(archive, name, value);                            \
    };                                                                     \
    visit_fields(this, read, all);                                         \
    *this = std::move(all);                                                \
  }                                                                        \
  bool operator==(const Type& a, const Type& b) {                          \
    bool same = true;                                                      \
    const auto compare = [&](const char*, const auto& x, const auto& y) {  \
      same = same && detail::same_field(x, y);                             \
    };                                                                     \
    visit_fields(&a, compare, a, b);                                       \
    return same;                                                           \
  }

/// Defines the common functions of an optimizer of Taper: the constructors, save() and load(). From
/// the lists of fields, also defines the functions of its options and states. `check_options(name,
/// options)` throws Error for invalid options.
#define TAPER_DEFINE_OPTIMIZER(Name, OPTIONS, STATE)                                    \
  TAPER_OPTIM_CLONES(Name);                                                             \
  TAPER_OPTIM_FIELDS(Name##Options, OPTIONS)                                            \
  TAPER_OPTIM_FIELDS(Name##ParamState, STATE)                                           \
  Name::Name(std::vector<OptimizerParamGroup> param_groups, Name##Options defaults)     \
      : Optimizer(std::move(param_groups), std::make_unique<Name##Options>(defaults)) { \
    check_options(#Name, defaults);                                                     \
    begin_state(*this);                                                                 \
  }                                                                                     \
  Name::Name(std::vector<Tensor> params, Name##Options defaults)                        \
      : Optimizer(std::move(params), std::make_unique<Name##Options>(defaults)) {       \
    check_options(#Name, defaults);                                                     \
    begin_state(*this);                                                                 \
  }                                                                                     \
  void Name::save(serialize::OutputArchive& archive) const {                            \
    optim::serialize<Name##ParamState, Name##Options>(archive, *this);                  \
  }                                                                                     \
  void Name::load(serialize::InputArchive& archive) {                                   \
    const auto check = [](const Name##ParamState& state, const Tensor& parameter,       \
                          const std::string& where) {                                   \
      const auto check_one = [&](const char* name, const auto& value) {                 \
        detail::check_field(where, name, value, parameter);                             \
      };                                                                                \
      visit_fields(&state, check_one, state);                                           \
    };                                                                                  \
    optim::serialize<Name##ParamState, Name##Options>(archive, *this, check);           \
  }
