// IValue: a tensor, number, text, or a list, tuple or dictionary of these. It is one value of an
// archive or of a file that Python wrote.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <tuple>
#include <typeinfo>
#include <vector>

#include <taper/framework/core/tensor.h>
#include <taper/framework/io/dict.h>

#pragma GCC visibility push(default)

namespace torch::taper {

class IValue;
/// A dictionary with keys and values of any kind. Copies share the entries.
using GenericDict = Dict<IValue, IValue>;
/// A list of values of any kind. Copies share the elements.
using GenericList = List<IValue>;
namespace impl {
using taper::GenericDict;
using taper::GenericList;
}  // namespace impl

namespace ivalue {
/// A fixed sequence of values, like Python's tuple.
class Tuple {
 public:
  /// Make a tuple of `elements`. create() returns the shared tuple that an IValue can hold.
  ///@{
  explicit Tuple(std::vector<IValue> elements);
  static std::shared_ptr<Tuple> create(std::vector<IValue> elements);
  ///@}
  /// Returns the elements. The reference is valid as long as the tuple.
  const std::vector<IValue>& elements() const { return elements_; }
  size_t size() const;  ///< number of elements

 private:
  std::vector<IValue> elements_;
};
}  // namespace ivalue

/// One value of any kind that an archive or Python's file can hold. The `to...` functions throw
/// Error for a value of another kind, and name both kinds.
class IValue {
 public:
  /// The kinds of values. IntList, DoubleList and TensorList are lists of one C++ type. The
  /// elements of a GenericList are IValues. Object means a program's class.
  enum class Tag {
    None,
    Tensor,
    Double,
    Int,
    Bool,
    String,
    IntList,
    DoubleList,
    TensorList,
    GenericList,
    Tuple,
    GenericDict,
    Device,
    Object
  };

  IValue() = default;
  /// Hold a tensor, a number, a text or a list. A tensor shares its memory with `v`. All integers
  /// are of kind Int. The elements of IntArrayRef are copied.
  ///@{
  IValue(Tensor v) : tag_(Tag::Tensor), tensors_{std::move(v)} {}
  IValue(double v) : tag_(Tag::Double), doubles_{v} {}
  IValue(int64_t v) : tag_(Tag::Int), ints_{v} {}
  IValue(int32_t v) : IValue(static_cast<int64_t>(v)) {}
  IValue(bool v) : tag_(Tag::Bool), ints_{v} {}
  IValue(std::string v) : tag_(Tag::String), string_(std::move(v)) {}
  IValue(const char* v) : IValue(std::string(v)) {}
  IValue(std::vector<int64_t> v) : tag_(Tag::IntList), ints_(std::move(v)) {}
  IValue(IntArrayRef v) : IValue(v.vec()) {}
  IValue(std::vector<double> v) : tag_(Tag::DoubleList), doubles_(std::move(v)) {}
  IValue(std::vector<Tensor> v) : tag_(Tag::TensorList), tensors_(std::move(v)) {}
  ///@}
  /// Hold a list with copies of the elements. Later changes of `v` are not seen.
  ///@{
  IValue(const List<int64_t>& v) : IValue(v.vec()) {}
  IValue(const List<double>& v) : IValue(v.vec()) {}
  IValue(const List<Tensor>& v) : IValue(v.vec()) {}
  IValue(TensorList v) : IValue(v.vec()) {}
  ///@}
  /// Hold a list of any other type as a GenericList. Each element becomes an IValue.
  ///@{
  template <class T>
  IValue(const List<T>& v) : IValue(v.vec()) {}
  template <class T>
  IValue(const std::vector<T>& v);
  ///@}
  /// Holds a device, not its text.
  IValue(Device v) : tag_(Tag::Device), device_(v) {}
  /// Holds the number of the dtype, of kind Int. to<ScalarType>() returns the dtype.
  IValue(ScalarType v) : IValue(static_cast<int64_t>(v)) {}
  /// Holds an object of a program's class, shared.
  template <class T, class = std::enable_if_t<std::is_base_of<intrusive_ptr_target, T>::value>>
  IValue(intrusive_ptr<T> v)
      : tag_(Tag::Object),
        shared_(std::make_shared<intrusive_ptr<intrusive_ptr_target>>(std::move(v))) {}
  /// Hold a list or a dictionary, and share its elements or entries with `v`.
  ///@{
  IValue(GenericList v);
  IValue(GenericDict v);
  ///@}
  /// Holds a GenericDict with copies of the entries. Each key and value becomes an IValue.
  template <class Key, class Value>
  IValue(const Dict<Key, Value>& v);
  /// Holds the tuple, shared with `v`. `v` must not be null.
  IValue(std::shared_ptr<ivalue::Tuple> v) : tag_(Tag::Tuple), shared_(std::move(v)) {}
  /// Holds a pair of numbers as a list of two.
  IValue(const std::tuple<double, double>& v)
      : IValue(std::vector<double>{std::get<0>(v), std::get<1>(v)}) {}
  /// Holds a Double, Bool or Int, like the number. Throws Error for an integer beyond int64_t and
  /// for a complex number.
  IValue(const Scalar& v);
  /// Holds None.
  IValue(nullopt_t) {}
  /// Holds the value of the optional. An empty optional is None.
  template <class T>
  IValue(const optional<T>& v) : IValue(v ? IValue(*v) : IValue()) {}

