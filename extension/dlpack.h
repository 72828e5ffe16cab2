// DLPack: structures by which libraries exchange tensors without copying them, version 1.3 of the
// published specification (https://dmlc.github.io/dlpack/latest/c_api.html).
//
// It is a binary interface. Names, values and the order of members are those of the specification.
// The include guard is that of DLPack's header. If a program includes both headers, the first one
// is used.
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#include <stddef.h>
#include <stdint.h>

/// A structure with another major version has another layout. Only its `version` and `deleter` may
/// be accessed.
#define DLPACK_MAJOR_VERSION 1
/// A higher minor version has more codes for devices and dtypes.
#define DLPACK_MINOR_VERSION 3

/// Flag of DLManagedTensorVersioned: the receiver must not write to the tensor.
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
/// Flag: the memory is a copy that was made for the receiver. Nobody else uses it.
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
/// Flag: an element with fewer than 8 bits takes a whole byte.
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)

extern "C" {

/// The version of DLPack that a DLManagedTensorVersioned follows.
typedef struct {
  uint32_t major;  ///< see DLPACK_MAJOR_VERSION
  uint32_t minor;  ///< see DLPACK_MINOR_VERSION
} DLPackVersion;

/// A kind of memory. Taper supports kDLCPU, kDLCUDA and kDLCUDAHost.
typedef enum : int32_t {
  kDLCPU = 1,           ///< the host's
  kDLCUDA = 2,          ///< a CUDA device's
  kDLCUDAHost = 3,      ///< the host's, pinned for CUDA
  kDLOpenCL = 4,        ///< a handle of OpenCL
  kDLVulkan = 7,        ///< Vulkan's
  kDLMetal = 8,         ///< Apple's GPUs
  kDLVPI = 9,           ///< a simulator of Verilog
  kDLROCM = 10,         ///< AMD's GPUs
  kDLROCMHost = 11,     ///< the host's, pinned for ROCm
  kDLExtDev = 12,       ///< for experiments
  kDLCUDAManaged = 13,  ///< CUDA's, moved by the driver
  kDLOneAPI = 14,       ///< shared memory of oneAPI
  kDLWebGPU = 15,       ///< WebGPU's
  kDLHexagon = 16,      ///< Qualcomm's
  kDLMAIA = 17,         ///< Microsoft's
  kDLTrn = 18,          ///< AWS Trainium's
} DLDeviceType;

/// The location of memory.
typedef struct {
  DLDeviceType device_type;  ///< kind of device
  int32_t device_id;         ///< index among the devices of that kind, 0 for the host
} DLDevice;

/// A kind of element. The member `bits` of DLDataType is its width.
typedef enum {
  kDLInt = 0U,                 ///< signed integers
  kDLUInt = 1U,                ///< unsigned integers
  kDLFloat = 2U,               ///< IEEE 754
  kDLOpaqueHandle = 3U,        ///< for tests
  kDLBfloat = 4U,              ///< bfloat16
  kDLComplex = 5U,             ///< pairs of IEEE 754
  kDLBool = 6U,                ///< bytes of 0 and 1
  kDLFloat8_e3m4 = 7U,         ///< IEEE-like
  kDLFloat8_e4m3 = 8U,         ///< IEEE-like
  kDLFloat8_e4m3b11fnuz = 9U,  ///< no infinity, no -0, bias 11
  kDLFloat8_e4m3fn = 10U,      ///< no infinity
  kDLFloat8_e4m3fnuz = 11U,    ///< no infinity, no -0
  kDLFloat8_e5m2 = 12U,        ///< IEEE-like
  kDLFloat8_e5m2fnuz = 13U,    ///< no infinity, no -0
  kDLFloat8_e8m0fnu = 14U,     ///< powers of 2
  kDLFloat6_e2m3fn = 15U,      ///< 6 bits
  kDLFloat6_e3m2fn = 16U,      ///< 6 bits
  kDLFloat4_e2m1fn = 17U,      ///< 4 bits
} DLDataTypeCode;

/// A dtype: {kDLFloat, 32, 1} is float.
typedef struct {
  uint8_t code;    ///< a DLDataTypeCode
  uint8_t bits;    ///< of one element
  uint16_t lanes;  ///< elements of a vector, 1 for tensors
} DLDataType;

/// A tensor's memory and geometry, owned by somebody else.
typedef struct {
  void* data;            ///< address on the device, null if there are no elements
  DLDevice device;       ///< device of `data`
  int32_t ndim;          ///< number of dimensions
  DLDataType dtype;      ///< of the elements
  int64_t* shape;        ///< `ndim` sizes
  int64_t* strides;      ///< `ndim` strides in elements, null means row-major (before version 1.2)
  uint64_t byte_offset;  ///< from `data` to the first element
} DLTensor;

/// A tensor with its deleter, as in DLPack before version 1. The receiver calls `deleter(self)`
/// once, from any thread. The deleter may be null.
typedef struct DLManagedTensor {
  DLTensor dl_tensor;                             ///< the tensor
  void* manager_ctx;                              ///< the producer's context
  void (*deleter)(struct DLManagedTensor* self);  ///< frees everything, including `self`
} DLManagedTensor;

/// A tensor with its deleter, a version and flags.
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;                                   ///< the producer's version
  void* manager_ctx;                                       ///< the producer's context
  void (*deleter)(struct DLManagedTensorVersioned* self);  ///< frees everything, including `self`
  uint64_t flags;                                          ///< DLPACK_FLAG_BITMASK_...
  DLTensor dl_tensor;                                      ///< the tensor
} DLManagedTensorVersioned;

}  // extern "C"

#endif
