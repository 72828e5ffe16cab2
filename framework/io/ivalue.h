// IValue: a tensor, number, text or list of them: one value of an archive.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include <taper/framework/tensor.h>

namespace taper {

/// One value of any of the kinds that an archive can hold. The `to...` functions throw Error when
/// the value is of another kind; they name both.
class IValue {
 public:
  enum class Tag { None, Tensor, Double, Int, Bool, String, IntList, DoubleList, TensorList };

  IValue() = default;
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
  /// A pair of numbers is kept as a list of two.
  IValue(const std::tuple<double, double>& v)
      : IValue(std::vector<double>{std::get<0>(v), std::get<1>(v)}) {}
  IValue(const Scalar& v);
  IValue(nullopt_t) {}
  /// An empty optional is None.
  template <class T>
  IValue(const optional<T>& v) : IValue(v ? IValue(*v) : IValue()) {}

  Tag tag() const { return tag_; }
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
  bool isList() const { return isIntList() || isDoubleList() || isTensorList(); }
  /// "Tensor", "Double", ...
  const char* tagKind() const;

  const Tensor& toTensor() const { return expect(Tag::Tensor).tensors_[0]; }
  double toDouble() const { return expect(Tag::Double).doubles_[0]; }
  int64_t toInt() const { return expect(Tag::Int).ints_[0]; }
  bool toBool() const { return expect(Tag::Bool).ints_[0] != 0; }
  const std::string& toStringRef() const { return expect(Tag::String).string_; }
  const std::vector<int64_t>& toIntVector() const { return expect(Tag::IntList).ints_; }
  const std::vector<int64_t>& toIntList() const { return toIntVector(); }
  const std::vector<double>& toDoubleVector() const { return expect(Tag::DoubleList).doubles_; }
  const std::vector<double>& toDoubleList() const { return toDoubleVector(); }
  const std::vector<Tensor>& toTensorVector() const { return expect(Tag::TensorList).tensors_; }
  const std::vector<Tensor>& toTensorList() const { return toTensorVector(); }
  /// Any of the three kinds of number.
  Scalar toScalar() const;

  /// The value as T: a C++ number, std::string, Tensor, a vector of them, a pair of doubles, or an
  /// optional of these.
  template <class T>
  T to() const {
    return convert(static_cast<T*>(nullptr));
  }
  template <class T>
  optional<T> toOptional() const {
    return to<optional<T>>();
  }

 private:
  const IValue& expect(Tag tag) const {
    if (__builtin_expect(tag_ != tag, 0)) throw_kind(tag);
    return *this;
  }
  [[noreturn]] void throw_kind(Tag expected) const;

  double convert(double*) const { return toDouble(); }
  int64_t convert(int64_t*) const { return toInt(); }
  int32_t convert(int32_t*) const { return static_cast<int32_t>(toInt()); }
  bool convert(bool*) const { return toBool(); }
  std::string convert(std::string*) const { return toStringRef(); }
  Tensor convert(Tensor*) const { return toTensor(); }
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
  std::vector<int64_t> ints_;
  std::vector<double> doubles_;
  std::vector<Tensor> tensors_;
  std::string string_;
};

}  // namespace taper
