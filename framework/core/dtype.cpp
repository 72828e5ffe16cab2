#include <taper/framework/core/dtype.h>

#include <atomic>
#include <ostream>
#include <string_view>
#include <vector>

#include <taper/framework/core/check.h>
#include <taper/framework/core/type_properties.h>

namespace torch::taper {
namespace {

struct Names {
  const char *libtorch, *cpp, *python;
};

Names names(ScalarType t) {
  switch (t) {
    case ScalarType::Byte:
      return {"Byte", "unsigned char", "uint8"};
    case ScalarType::Char:
      return {"Char", "signed char", "int8"};
    case ScalarType::Short:
      return {"Short", "short int", "int16"};
    case ScalarType::Int:
      return {"Int", "int", "int32"};
    case ScalarType::Long:
      return {"Long", "long int", "int64"};
    case ScalarType::Half:
      return {"Half", "c10::Half", "float16"};
    case ScalarType::Float:
      return {"Float", "float", "float32"};
    case ScalarType::Double:
      return {"Double", "double", "float64"};
    case ScalarType::ComplexHalf:
      return {"ComplexHalf", "c10::complex<c10::Half>", "complex32"};
    case ScalarType::ComplexFloat:
      return {"ComplexFloat", "c10::complex<float>", "complex64"};
    case ScalarType::ComplexDouble:
      return {"ComplexDouble", "c10::complex<double>", "complex128"};
    case ScalarType::Bool:
      return {"Bool", "bool", "bool"};
    case ScalarType::BFloat16:
      return {"BFloat16", "c10::BFloat16", "bfloat16"};
    case ScalarType::Float8_e5m2:
      return {"Float8_e5m2", "c10::Float8_e5m2", "float8_e5m2"};
    case ScalarType::Float8_e4m3fn:
      return {"Float8_e4m3fn", "c10::Float8_e4m3fn", "float8_e4m3fn"};
    case ScalarType::Float8_e5m2fnuz:
      return {"Float8_e5m2fnuz", "c10::Float8_e5m2fnuz", "float8_e5m2fnuz"};
    case ScalarType::Float8_e4m3fnuz:
      return {"Float8_e4m3fnuz", "c10::Float8_e4m3fnuz", "float8_e4m3fnuz"};
    case ScalarType::Float8_e8m0fnu:
      return {"Float8_e8m0fnu", "c10::Float8_e8m0fnu", "float8_e8m0fnu"};
    case ScalarType::UInt16:
      return {"UInt16", "short unsigned int", "uint16"};
    case ScalarType::UInt32:
      return {"UInt32", "unsigned int", "uint32"};
    case ScalarType::UInt64:
      return {"UInt64", "long unsigned int", "uint64"};
    case ScalarType::QInt8:
      return {"QInt8", "c10::qint8", "qint8"};
    case ScalarType::QUInt8:
      return {"QUInt8", "c10::quint8", "quint8"};
    case ScalarType::QInt32:
      return {"QInt32", "c10::qint32", "qint32"};
    case ScalarType::QUInt4x2:
      return {"QUInt4x2", "c10::quint4x2", "quint4x2"};
    case ScalarType::QUInt2x4:
      return {"QUInt2x4", "c10::quint2x4", "quint2x4"};
    case ScalarType::Bits1x8:
      return {"Bits1x8", "c10::bits1x8", "bits1x8"};
    case ScalarType::Bits2x4:
      return {"Bits2x4", "c10::bits2x4", "bits2x4"};
    case ScalarType::Bits4x2:
      return {"Bits4x2", "c10::bits4x2", "bits4x2"};
    case ScalarType::Bits8:
      return {"Bits8", "c10::bits8", "bits8"};
    case ScalarType::Bits16:
      return {"Bits16", "c10::bits16", "bits16"};
    case ScalarType::Undefined:
      return {"Undefined", "nullptr (uninitialized)", "undefined"};
    default:
      return {"UNKNOWN_SCALAR", "unknown", "unknown"};
  }
}

std::atomic<ScalarType> g_default_dtype{kFloat};

// Orders the signed integer types by their width. uint8 is handled apart.
int width_rank(ScalarType t) { return static_cast<int>(elementSize(t)); }

ScalarType promote_integers(ScalarType a, ScalarType b) {
  if (a == kByte || b == kByte) {
    const ScalarType other = a == kByte ? b : a;
    return other == kChar ? kShort : other;
  }
  return width_rank(a) >= width_rank(b) ? a : b;
}

ScalarType promote_floats(ScalarType a, ScalarType b) {
  if (width_rank(a) == width_rank(b)) return kFloat;  // f16 with bf16
  return width_rank(a) > width_rank(b) ? a : b;
}

// An unsigned type (u16, u32, u64) and a float of at least 16 bits promote to the float. Every
// other pair with a storage-only dtype raises an error.
ScalarType promote_stored(ScalarType a, ScalarType b) {
  const bool bytes = isFloat8Type(a) || isFloat8Type(b);
  if (!bytes && isFloatingType(a)) return a;
  if (!bytes && isFloatingType(b)) return b;
  TAPER_CHECK(false, "Promotion for ", bytes ? "Float8 Types" : "uint16, uint32, uint64 types",
              " is not supported, attempted to promote ", a, " and ", b);
}

template <class T>
std::ostream& print_parts(std::ostream& out, const numbers::complex<T>& z) {
  return out << '(' << z.real() << ',' << z.imag() << ')';
}

}  // namespace

const char* toString(ScalarType t) { return names(t).libtorch; }
const char* cpp_type_name(ScalarType t) { return names(t).cpp; }
const char* python_name(ScalarType t) { return names(t).python; }
std::ostream& operator<<(std::ostream& out, Half x) { return out << static_cast<float>(x); }
std::ostream& operator<<(std::ostream& out, BFloat16 x) { return out << static_cast<float>(x); }
std::ostream& numbers::operator<<(std::ostream& out, const numbers::complex<float>& z) {
  return print_parts(out, z);
}
std::ostream& numbers::operator<<(std::ostream& out, const numbers::complex<double>& z) {
  return print_parts(out, z);
}
std::ostream& operator<<(std::ostream& out, ScalarType t) { return out << toString(t); }
std::ostream& operator<<(std::ostream& out, TypeMeta t) { return out << t.name(); }

ScalarType promoteTypes(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (a == ScalarType::Undefined || b == ScalarType::Undefined) return ScalarType::Undefined;
  if (isStoredType(a) || isStoredType(b)) return promote_stored(a, b);
  if (a == kBool) return b;
  if (b == kBool) return a;
  if (isComplexType(a) || isComplexType(b)) {
    const bool wide = toRealValueType(a) == kDouble || toRealValueType(b) == kDouble;
    return wide ? kComplexDouble : kComplexFloat;
  }
  const bool a_floats = isFloatingType(a), b_floats = isFloatingType(b);
  if (a_floats && b_floats) return promote_floats(a, b);
  if (a_floats) return a;
  if (b_floats) return b;
  return promote_integers(a, b);
}

bool canCast(ScalarType from, ScalarType to) {
  if (isComplexType(from) && !isComplexType(to)) return false;
  if (isFloatingType(from) && isIntegralType(to, true)) return false;
  return !(from != kBool && to == kBool);
}

ScalarType default_dtype() { return g_default_dtype.load(std::memory_order_relaxed); }
TypeMeta get_default_dtype() { return default_dtype(); }

void set_default_dtype(TypeMeta t) {
  TAPER_CHECK_TYPE(isFloatingType(t) && !isFloat8Type(t),
                   "set_default_dtype: only floating-point types are supported "
                   "as the default type, got ",
                   toString(t));
  g_default_dtype.store(t.toScalarType(), std::memory_order_relaxed);
}

namespace detail {

namespace {

// Returns the op that a LibTorch kernel name belongs to: "frac" for "frac_cpu" and "frac_vml_cpu".
std::string_view op_of_kernel(std::string_view kernel) {
  for (const std::string_view ending : {"_impl", "_cpu", "_cuda", "_vml", "_kernel", "_out"})
    if (kernel.size() > ending.size() && kernel.substr(kernel.size() - ending.size()) == ending)
      kernel.remove_suffix(ending.size());
  return kernel;
}

}  // namespace

void unsupported_dtype(std::string_view op, const char* kernel, ScalarType t) {
  throw NotImplementedError(
      concat(op, ": \"", kernel, "\" not implemented for '", toString(t), "'"));
}

void unsupported_dtype(const char* kernel, ScalarType t) {
  unsupported_dtype(op_of_kernel(kernel), kernel, t);
}

}  // namespace detail
}  // namespace torch::taper

