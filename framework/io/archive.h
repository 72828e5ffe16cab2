// Archives: named tensors and values on their way to a file or stream and back.
//
// A file is a safetensors file (https://github.com/huggingface/safetensors): 8 bytes of
// little-endian header length, a JSON header, then the tensors' bytes, row-major, one behind the
// other. An archive inside an archive joins the names by '.', as in "layer1.weight". What is not a
// tensor, and a checksum of the whole file, lie as text in the header's "__metadata__". Other
// programs read the tensors of such a file, and files that other programs wrote load here. Files of
// LibTorch's torch::save and of torch.jit.save load here too, as data: no code in them is run.
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
/// Only there so that LibTorch's constructor of OutputArchive compiles; it holds nothing.
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
  /// LibTorch's constructor; the argument is ignored.
  explicit OutputArchive(std::shared_ptr<jit::CompilationUnit>) : OutputArchive() {}
  /// Moves what was written; the other one can only be assigned to or destroyed.
  ///@{
  OutputArchive(OutputArchive&&) noexcept;
  OutputArchive& operator=(OutputArchive&&) noexcept;
  ///@}
  OutputArchive(OutputArchive&) = delete;
  OutputArchive& operator=(OutputArchive&) = delete;
  ~OutputArchive();
  /// Always null.
  std::shared_ptr<jit::CompilationUnit> compilation_unit() const { return nullptr; }

  /// Adds a number, text, list or tensor. A second value of the same name replaces the first.
  void write(const std::string& key, const IValue& value);
  /// Adds a tensor; its values are those at the time of save_to. An undefined one is allowed.
  void write(const std::string& key, const Tensor& tensor, bool is_buffer = false);
  /// Adds all that `nested` holds now under `key`.
  void write(const std::string& key, OutputArchive& nested);

  /// Writes a temporary file beside `filename`, syncs it and renames it: at any moment the name
  /// stands for the whole old file or the whole new one. Throws Error when that fails (no such
  /// directory, no space); the old file is then as it was.
  void save_to(const std::string& filename);
  /// Throws Error when the stream fails.
  void save_to(std::ostream& stream);
  /// Calls `func(data, nbytes)` repeatedly; it returns how many bytes it took.
  void save_to(const std::function<size_t(const void*, size_t)>& func);

  /// The same as write(args...).
  template <class... T>
  void operator()(T&&... args) {
    write(std::forward<T>(args)...);
  }

 private:
  std::unique_ptr<detail::ArchiveData> data_;
};

/// Reads values by name. load_from reads and checks the whole file (bounds, types, checksum) before
/// it returns, so that what follows cannot meet a damaged file.
class InputArchive final {
 public:
  InputArchive();
  /// Moves what was loaded; the other one can only be assigned to, loaded into or destroyed.
  ///@{
  InputArchive(InputArchive&&) noexcept;
  InputArchive& operator=(InputArchive&&) noexcept;
  ///@}
  InputArchive(InputArchive&) = delete;
  InputArchive& operator=(InputArchive&) = delete;
  ~InputArchive();

  /// The value of that name. `read` throws Error when there is none, `try_read` returns false.
  ///@{
  void read(const std::string& key, IValue& value);
  bool try_read(const std::string& key, IValue& value);
  ///@}
  /// A defined `tensor` keeps its identity, dtype and requires_grad, and takes over sizes and
  /// values. It goes to the device that load_from was given, or stays on its own. An undefined one
  /// becomes a new tensor there, or on the device on which it was saved. Throws Error when only one
  /// of them is floating, and when there is no such device.
  ///@{
  void read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  bool try_read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  ///@}
  /// Like read into a defined tensor, and throws Error when the file's has other sizes or is
  /// undefined: the file is of another model.
  void read_parameter(const std::string& key, Tensor& tensor);
  /// The archive that was written under that name.
  ///@{
  void read(const std::string& key, InputArchive& archive);
  bool try_read(const std::string& key, InputArchive& archive);
  ///@}
  /// The names at this level: of values, tensors and nested archives, in the order of writing.
  std::vector<std::string> keys();

  /// `device` is where all tensors are read to; see read().
  ///@{
  void load_from(const std::string& filename, optional<Device> device = nullopt);
  void load_from(std::istream& stream, optional<Device> device = nullopt);
  void load_from(const char* data, size_t size, optional<Device> device = nullopt);
  ///@}
  /// read_func(position, buffer, nbytes) returns how many bytes it gave; size_func() the total.
  void load_from(const std::function<size_t(uint64_t, void*, size_t)>& read_func,
                 const std::function<size_t()>& size_func, optional<Device> device = nullopt);

  /// How many tensors were read into, here and in the archives that this one is nested in or that
  /// are nested in it.
  size_t count_reads() const;
  /// Gives the tensors that were read into what they held before: all but the first `keep`.
  void undo_reads(size_t keep = 0);
  /// Calls body(). When that throws, the tensors that it read into get back what they held before.
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

  /// The whole name of a key, from the file's root: "layer1.weight".
  std::string full_name(const std::string& key) const;

  /// The same as read(args...).
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

/// What save and load use for a tensor, and for the state of a generator. A class joins in by its
/// own pair of such operators.
///@{
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Tensor& tensor);
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Tensor& tensor);
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Generator& generator);
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Generator& generator);
///@}

}  // namespace torch::taper

#pragma GCC visibility pop
