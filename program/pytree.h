// Trees of inputs and outputs: Python's tuples, lists and dictionaries, as a pytree spec describes
// them. Not installed.
#pragma once

#include <string>
#include <vector>

#include <taper/framework/io/ivalue.h>

namespace torch::taper::program {

/// The shape of nested containers. Its leaves are values in order.
class TreeSpec {
 public:
  enum class Kind { kLeaf, kTuple, kList, kDict };

  TreeSpec() = default;
  /// Parses the text of Python's treespec_dumps. Throws Error that begins with `where`.
  static TreeSpec parse(const std::string& text, const std::string& where);

  Kind kind() const { return kind_; }
  const std::vector<TreeSpec>& children() const { return children_; }
  const std::vector<std::string>& keys() const { return keys_; }  ///< of a dictionary, as text
  size_t leaves() const;                                          ///< number of leaves

  /// Appends the leaves of a value of this shape. Throws Error that names `path` if the value has
  /// another one.
  void flatten(const IValue& value, const std::string& path, std::vector<IValue>& leaves) const;
  /// Returns the value with the leaves from `next` on, and moves `next` past them.
  IValue unflatten(std::vector<IValue>::iterator& next) const;

 private:
  friend class TreeReader;
  Kind kind_ = Kind::kLeaf;
  std::vector<TreeSpec> children_;
  std::vector<std::string> keys_;
  std::vector<bool> integer_key_;  ///< for each key, whether Python has a number there
};

}  // namespace torch::taper::program
