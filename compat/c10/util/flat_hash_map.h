// ska::flat_hash_map and flat_hash_set. Programs use flat_hash_map for the map of an optimizer's
// states.
#pragma once

#include <memory>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include <taper/optim/optimizer.h>
#include <torch/names.h>

namespace ska {

/// If Value is a std::unique_ptr to an OptimizerParamState, this is the type of Optimizer::state(),
/// which accepts keys of type void* and std::string. For any other Value, it is std::unordered_map.
template <class Key, class Value, class... More>
using flat_hash_map = std::conditional_t<
    std::is_same<Value, std::unique_ptr<taper::optim::OptimizerParamState>>::value,
    taper::optim::ParamStates, std::unordered_map<Key, Value, More...>>;
template <class Key, class... More>
using flat_hash_set = std::unordered_set<Key, More...>;

}  // namespace ska