  Tag tag() const { return tag_; }  ///< the kind of the value
  /// Return whether the value is of the kind in the function's name. isScalar() is true for Double,
  /// Int and Bool, isList() for the four kinds of list. isCustomClass() is another name of
  /// isObject().
  ///@{
  bool isNone() const { return tag_ == Tag::None; }
  bool isTensor() const { return tag_ == Tag::Tensor; }
  bool isDouble() const { return tag_ == Tag::Double; }
  bool isInt() const { return tag_ == Tag::Int; }
  bool isBool() const { return tag_ == Tag::Bool; }
  bool isString() const { return tag_ == Tag::String; }
  bool isScalar() const { return isDouble() || isInt() || isBool(); }
  bool isIntList() const { return tag_ == Tag::IntList; }
  bool isDoubleList() const { return tag_ == Tag::DoubleList; }
  bool isTensorList() const { return tag_ == Tag::TensorList; }
  bool isList() const {
    return isIntList() || isDoubleList() || isTensorList() || tag_ == Tag::GenericList;
  }
  bool isTuple() const { return tag_ == Tag::Tuple; }
  bool isGenericDict() const { return tag_ == Tag::GenericDict; }
  bool isDevice() const { return tag_ == Tag::Device; }
  bool isObject() const { return tag_ == Tag::Object; }
  bool isCustomClass() const { return isObject(); }
  ///@}
  /// Returns "Tensor", "Double", ...
  const char* tagKind() const;

  /// Return the value, which must be of the kind in the function's name. Nothing is converted:
  /// toDouble() of an Int throws Error. A reference is valid until this value is changed or
  /// destroyed. toIntList(), toDoubleList() and toTensorList() return new lists with copies of the
  /// elements (tensors share their memory).
  ///@{
  const Tensor& toTensor() const { return expect(Tag::Tensor).tensors_[0]; }
  double toDouble() const { return expect(Tag::Double).doubles_[0]; }
  int64_t toInt() const { return expect(Tag::Int).ints_[0]; }
  bool toBool() const { return expect(Tag::Bool).ints_[0] != 0; }
  const std::string& toStringRef() const { return expect(Tag::String).string_; }
  const std::vector<int64_t>& toIntVector() const { return expect(Tag::IntList).ints_; }
  List<int64_t> toIntList() const { return List<int64_t>(toIntVector()); }
  const std::vector<double>& toDoubleVector() const { return expect(Tag::DoubleList).doubles_; }
  List<double> toDoubleList() const { return List<double>(toDoubleVector()); }
  const std::vector<Tensor>& toTensorVector() const { return expect(Tag::TensorList).tensors_; }
  List<Tensor> toTensorList() const { return List<Tensor>(toTensorVector()); }
  ///@}
  /// Returns the elements of any of the four kinds of list. A GenericList shares them with the
  /// result.
  GenericList toList() const;
  /// Returns the elements of a GenericList.
  const std::vector<IValue>& toListRef() const;
  /// Return the tuple, shared with the value. The reference from toTupleRef() is valid while the
  /// tuple has an owner.
  ///@{
  std::shared_ptr<ivalue::Tuple> toTuple() const;
  const ivalue::Tuple& toTupleRef() const { return *toTuple(); }
  ///@}
  /// Returns the dictionary, shared with the value.
  GenericDict toGenericDict() const;
  /// Returns the device. Throws Error for any other kind, even a text like "cpu".
  Device toDevice() const { return expect(Tag::Device).device_; }
  /// Returns the object, which must be of class T. Throws Error for another class.
  template <class T>
  intrusive_ptr<T> toCustomClass() const {
    T* const object = dynamic_cast<T*>(held_object());
    if (!object) throw_class(typeid(T).name());
    return intrusive_ptr<T>(object);
  }
  /// Returns the number, which is of kind Double, Int or Bool.
  Scalar toScalar() const;

