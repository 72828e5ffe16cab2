// The parts of Python's pickle format that files of tensors need. Not installed.
#pragma once

#include <functional>
#include <vector>

#include <taper/framework/io/bytes.h>
#include <taper/framework/io/ivalue.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::serialize::detail {

/// Returns the whole storage named `key`: a vector of `numel` elements of `dtype`.
using StorageSource =
    std::function<Tensor(const std::string& key, ScalarType dtype, int64_t numel)>;

/// Returns the object that a pickle (protocols 2 to 5) describes. No code is run. Only the globals
/// in a short table are allowed. The error for any other global names that global. Throws Error
/// that begins with "load: <where>". Memory stays proportional to the pickle's size.
IValue unpickle(Bytes bytes, const StorageSource& storages, const std::string& where);

/// The position of a tensor in the storage named `key`. The storage has `numel` elements of the
/// tensor's dtype.
struct StoredTensor {
  std::string key;
  int64_t numel, offset;
  Dims strides;
};
/// Called for each tensor. Stores the tensor's memory unless it is stored already. Returns the
/// tensor's position in the stored memory.
using StorageSink = std::function<StoredTensor(const Tensor& tensor)>;

/// Returns the pickle (protocol 2) of a value, for Python's torch.load and LibTorch's pickle_load.
std::string pickle(const IValue& value, const StorageSink& storages);

/// Map Python's classes of storages, "FloatStorage" and so on, to dtypes and back. dtype_of_storage
/// returns Undefined for another name.
ScalarType dtype_of_storage(const std::string& name);
std::string storage_name(ScalarType dtype);

}  // namespace torch::taper::serialize::detail

#pragma GCC visibility pop
