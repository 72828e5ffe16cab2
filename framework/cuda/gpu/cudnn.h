// Code shared by all calls of cuDNN: descriptors, types, factors, and a cache of plans. Not
// installed.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include <taper/framework/core/dtype.h>
#include <taper/framework/cuda/gpu/handles.h>
#include <taper/framework/cuda/gpu/of_thread.h>

namespace torch::taper::cuda {

/// Defines the class `Name`, which owns a cuDNN descriptor.
#define TAPER_CUDNN_DESCRIPTION(Name, Handle, create, destroy)    \
  class Name {                                                    \
   public:                                                        \
    Name() { TAPER_LIBRARY_CALL(cudnn, create, &d_); }            \
    ~Name() { (void)TAPER_LIBRARY_FUNCTION(cudnn, destroy)(d_); } \
    Name(const Name&) = delete;                                   \
    Name& operator=(const Name&) = delete;                        \
    Handle get() const { return d_; }                             \
                                                                  \
   private:                                                       \
    Handle d_ = nullptr;                                          \
  };
TAPER_CUDNN_DESCRIPTION(TensorDescription, cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor,
                        cudnnDestroyTensorDescriptor)

cudnnDataType_t cudnn_type(ScalarType dtype);
/// Returns the type of sums, statistics and factors for tensors of `dtype`.
cudnnDataType_t cudnn_compute_type(ScalarType dtype);
/// Returns cuDNN's math type for tensors of `dtype`. For f32, cuDNN uses TF32 only if `tf32` is
/// true.
cudnnMathType_t cudnn_math(ScalarType dtype, bool tf32);

/// Makes d describe a contiguous tensor of this dtype and these sizes.
void describe(const TensorDescription& d, ScalarType dtype, const std::vector<int>& sizes);

/// Alpha or beta in the type that cuDNN reads.
class Factor {
 public:
  Factor(double v, ScalarType dtype)
      : f_(static_cast<float>(v)), d_(v), in_double_(dtype == ScalarType::Double) {}
  const void* get() const { return in_double_ ? static_cast<const void*>(&d_) : &f_; }

 private:
  float f_;
  double d_;
  bool in_double_;
};

/// Returns true if `status` is success. Returns false if cuDNN does not support the call, and so
/// has done nothing. Other errors throw as in TAPER_LIBRARY_CALL.
bool cudnn_supports(cudnnStatus_t status, const char* call, const char* file, int line);
#define TAPER_CUDNN_SUPPORTS(name, ...)                                                            \
  ::taper::cuda::cudnn_supports(TAPER_LIBRARY_FUNCTION(cudnn, name)(__VA_ARGS__), #name, __FILE__, \
                                __LINE__)

/// Returns the plan of `key`, which make() creates on first use. Plans are kept until the process
/// ends. Only one thread at a time uses a plan, because threads must not share descriptors.
template <class Plan, class Key, class Make>
Plan& plan_of(const Key& key, const Make& make) {
  auto& plans = of_thread<std::map<Key, std::unique_ptr<Plan>>, Make>();
  std::unique_ptr<Plan>& plan = plans[key];
  if (!plan) plan = make();
  return *plan;
}

}  // namespace torch::taper::cuda