namespace torch::taper {

namespace detail {
DeviceType device_type_of(Backend backend) {
  static constexpr struct {
    Backend backend;
    DeviceType type;
  } kDense[] = {
      {Backend::CPU, kCPU},       {Backend::CUDA, kCUDA}, {Backend::HIP, kHIP},
      {Backend::VE, kVE},         {Backend::XPU, kXPU},   {Backend::XLA, kXLA},
      {Backend::Vulkan, kVulkan}, {Backend::MPS, kMPS},   {Backend::Metal, kMetal},
      {Backend::Meta, kMeta},
  };
  TAPER_CHECK(backend != Backend::Undefined, "Undefined backend is not a valid device type");
  for (const auto& known : kDense)
    if (known.backend == backend) return known.type;
  throw NotImplementedError(
      "toBackend: expected a dense backend, got a sparse one; Taper has dense tensors only");
}
}  // namespace detail

namespace {

const char* name_of(Backend backend) {
  static constexpr const char* kNames[] = {"CPU",    "CUDA",      "HIP",        "VE",
                                           "XPU",    "SparseCPU", "SparseCUDA", "XLA",
                                           "Vulkan", "Metal",     "Meta",       "MPS"};
  return kNames[static_cast<size_t>(backend)];
}

}  // namespace

DeprecatedTypeProperties& type_properties(Backend backend, ScalarType dtype) {
  constexpr size_t kBackends = static_cast<size_t>(Backend::Undefined) + 1, kDtypes = 64;
  const auto row = static_cast<size_t>(backend), column = static_cast<size_t>(dtype);
  TAPER_CHECK(row < kBackends && column < kDtypes,
              "type: expected a Backend and a ScalarType, got ", row, " and ", column);
  static std::vector<DeprecatedTypeProperties> all = [] {
    std::vector<DeprecatedTypeProperties> list;
    for (size_t i = 0; i < kBackends * kDtypes; ++i)
      list.emplace_back(static_cast<Backend>(i / kDtypes), static_cast<ScalarType>(i % kDtypes));
    return list;
  }();
  return all[row * kDtypes + column];
}

DeviceType DeprecatedTypeProperties::device_type() const {
  return detail::device_type_of(backend_);
}
DeprecatedTypeProperties& DeprecatedTypeProperties::toBackend(Backend backend) const {
  return type_properties(backend, dtype_);
}
DeprecatedTypeProperties& DeprecatedTypeProperties::toScalarType(ScalarType dtype) const {
  return type_properties(backend_, dtype);
}
TensorOptions DeprecatedTypeProperties::options(DeviceIndex index) const {
  return TensorOptions(dtype_).device(Device(device_type(), index));
}
TensorOptions DeprecatedTypeProperties::options(optional<Device> device) const {
  if (!device) return options();
  TAPER_CHECK(device->type() == device_type(), "options: expected a device of ", toString(),
              ", got ", *device);
  return options(device->index());
}
std::string DeprecatedTypeProperties::toString() const {
  if (backend_ == Backend::Undefined || dtype_ == ScalarType::Undefined) return "UndefinedType";
  return std::string(name_of(backend_)) + taper::toString(dtype_) + "Type";
}
std::ostream& operator<<(std::ostream& out, const DeprecatedTypeProperties& t) {
  return out << t.toString();
}

}  // namespace torch::taper
