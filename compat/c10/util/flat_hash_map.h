// ska::flat_hash_map, the name by which programs access the states of an optimizer.
#pragma once

#include <memory>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include <taper/optim/optimizer.h>
#include <torch/names.h>

namespace ska {

/// The type of Optimizer::state() for both kinds of its keys (void* or std::string), else a
/// standard map.
template <class Key, class Value, class... More>
using flat_hash_map = std::conditional_t<
    std::is_same<Value, std::unique_ptr<taper::optim::OptimizerParamState>>::value,
    taper::optim::ParamStates, std::unordered_map<Key, Value, More...>>;
template <class Key, class... More>
using flat_hash_set = std::unordered_set<Key, More...>;

}  // namespace ska
