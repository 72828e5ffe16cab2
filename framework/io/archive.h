// Archives: named tensors and values, written to a file or stream and read back.
//
// A file is a safetensors file (https://github.com/huggingface/safetensors): 8 bytes of
// little-endian header length, a JSON header, then the tensors' bytes, row-major and consecutive.
// Names of nested archives are joined by '.', as in "layer1.weight". Values other than tensors, and
// a checksum of the whole file, are text in the header's "__metadata__". Other programs can read
// the tensors of the file, and this class reads safetensors files of other programs. Files of
// LibTorch's torch::save and of torch.jit.save load too, as data: no code in them is run.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <taper/framework/io/ivalue.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace jit {
/// An empty class, so that LibTorch's constructor of OutputArchive compiles.
struct CompilationUnit {};
}  // namespace jit

namespace serialize {

namespace detail {
struct ArchiveData;
struct LoadLog;
}  // namespace detail

/// Collects named values, then writes them all at once.
class OutputArchive final {
 public:
  OutputArchive();
  /// Makes an empty archive. The argument, LibTorch's, is ignored.
  explicit OutputArchive(std::shared_ptr<jit::CompilationUnit>) : OutputArchive() {}
  /// Take over the collected values. `other` can then only be assigned to or destroyed.
  ///@{
  OutputArchive(OutputArchive&&) noexcept;
  OutputArchive& operator=(OutputArchive&&) noexcept;
  ///@}
  OutputArchive(OutputArchive&) = delete;
  OutputArchive& operator=(OutputArchive&) = delete;
  ~OutputArchive();
  /// Returns null.
  std::shared_ptr<jit::CompilationUnit> compilation_unit() const { return nullptr; }

  /// Adds a number, text, list or tensor. A second value of one name replaces the first.
  void write(const std::string& key, const IValue& value);
  /// Adds a tensor, which may be undefined. save_to() reads the values of its elements.
  void write(const std::string& key, const Tensor& tensor, bool is_buffer = false);
  /// Adds the current contents of `nested` under `key`.
  void write(const std::string& key, OutputArchive& nested);

  /// Writes a temporary file beside `filename`, syncs it and renames it. At any moment the name
  /// refers to the complete old or the complete new file. Throws Error on failure (no such
  /// directory, no space). The old file is then unchanged.
  void save_to(const std::string& filename);
  /// Writes to a stream. Throws Error if the stream fails.
  void save_to(std::ostream& stream);
  /// Calls `func(data, nbytes)` repeatedly. `func` returns the number of bytes that it took.
  void save_to(const std::function<size_t(const void*, size_t)>& func);

  /// Calls write(args...).
  template <class... T>
  void operator()(T&&... args) {
    write(std::forward<T>(args)...);
  }

 private:
  std::unique_ptr<detail::ArchiveData> data_;
};

/// Reads values by name. load_from reads and checks the whole file (bounds, types, checksum) before
/// it returns, so that later calls never read damaged data.
class InputArchive final {
 public:
  InputArchive();
  /// Take over the loaded values. `other` can then only be assigned to, loaded into or destroyed.
  ///@{
  InputArchive(InputArchive&&) noexcept;
  InputArchive& operator=(InputArchive&&) noexcept;
  ///@}
  InputArchive(InputArchive&) = delete;
  InputArchive& operator=(InputArchive&) = delete;
  ~InputArchive();

  /// Read the value that was written as `key`. If there is none, `read` throws Error and `try_read`
  /// returns false.
  ///@{
  void read(const std::string& key, IValue& value);
  bool try_read(const std::string& key, IValue& value);
  ///@}
  /// Read the tensor that was written as `key`. A defined `tensor` keeps its identity, dtype and
  /// requires_grad, and takes over sizes and values. An undefined `tensor` becomes a new tensor. If
  /// load_from got a device, `tensor` is then on this device. Otherwise a defined `tensor` keeps
  /// its device, and a new tensor is on the device of the saved tensor. Throw Error if only one of
  /// the two dtypes is floating, and if the device does not exist.
  ///@{
  void read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  bool try_read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  ///@}
  /// Reads into a defined tensor. Throws Error if the file's tensor has other sizes or is
  /// undefined, because such a file belongs to another model.
  void read_parameter(const std::string& key, Tensor& tensor);
  /// Read the nested archive that was written as `key`.
  ///@{
  void read(const std::string& key, InputArchive& archive);
  bool try_read(const std::string& key, InputArchive& archive);
  ///@}
  /// Returns the names at this level: values, tensors and nested archives, in the order of writing.
  std::vector<std::string> keys();

  /// Read and check a file, stream or buffer. If `device` is given, read() puts all tensors on it.
  ///@{
  void load_from(const std::string& filename, optional<Device> device = nullopt);
  void load_from(std::istream& stream, optional<Device> device = nullopt);
  void load_from(const char* data, size_t size, optional<Device> device = nullopt);
  ///@}
  /// Calls functions to read. read_func(position, buffer, nbytes) fills the buffer and returns the
  /// number of bytes that it wrote. size_func() returns the total number of bytes.
  void load_from(const std::function<size_t(uint64_t, void*, size_t)>& read_func,
                 const std::function<size_t()>& size_func, optional<Device> device = nullopt);

  /// Returns how many tensors got values from read(), in this archive, its parents and its nested
  /// archives.
  size_t count_reads() const;
  /// Restores the tensors that got values from read(), except the first `keep`.
  void undo_reads(size_t keep = 0);
  /// Calls body(). If it throws, the tensors that it read are restored.
  template <class Body>
  void all_or_nothing(const Body& body) {
    const size_t before = count_reads();
    try {
      body();
    } catch (...) {
      undo_reads(before);
      throw;
    }
  }

  /// Returns a key's full name from the file's root: "layer1.weight".
  std::string full_name(const std::string& key) const;

  /// Calls read(args...).
  template <class... T>
  void operator()(T&&... args) {
    read(std::forward<T>(args)...);
  }

 private:
  void reset(std::shared_ptr<const detail::ArchiveData> data, optional<Device> device);
  [[noreturn]] void throw_missing(const char* what, const std::string& key) const;

  std::shared_ptr<const detail::ArchiveData> data_;
  std::shared_ptr<detail::LoadLog> log_;
  optional<Device> device_;
  std::string prefix_;
};

}  // namespace serialize

/// Write and read a tensor or the state of a generator. save and load call these operators. They
/// also accept a program's class that defines both operators.
///@{
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Tensor& tensor);
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Tensor& tensor);
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Generator& generator);
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Generator& generator);
///@}

}  // namespace torch::taper

#pragma GCC visibility pop
