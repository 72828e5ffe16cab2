#include <taper/program/pytree.h>

#include <nlohmann/json.hpp>

namespace torch::taper::program {

using Json = nlohmann::json;
using taper::detail::concat;

namespace {
constexpr int kMaxNesting = 100;
}  // namespace

/// Reads the JSON of a spec: [version, node], with nodes {"type", "context", "children_spec"}.
class TreeReader {
 public:
  explicit TreeReader(const std::string& where) : where_(where) {}

  TreeSpec read(const std::string& text) const {
    const Json json = parse(text);
    if (!json.is_array() || json.size() != 2 || json[0] != 1)
      fail("expected version 1 of a pytree spec");
    return node(json[1], 0);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(where_ + ": " + what); }

  Json parse(const std::string& text) const {
    const auto limit_depth = [](int depth, Json::parse_event_t, Json&) {
      return depth < 4 * kMaxNesting;
    };
    Json json = Json::parse(text, limit_depth, /*allow_exceptions=*/false);
    if (json.is_discarded()) fail("expected the JSON of a pytree spec");
    return json;
  }
  const Json& member(const Json& json, const char* key) const {
    const auto at = json.find(key);
    if (at == json.end()) fail(concat("expected a member '", key, "' of a pytree spec"));
    return *at;
  }

  TreeSpec node(const Json& json, int depth) const {
    if (depth > kMaxNesting) fail("a pytree spec is nested too deeply");
    if (!json.is_object()) fail("expected an object in a pytree spec");
    TreeSpec spec;
    const Json& children = member(json, "children_spec");
    if (!children.is_array()) fail("expected a list of children in a pytree spec");
    for (const Json& child : children) spec.children_.push_back(node(child, depth + 1));
    const Json& type = member(json, "type");
    if (type.is_null()) {
      if (!spec.children_.empty()) fail("expected no children of a leaf in a pytree spec");
      return spec;
    }
    if (!type.is_string()) fail("expected the name of a type in a pytree spec");
    set_kind(spec, type.get<std::string>(), member(json, "context"));
    return spec;
  }

  void set_kind(TreeSpec& spec, const std::string& type, const Json& context) const {
    spec.kind_ = type == "builtins.list" ? TreeSpec::Kind::kList : TreeSpec::Kind::kTuple;
    if (type == "builtins.tuple" || type == "builtins.list" || !context.is_string()) return;
    Json keys = Json::parse(context.get<std::string>(), nullptr, /*allow_exceptions=*/false);
    if (keys.is_object() && keys.contains("dict_context")) keys = keys["dict_context"];
    // A class of the program, such as a dataclass, has the names of its members first.
    if (keys.is_array() && !keys.empty() && keys[0].is_array()) keys = keys[0];
    if (!keys.is_array() || keys.size() != spec.children_.size()) {
      if (type == "builtins.dict") fail("expected a key for each value of a dictionary");
      return;
    }
    spec.kind_ = TreeSpec::Kind::kDict;
    for (const Json& key : keys) {
      spec.keys_.push_back(key.is_string() ? key.get<std::string>() : key.dump());
      spec.integer_key_.push_back(key.is_number_integer() &&
                                  !(key.is_number_unsigned() && key.get<uint64_t>() > INT64_MAX));
    }
  }

  const std::string& where_;
};

TreeSpec TreeSpec::parse(const std::string& text, const std::string& where) {
  return TreeReader(where).read(text);
}

size_t TreeSpec::leaves() const {
  if (kind_ == Kind::kLeaf) return 1;
  size_t count = 0;
  for (const TreeSpec& child : children_) count += child.leaves();
  return count;
}

namespace {

IValue key_of(const std::string& key, bool is_integer) {
  return is_integer ? IValue(static_cast<int64_t>(std::stoll(key))) : IValue(key);
}

std::vector<IValue> elements_of(const IValue& value) {
  return value.isTuple() ? value.toTupleRef().elements() : value.toList().vec();
}

}  // namespace

void TreeSpec::flatten(const IValue& value, const std::string& path,
                       std::vector<IValue>& leaves) const {
  if (kind_ == Kind::kLeaf) return leaves.push_back(value);
  if (kind_ == Kind::kDict) {
    TAPER_CHECK(value.isGenericDict(), "program: input ", path, ": expected a dictionary, got a ",
                value.tagKind());
    const GenericDict dict = value.toGenericDict();
    TAPER_CHECK(dict.size() == keys_.size(), "program: input ", path, ": expected ", keys_.size(),
                " keys, got ", dict.size());
    for (size_t i = 0; i < keys_.size(); ++i) {
      const auto at = dict.find(key_of(keys_[i], integer_key_[i]));
      TAPER_CHECK(at != dict.end(), "program: input ", path, ": expected a key '", keys_[i],
                  "', got none");
      children_[i].flatten(at->value(), path + "['" + keys_[i] + "']", leaves);
    }
    return;
  }
  TAPER_CHECK(value.isTuple() || value.isList(), "program: input ", path,
              ": expected a list or tuple, got a ", value.tagKind());
  const std::vector<IValue> all = elements_of(value);
  TAPER_CHECK(all.size() == children_.size(), "program: input ", path, ": expected ",
              children_.size(), " elements, got ", all.size());
  for (size_t i = 0; i < all.size(); ++i)
    children_[i].flatten(all[i], path + "[" + std::to_string(i) + "]", leaves);
}

IValue TreeSpec::unflatten(std::vector<IValue>::iterator& next) const {
  if (kind_ == Kind::kLeaf) return *next++;
  if (kind_ == Kind::kDict) {
    GenericDict dict;
    for (size_t i = 0; i < keys_.size(); ++i)
      dict.insert(key_of(keys_[i], integer_key_[i]), children_[i].unflatten(next));
    return dict;
  }
  std::vector<IValue> all;
  for (const TreeSpec& child : children_) all.push_back(child.unflatten(next));
  if (kind_ == Kind::kList) return GenericList(std::move(all));
  return ivalue::Tuple::create(std::move(all));
}

}  // namespace torch::taper::program
