// Python's pickle format, as far as files of tensors need it. Not installed.
#pragma once

#include <functional>
#include <vector>

#include <taper/framework/io/bytes.h>
#include <taper/framework/io/ivalue.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::serialize::detail {

/// Gives the whole storage of that name: a vector of `numel` elements of `dtype`.
using StorageSource =
    std::function<Tensor(const std::string& key, ScalarType dtype, int64_t numel)>;

/// The object that a pickle (protocols 2 to 5) describes. No code is run: of the globals
/// that a pickle may name a short table is known, and any other is an error that names it. Throws
/// Error that begins with "load: <where>". Memory stays in proportion to the pickle's size.
IValue unpickle(Bytes bytes, const StorageSource& storages, const std::string& where);

/// Where a tensor lies in the storage of that name, which has `numel` elements of its dtype.
struct StoredTensor {
  std::string key;
  int64_t numel, offset;
  Dims strides;
};
/// Called for each tensor: stores its memory, if it is new, and says where.
using StorageSink = std::function<StoredTensor(const Tensor& tensor)>;

/// The pickle (protocol 2) of a value; Python's torch.load and LibTorch's pickle_load read it.
std::string pickle(const IValue& value, const StorageSink& storages);

/// "FloatStorage" and so on: Python's classes of storages. Undefined, null when there is none.
ScalarType dtype_of_storage(const std::string& name);
std::string storage_name(ScalarType dtype);

}  // namespace torch::taper::serialize::detail

#pragma GCC visibility pop
