// DLPack: structures for the exchange of tensors between libraries, without copies. It follows
// version 1.3 of the specification (https://dmlc.github.io/dlpack/latest/c_api.html).
//
// DLPack is a binary interface. Names, values and the order of members equal the specification's.
// The include guard equals the guard of DLPack's header, so if a program includes both headers,
// only the first one is used.
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#include <stddef.h>
#include <stdint.h>

/// The major version of this header. A structure with another major version has another layout:
/// access only its `version` and `deleter`.
#define DLPACK_MAJOR_VERSION 1
/// The minor version of this header. A higher minor version adds codes for devices and dtypes.
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
  kDLCPU = 1,           ///< host memory
  kDLCUDA = 2,          ///< memory of a CUDA device
  kDLCUDAHost = 3,      ///< host memory, pinned for CUDA
  kDLOpenCL = 4,        ///< a handle of OpenCL
  kDLVulkan = 7,        ///< memory of Vulkan
  kDLMetal = 8,         ///< memory of Apple's GPUs
  kDLVPI = 9,           ///< memory of a Verilog simulator
  kDLROCM = 10,         ///< memory of AMD's GPUs
  kDLROCMHost = 11,     ///< host memory, pinned for ROCm
  kDLExtDev = 12,       ///< for experiments
  kDLCUDAManaged = 13,  ///< CUDA's managed memory
  kDLOneAPI = 14,       ///< shared memory of oneAPI
  kDLWebGPU = 15,       ///< memory of WebGPU
  kDLHexagon = 16,      ///< memory of Qualcomm's Hexagon
  kDLMAIA = 17,         ///< memory of Microsoft's MAIA
  kDLTrn = 18,          ///< memory of AWS Trainium
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
  uint8_t bits;    ///< number of bits of one element
  uint16_t lanes;  ///< number of elements of a vector, 1 for tensors
} DLDataType;

/// A tensor's memory and geometry. It does not own the memory.
typedef struct {
  void* data;        ///< address on the device, null if there are no elements
  DLDevice device;   ///< device of `data`
  int32_t ndim;      ///< number of dimensions
  DLDataType dtype;  ///< dtype of the elements
  int64_t* shape;    ///< the `ndim` sizes
  int64_t* strides;  ///< the `ndim` strides in elements. Before version 1.2, null means row-major
  uint64_t byte_offset;  ///< offset of the first element from `data`
} DLTensor;

/// A tensor with its deleter, as in DLPack before version 1. The receiver calls `deleter(self)`
/// once, from any thread, unless `deleter` is null.
typedef struct DLManagedTensor {
  DLTensor dl_tensor;                             ///< the tensor
  void* manager_ctx;                              ///< the producer's context
  void (*deleter)(struct DLManagedTensor* self);  ///< frees everything, including `self`
} DLManagedTensor;

/// A tensor with its deleter, a version and flags.
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;  ///< the version of DLPack that the producer uses
  void* manager_ctx;      ///< the producer's context
  void (*deleter)(struct DLManagedTensorVersioned* self);  ///< frees everything, including `self`
  uint64_t flags;                                          ///< DLPACK_FLAG_BITMASK_...
  DLTensor dl_tensor;                                      ///< the tensor
} DLManagedTensorVersioned;

}  // extern "C"

#endif
