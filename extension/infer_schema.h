// Infers the schema of a C++ function from its argument and result types.
#pragma once

#include <array>
#include <string>
#include <tuple>
#include <typeinfo>
#include <vector>

#include <taper/extension/schema.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// Returns the name under which a program's class is registered (custom_class.h). Throws Error for
/// other classes.
std::string name_of_class(const std::type_info& type);

template <class T>
struct TypeText {
  static_assert(!std::is_floating_point_v<T>,
                "arguments and results of operators: use double instead of another floating type");
  static_assert(!std::is_integral_v<T>,
                "arguments and results of operators: use int64_t instead of another integer type");
  static_assert(std::is_arithmetic_v<T>, "a type that no argument or result of an operator has");
};
/// Returns a type's name in a schema: TypeText<std::vector<int64_t>>::get() is "int[]".
template <class T>
std::string type_text() {
  return TypeText<std::remove_cv_t<std::remove_reference_t<T>>>::get();
}

template <>
struct TypeText<Tensor> {
  static std::string get() { return "Tensor"; }
};
template <>
struct TypeText<double> {
  static std::string get() { return "float"; }
};
template <>
struct TypeText<int64_t> {
  static std::string get() { return "int"; }
};
template <>
struct TypeText<bool> {
  static std::string get() { return "bool"; }
};
template <>
struct TypeText<std::string> {
  static std::string get() { return "str"; }
};
template <>
struct TypeText<std::string_view> {
  static std::string get() { return "str"; }
};
template <>
struct TypeText<Scalar> {
  static std::string get() { return "Scalar"; }
};
template <>
struct TypeText<ScalarType> {
  static std::string get() { return "int"; }
};
template <>
struct TypeText<Layout> {
  static std::string get() { return "int"; }
};
template <>
struct TypeText<MemoryFormat> {
  static std::string get() { return "int"; }
};
template <>
struct TypeText<Device> {
  static std::string get() { return "Device"; }
};
template <>
struct TypeText<Generator> {
  static std::string get() { return "Generator"; }
};
template <>
struct TypeText<IValue> {
  static std::string get() { return "Any"; }
};
template <>
struct TypeText<OptionalIntArrayRef> {
  static std::string get() { return "int[]?"; }
};
template <class T>
struct TypeText<optional<T>> {
  static std::string get() { return type_text<T>() + "?"; }
};
template <class T>
struct TypeText<ArrayRef<T>> {
  static std::string get() { return type_text<T>() + "[]"; }
};
template <class T>
struct TypeText<std::vector<T>> {
  static std::string get() { return type_text<T>() + "[]"; }
};
template <class T>
struct TypeText<List<T>> {
  static std::string get() { return type_text<T>() + "[]"; }
};
template <class T, size_t N>
struct TypeText<std::array<T, N>> {
  static std::string get() { return type_text<T>() + "[" + std::to_string(N) + "]"; }
};
template <class Key, class Value>
struct TypeText<Dict<Key, Value>> {
  static std::string get() { return "Dict(" + type_text<Key>() + ", " + type_text<Value>() + ")"; }
};
template <class... T>
struct TypeText<std::tuple<T...>> {
  static std::string get() {
    std::string all;
    ((all += (all.empty() ? "" : ", ") + type_text<T>()), ...);
    return "(" + all + ")";
  }
};
template <class T>
struct TypeText<intrusive_ptr<T>> {
  static std::string get() { return name_of_class(typeid(T)); }
};

/// Makes an argument of each type. Their names are _0, _1 and so on.
std::vector<Argument> numbered(const std::vector<std::string>& types);

template <class R>
struct ResultTexts {
  static std::vector<std::string> get() { return {type_text<R>()}; }
};
template <>
struct ResultTexts<void> {
  static std::vector<std::string> get() { return {}; }
};
template <class... R>
struct ResultTexts<std::tuple<R...>> {
  static std::vector<std::string> get() { return {type_text<R>()...}; }
};

/// Returns the schema of a function R(Args...). The schema has no name.
template <class R, class... Args>
FunctionSchema inferred_schema() {
  return FunctionSchema({}, numbered({type_text<Args>()...}),
                        numbered(ResultTexts<std::remove_cv_t<R>>::get()));
}

}  // namespace torch::taper::detail

#pragma GCC visibility pop
