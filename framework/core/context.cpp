#include <taper/framework/core/context.h>

#include <taper/framework/core/check.h>
#include <taper/framework/core/defaults.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/cpu/denormals.h>
#include <taper/framework/runtime/devices.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper {

// ---------------------------------------------------------------------- context
namespace {

constexpr const char* kPrecisions[] = {"highest", "high", "medium"};

/// Sets `p` to the precision with this name. Returns false for an unknown name.
bool find_precision(const std::string& name, Float32MatmulPrecision& p) {
  for (int i = 0; i < 3; ++i) {
    if (name != kPrecisions[i]) continue;
    p = static_cast<Float32MatmulPrecision>(i);
    return true;
  }
  return false;
}

CuBLASReductionOption reduction_option(const char* op, bool allow_reduced_precision,
                                       bool allow_splitk) {
  TAPER_CHECK(
      allow_splitk || !allow_reduced_precision, op,
      ": allow_splitk=False is not supported when reduced precision reductions are enabled");
  if (!allow_splitk) return CuBLASReductionOption::DisallowReducedPrecisionDisallowSplitK;
  return allow_reduced_precision ? CuBLASReductionOption::AllowReducedPrecisionWithSplitK
                                 : CuBLASReductionOption::DisallowReducedPrecisionAllowSplitK;
}

}  // namespace

Context& globalContext() {
  static Context context;
  return context;
}

bool Context::hasCUDA() { return cuda::is_available(); }
bool Context::hasCUDART() { return detail::cuda_kernels() == detail::CudaKernels::kForGpus; }
bool Context::hasCuDNN() { return hasCUDART(); }

void Context::setFloat32MatmulPrecision(const std::string& name) {
  Float32MatmulPrecision p;
  if (find_precision(name, p)) return setFloat32MatmulPrecision(p);
  detail::warn_user(name +
                    " is not one of 'highest', 'high', or 'medium'; the current "
                    "setFloat32MatmulPrecision call has no effect.");
}

void Context::setAllowFP16ReductionCuBLAS(bool allow_reduced_precision, bool allow_splitk) {
  fp16_reduction_ =
      reduction_option("setAllowFP16ReductionCuBLAS", allow_reduced_precision, allow_splitk);
}
void Context::setAllowBF16ReductionCuBLAS(bool allow_reduced_precision, bool allow_splitk) {
  bf16_reduction_ =
      reduction_option("setAllowBF16ReductionCuBLAS", allow_reduced_precision, allow_splitk);
}

void set_float32_matmul_precision(const std::string& precision) {
  Float32MatmulPrecision p;
  TAPER_CHECK(find_precision(precision, p),
              "set_float32_matmul_precision: expected 'highest', "
              "'high' or 'medium', got '",
              precision, "'");
  globalContext().setFloat32MatmulPrecision(p);
}
std::string get_float32_matmul_precision() {
  return kPrecisions[static_cast<int>(globalContext().float32MatmulPrecision())];
}

void Context::alertNotDeterministic(const std::string& caller) {
  const Context& context = globalContext();
  if (!context.deterministicAlgorithms()) return;
  const bool warns = context.deterministicAlgorithmsWarnOnly();
  const std::string text = caller +
                           " does not have a deterministic implementation, but you set "
                           "'torch.use_deterministic_algorithms(True";
  if (warns) return detail::warn_user(text + ", warn_only=True)'.");
  throw Error(text +
              ")'. You can turn off determinism just for this operation, or you can use the "
              "'warn_only=True' option, if that's acceptable for your application.");
}

bool Context::setFlushDenormal(bool on) {
  const uint64_t others = cpu::float_mode() & ~cpu::kFlushDenormals;
  cpu::set_float_mode(on ? others | cpu::kFlushDenormals : others);
  return cpu::kFlushDenormals != 0;
}

// ---------------------------------------------------------------------- defaults
void set_default_device(Device device) {
  detail::existing_device(device);
  detail::thread_default_device = device;
}

void set_default_tensor_type(const std::string& name) {
  const detail::TensorType type = detail::parse_tensor_type(name);
  TAPER_CHECK_TYPE(isFloatingType(type.dtype),
                   "only floating-point types are supported as the default type, got '", name, "'");
  set_default_device(type.device);
  set_default_dtype(type.dtype);
}

namespace detail {

TensorType parse_tensor_type(const std::string& name) {
  const auto begins = [&](const std::string& text) { return name.rfind(text, 0) == 0; };
  const bool cuda = begins("torch.cuda.");
  const std::string kind = begins("torch.") ? name.substr(cuda ? 11 : 6) : "";
  std::string names;
  for (const ScalarType t :
       {kByte, kChar, kShort, kInt, kLong, kHalf, kFloat, kDouble, kBool, kBFloat16}) {
    const std::string its_kind = concat(toString(t), "Tensor");
    if (kind == its_kind) return {cuda ? kCUDA : kCPU, t};
    names += names.empty() ? its_kind : ", " + its_kind;
  }
  throw ValueError(
      concat("invalid type: '", name, "'; expected 'torch.' or 'torch.cuda.' and one of ", names));
}

}  // namespace detail

}  // namespace torch::taper
