#include <taper/framework/io/ivalue.h>

#include <cmath>
#include <iomanip>
#include <limits>
#include <ostream>

#include <taper/framework/debug/backtrace.h>

namespace torch::taper {
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
    case IValue::Tag::GenericList:
      return "GenericList";
    case IValue::Tag::Tuple:
      return "Tuple";
    case IValue::Tag::GenericDict:
      return "GenericDict";
    case IValue::Tag::Device:
      return "Device";
    case IValue::Tag::Object:
      return "Object";
  }
  return "";
}

}  // namespace

IValue::IValue(const Scalar& v) {
  TAPER_CHECK(!v.isComplex(), "IValue: expected a real number, got a complex one: ", v);
  if (v.isFloatingPoint())
    *this = IValue(v.toDouble());
  else if (v.isBoolean())
    *this = IValue(v.toBool());
  else
    *this = IValue(v.toLong());
}

IValue::IValue(GenericList v) : tag_(Tag::GenericList), shared_(v.pointer()) {}
IValue::IValue(GenericDict v) : tag_(Tag::GenericDict), shared_(v.pointer()) {}

namespace ivalue {
Tuple::Tuple(std::vector<IValue> elements) : elements_(std::move(elements)) {}
std::shared_ptr<Tuple> Tuple::create(std::vector<IValue> elements) {
  return std::make_shared<Tuple>(std::move(elements));
}
size_t Tuple::size() const { return elements_.size(); }
}  // namespace ivalue

intrusive_ptr_target* IValue::held_object() const {
  return static_cast<intrusive_ptr<intrusive_ptr_target>*>(expect(Tag::Object).shared_.get())
      ->get();
}
void IValue::throw_class(const char* type_name) const {
  throw Error(detail::concat("Tried to cast IValue to custom class: expected an object of class ",
                             detail::demangled(type_name), ", got one of ",
                             detail::demangled(typeid(*held_object()).name())));
}
const std::vector<IValue>& IValue::elements_of_tuple(size_t count) const {
  const std::vector<IValue>& elements = toTupleRef().elements();
  TAPER_CHECK(elements.size() == count, "IValue: expected a tuple of ", count,
              " elements, got one of ", elements.size());
  return elements;
}

const std::vector<IValue>& IValue::toListRef() const {
  return *static_cast<const std::vector<IValue>*>(expect(Tag::GenericList).shared_.get());
}

GenericList IValue::toList() const {
  if (isIntList()) return GenericList(std::vector<IValue>(ints_.begin(), ints_.end()));
  if (isDoubleList()) return GenericList(std::vector<IValue>(doubles_.begin(), doubles_.end()));
  if (isTensorList()) return GenericList(std::vector<IValue>(tensors_.begin(), tensors_.end()));
  return GenericList::from_pointer(
      std::static_pointer_cast<std::vector<IValue>>(expect(Tag::GenericList).shared_));
}

std::shared_ptr<ivalue::Tuple> IValue::toTuple() const {
  return std::static_pointer_cast<ivalue::Tuple>(expect(Tag::Tuple).shared_);
}

GenericDict IValue::toGenericDict() const {
  return GenericDict::from_pointer(
      std::static_pointer_cast<GenericDict::Table>(expect(Tag::GenericDict).shared_));
}

bool operator==(const IValue& a, const IValue& b) {
  if (a.tag() != b.tag()) return false;
  switch (a.tag()) {
    case IValue::Tag::None:
      return true;
    case IValue::Tag::Double:
      return a.toDouble() == b.toDouble();
    case IValue::Tag::Int:
      return a.toInt() == b.toInt();
    case IValue::Tag::Bool:
      return a.toBool() == b.toBool();
    case IValue::Tag::String:
      return a.toStringRef() == b.toStringRef();
    case IValue::Tag::Device:
      return a.toDevice() == b.toDevice();
    case IValue::Tag::Object:
      return a.held_object() == b.held_object();
    default:
      return &a == &b;
  }
}

const char* IValue::tagKind() const { return name_of(tag_); }

// ---------------------------------------------------------------------- text
namespace {

std::ostream& print_double(std::ostream& out, double v) {
  if (std::abs(v) < 0x1p63 && v == std::trunc(v)) return out << static_cast<int64_t>(v) << ".";
  const auto precision = out.precision();
  return out << std::setprecision(std::numeric_limits<double>::max_digits10) << v
             << std::setprecision(static_cast<int>(precision));
}

std::ostream& print_list(std::ostream& out, const char* begin, const std::vector<IValue>& list,
                         const char* end) {
  out << begin;
  for (size_t i = 0; i < list.size(); ++i) out << (i > 0 ? ", " : "") << list[i];
  return out << end;
}

std::ostream& print_dict(std::ostream& out, const GenericDict& dict) {
  out << "{";
  const char* separator = "";
  for (const auto& entry : dict) {
    out << separator << entry.key() << ": " << entry.value();
    separator = ", ";
  }
  return out << "}";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::None:
      return out << "None";
    case IValue::Tag::Tensor:
      return out << v.toTensor();
    case IValue::Tag::Double:
      return print_double(out, v.toDouble());
    case IValue::Tag::Int:
      return out << v.toInt();
    case IValue::Tag::Bool:
      return out << (v.toBool() ? "True" : "False");
    case IValue::Tag::String:
      return out << v.toStringRef();
    case IValue::Tag::Device:
      return out << v.toDevice();
    case IValue::Tag::Object:
      return out << "<" << detail::demangled(typeid(*v.held_object()).name()) << " object>";
    case IValue::Tag::Tuple: {
      const std::vector<IValue>& elements = v.toTupleRef().elements();
      return print_list(out, "(", elements, elements.size() == 1 ? ",)" : ")");
    }
    case IValue::Tag::GenericDict:
      return print_dict(out, v.toGenericDict());
    default:
      return print_list(out, "[", v.toList().vec(), "]");
  }
}

void IValue::throw_kind(Tag expected) const {
  throw Error(detail::concat("Expected ", name_of(expected), " but got ", name_of(tag_)));
}

Scalar IValue::toScalar() const {
  if (isDouble()) return toDouble();
  if (isBool()) return toBool();
  return toInt();
}

std::tuple<double, double> IValue::convert(std::tuple<double, double>*) const {
  if (isTuple()) return convert_tuple<double, double>(std::index_sequence<0, 1>());  // LibTorch's
  const std::vector<double>& v = toDoubleVector();
  TAPER_CHECK(v.size() == 2, "IValue: expected a pair of numbers, got ", v.size());
  return {v[0], v[1]};
}

}  // namespace torch::taper

size_t std::hash<taper::IValue>::operator()(const taper::IValue& v) const {
  switch (v.tag()) {
    case taper::IValue::Tag::Double:
      return std::hash<double>()(v.toDouble());
    case taper::IValue::Tag::Int:
      return std::hash<int64_t>()(v.toInt());
    case taper::IValue::Tag::Bool:
      return std::hash<bool>()(v.toBool());
    case taper::IValue::Tag::String:
      return std::hash<std::string>()(v.toStringRef());
    case taper::IValue::Tag::None:
      return 0;
    default:
      throw taper::TypeError(taper::detail::concat(
          "a dictionary's key: expected a number or text, got a ", v.tagKind()));
  }
}