  /// Returns the value as T: a C++ number, std::string, Tensor, Device, ScalarType, an object, a
  /// vector, List, Dict, tuple or optional of these.
  template <class T>
  T to() const {
    return convert(static_cast<T*>(nullptr));
  }
  /// Returns an empty optional for None, else to<T>(), which throws Error for another kind.
  template <class T>
  optional<T> toOptional() const {
    return to<optional<T>>();
  }

  /// Compare kind and value of None, numbers, texts and devices. Objects are equal if they are one
  /// object. Values of other kinds are equal only if they are one IValue. Copies of them are not
  /// equal.
  ///@{
  friend TAPER_EXPORTED bool operator==(const IValue& a, const IValue& b);
  friend bool operator!=(const IValue& a, const IValue& b) { return !(a == b); }
  ///@}
  /// Prints LibTorch's text: like Python's, but without quotes around texts, and with `1.` for 1.0.
  friend TAPER_EXPORTED std::ostream& operator<<(std::ostream& out, const IValue& v);

 private:
  const IValue& expect(Tag tag) const {
    if (__builtin_expect(tag_ != tag, 0)) throw_kind(tag);
    return *this;
  }
  [[noreturn]] void throw_kind(Tag expected) const;
  intrusive_ptr_target* held_object() const;
  [[noreturn]] void throw_class(const char* type_name) const;

  double convert(double*) const { return toDouble(); }
  int64_t convert(int64_t*) const { return toInt(); }
  int32_t convert(int32_t*) const { return static_cast<int32_t>(toInt()); }
  bool convert(bool*) const { return toBool(); }
  std::string convert(std::string*) const { return toStringRef(); }
  Tensor convert(Tensor*) const { return toTensor(); }
  IValue convert(IValue*) const { return *this; }
  Device convert(Device*) const { return toDevice(); }
  ScalarType convert(ScalarType*) const { return static_cast<ScalarType>(toInt()); }
  float convert(float*) const { return static_cast<float>(toDouble()); }
  template <class T>
  intrusive_ptr<T> convert(intrusive_ptr<T>*) const {
    return toCustomClass<T>();
  }
  template <class T>
  List<T> convert(List<T>*) const {
    return List<T>(to<std::vector<T>>());
  }
  template <class T>
  std::vector<T> convert(std::vector<T>*) const {
    std::vector<T> all;
    for (const IValue& v : toList()) all.push_back(v.to<T>());
    return all;
  }
  template <class Key, class Value>
  Dict<Key, Value> convert(Dict<Key, Value>*) const {
    Dict<Key, Value> all;
    for (const auto& entry : toGenericDict())
      all.insert(entry.key().template to<Key>(), entry.value().template to<Value>());
    return all;
  }
  template <class... T>
  std::tuple<T...> convert(std::tuple<T...>*) const {
    return convert_tuple<T...>(std::index_sequence_for<T...>());
  }
  template <class... T, size_t... I>
  std::tuple<T...> convert_tuple(std::index_sequence<I...>) const {
    const std::vector<IValue>& e = elements_of_tuple(sizeof...(T));
    return {e[I].template to<T>()...};
  }
  const std::vector<IValue>& elements_of_tuple(size_t count) const;
  Scalar convert(Scalar*) const { return toScalar(); }
  std::vector<int64_t> convert(std::vector<int64_t>*) const { return toIntVector(); }
  std::vector<double> convert(std::vector<double>*) const { return toDoubleVector(); }
  std::vector<Tensor> convert(std::vector<Tensor>*) const { return toTensorVector(); }
  std::tuple<double, double> convert(std::tuple<double, double>*) const;
  template <class T>
  optional<T> convert(optional<T>*) const {
    return isNone() ? optional<T>() : optional<T>(to<T>());
  }

  Tag tag_ = Tag::None;
  Device device_;
  std::vector<int64_t> ints_;
  std::vector<double> doubles_;
  std::vector<Tensor> tensors_;
  std::string string_;
  // A list, tuple or dictionary of IValues.
  std::shared_ptr<void> shared_;
};

}  // namespace torch::taper

template <>
struct std::hash<taper::IValue> {
  size_t operator()(const taper::IValue& v) const;
};

namespace torch::taper {

template <class T>
IValue::IValue(const std::vector<T>& v)
    : IValue(GenericList(std::vector<IValue>(v.begin(), v.end()))) {}

template <class Key, class Value>
IValue::IValue(const Dict<Key, Value>& v) {
  GenericDict dict;
  for (const auto& entry : v) dict.insert(IValue(entry.key()), IValue(entry.value()));
  *this = IValue(dict);
}

}  // namespace torch::taper

#pragma GCC visibility pop
