#include <taper/framework/io/ivalue.h>

namespace taper {
namespace {

const char* name_of(IValue::Tag tag) {
  switch (tag) {
    case IValue::Tag::None:
      return "None";
    case IValue::Tag::Tensor:
      return "Tensor";
    case IValue::Tag::Double:
      return "Double";
    case IValue::Tag::Int:
      return "Int";
    case IValue::Tag::Bool:
      return "Bool";
    case IValue::Tag::String:
      return "String";
    case IValue::Tag::IntList:
      return "IntList";
    case IValue::Tag::DoubleList:
      return "DoubleList";
    case IValue::Tag::TensorList:
      return "TensorList";
  }
  return "";
}

}  // namespace

IValue::IValue(const Scalar& v) {
  if (v.isFloatingPoint())
    *this = IValue(v.toDouble());
  else if (v.isBoolean())
    *this = IValue(v.toBool());
  else
    *this = IValue(v.toLong());
}

const char* IValue::tagKind() const { return name_of(tag_); }

void IValue::throw_kind(Tag expected) const {
  throw Error(detail::concat("Expected ", name_of(expected), " but got ", name_of(tag_)));
}

Scalar IValue::toScalar() const {
  if (isDouble()) return toDouble();
  if (isBool()) return toBool();
  return toInt();
}

std::tuple<double, double> IValue::convert(std::tuple<double, double>*) const {
  const std::vector<double>& v = toDoubleVector();
  TAPER_CHECK(v.size() == 2, "IValue: expected a pair of numbers, got ", v.size());
  return {v[0], v[1]};
}

}  // namespace taper
