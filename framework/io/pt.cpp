#include <taper/framework/io/pt.h>

#include <algorithm>
#include <unordered_map>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/io/host_read.h>
#include <taper/framework/io/pickle.h>
#include <taper/framework/io/script_module.h>
#include <taper/framework/io/zip.h>

namespace torch::taper {
namespace serialize::detail {
namespace {

constexpr const char* kPickle = "data.pkl";
constexpr const char* kConstants = "constants.pkl";
constexpr const char* kVersion = "3\n";

/// Names the writer of an archive: Python's torch.save, or torch.jit.save and LibTorch's
/// torch::save.
enum class Writer { kPython, kScript };

/// Reads an archive of torch.save: a pickle, and a record for each storage.
class PtFile {
 public:
  PtFile(Bytes bytes, const std::string& where, optional<Device> device, Writer writer)
      : zip_(bytes, where), where_(where), device_(device) {
    find_prefix();
    check_writer(writer);
    read_byte_order();
  }

  IValue read() {
    const std::string code = zip_.read(*zip_.find(prefix_ + kPickle));
    const auto storages = [this](const std::string& key, ScalarType dtype, int64_t numel) {
      return storage(key, dtype, numel);
    };
    return unpickle(bytes_of(code.data(), code.size()), storages, where_);
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw Error(taper::detail::concat("load: ", where_, ": ", parts...));
  }

  // All records lie in one folder with an arbitrary name.
  void find_prefix() {
    for (const ZipEntry& e : zip_.entries()) {
      const size_t slash = e.name.find('/');
      const std::string prefix = slash == std::string::npos ? "" : e.name.substr(0, slash + 1);
      if (e.name == prefix + kPickle) prefix_ = prefix;
    }
    if (!zip_.find(prefix_ + kPickle))
      fail("expected a file of torch.save, got a zip archive without ", kPickle);
  }

  // Only TorchScript archives have a record of constants.
  void check_writer(Writer expected) const {
    const bool script = zip_.find(prefix_ + kConstants) != nullptr;
    if (script && expected == Writer::kPython)
      fail(
          "expected a file of Python's torch.save, got a TorchScript module or a file of "
          "LibTorch's torch::save; load_state_dict(path) and load(module, path) read its tensors");
    if (!script && expected == Writer::kScript)
      fail(
          "expected a file of torch::save, got one of Python's torch.save; read it with "
          "module->load_state_dict(load_state_dict(path)), or any value with load_pt(path)");
  }

  void read_byte_order() {
    const ZipEntry* e = zip_.find(prefix_ + "byteorder");
    if (!e) return;
    const std::string order = e->nbytes <= 6 ? zip_.read(*e) : "";
    if (order != "little" && order != "big")
      fail("expected the byte order 'little' or 'big', got '", order, "'");
    swapped_ = order == "big";
  }

  Tensor storage(const std::string& key, ScalarType dtype, int64_t numel) {
    Tensor& t = storages_[key];
    if (!t.defined()) t = read_storage(key, dtype, numel);
    if (t.scalar_type() != dtype || t.numel() != numel)
      fail("storage '", key, "' is described as ", numel, " elements of ", dtype, " and as ",
           t.numel(), " of ", t.scalar_type());
    return t;
  }

  Tensor read_storage(const std::string& key, ScalarType dtype, int64_t numel) {
    const ZipEntry* e = zip_.find(prefix_ + "data/" + key);
    if (!e) fail("expected a record 'data/", key, "', got none");
    const size_t itemsize = elementSize(dtype);
    if (static_cast<uint64_t>(numel) > e->nbytes ||
        static_cast<uint64_t>(numel) * itemsize != e->nbytes)
      fail("storage '", key, "': expected ", numel, " elements of ", dtype, ", got ", e->nbytes,
           " bytes");
    const Tensor t = taper::detail::make_tensor(numel, dtype, Device());
    zip_.read(*e, t.data_ptr());
    if (swapped_)
      swap_bytes(t.data_ptr(), e->nbytes, elementSize(toRealValueType(t.scalar_type())));
    check_bools(key, t);
    return device_ ? t.to(*device_) : t;
  }

  // Checks bools: a value other than 0 and 1 would make later comparisons undefined.
  void check_bools(const std::string& key, const Tensor& t) const {
    if (t.scalar_type() != kBool) return;
    const auto* p = static_cast<const unsigned char*>(t.data_ptr());
    for (int64_t i = 0; i < t.numel(); ++i)
      if (p[i] > 1) fail("storage '", key, "': expected bytes 0 and 1 for bools, got ", int{p[i]});
  }

  ZipReader zip_;
  const std::string where_;
  const optional<Device> device_;
  std::string prefix_;
  bool swapped_ = false;
  std::unordered_map<std::string, Tensor> storages_;
};

/// Collects the storages of the tensors to be written, each once.
class Storages {
 public:
  StoredTensor add(const Tensor& t) {
    const TensorImpl& impl = *t.impl_ptr();
    const size_t nbytes = impl.storage->nbytes;
    const auto numel = static_cast<int64_t>(nbytes / impl.itemsize());
    const auto [at, is_new] = index_.emplace(impl.storage.get(), storages_.size());
    if (is_new) {
      const Tensor whole = taper::detail::share_data(impl, Dims{numel}, Dims{1}, 0);
      storages_.push_back(taper::detail::read_by_host("save", whole));
    }
    const Tensor& whole = storages_[at->second];
    if (whole.scalar_type() == impl.dtype)
      return {std::to_string(at->second), numel, impl.offset, impl.strides};
    // Python cannot share one storage between two dtypes.
    storages_.push_back(taper::detail::read_by_host("save", t).contiguous());
    const Tensor& copy = storages_.back();
    return {std::to_string(storages_.size() - 1), copy.numel(), 0, copy.impl_ptr()->strides};
  }
  const std::vector<Tensor>& all() const { return storages_; }

 private:
  std::unordered_map<const StorageImpl*, size_t> index_;
  std::vector<Tensor> storages_;
};

void write_pt(const IValue& value, const Sink& sink, const std::string& where) {
  NoGradGuard no_grad;
  Storages storages;
  const std::string code = pickle(value, [&](const Tensor& t) { return storages.add(t); });
  ZipWriter zip(sink, where);
  zip.add(std::string("archive/") + kPickle, code.data(), code.size());
  zip.add("archive/byteorder", "little", 6);
  for (size_t i = 0; i < storages.all().size(); ++i) {
    const Tensor& t = storages.all()[i];
    zip.add(taper::detail::concat("archive/data/", i), t.data_ptr(), t.nbytes());
  }
  zip.add("archive/version", kVersion, 2);
  zip.finish();
}

// Returns whether the bytes have an older format: a pickle of a magic number, or a tar archive.
bool is_old_format(Bytes bytes) {
  const bool pickle = bytes.size() > 2 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5;
  const bool tar = bytes.size() > 262 && std::memcmp(&bytes[257], "ustar", 5) == 0;
  return pickle || tar;
}

bool is_script_module(Bytes bytes, const std::string& where) {
  if (!is_zip(bytes)) return false;
  const ZipReader zip(bytes, where);
  return std::any_of(zip.entries().begin(), zip.entries().end(), [](const ZipEntry& e) {
    return e.name.substr(e.name.find('/') + 1) == kConstants;
  });
}

// Returns the tensors of a TorchScript archive. The numbers and texts beside them are settings of
// the module.
StateDict tensors_of_script(Bytes bytes, const std::string& where, optional<Device> device) {
  StateDict dict;
  for (const Entry& e : read_script_module(bytes, where)) {
    if (!e.value.isTensor()) continue;
    const Tensor& t = e.value.toTensor();
    dict.insert(e.name, device ? t.to(*device) : t);
  }
  return dict;
}

IValue read_pt(Bytes bytes, const std::string& where, optional<Device> device) {
  NoGradGuard no_grad;
  TAPER_CHECK(!is_old_format(bytes), "load: ", where,
              ": expected a file of PyTorch 1.6 or later, got an older one; in Python save it "
              "again: torch.save(torch.load(path), path)");
  return PtFile(bytes, where, device, Writer::kPython).read();
}

/// Lists the attributes of a module and its submodules with full names. A shared submodule appears
/// at every place, so their total size is limited: a small file must not become a large value.
class ScriptEntries {
 public:
  ScriptEntries(const std::string& where, size_t most_nbytes) : where_(where), most_(most_nbytes) {}

  std::vector<Entry> of(const IValue& module) {
    TAPER_CHECK(module.isGenericDict(), "load: ", where_, ": expected a module, got a ",
                module.tagKind());
    add(module.toGenericDict(), "");
    return std::move(entries_);
  }

 private:
  void add(const GenericDict& attributes, const std::string& start) {
    for (const auto& item : attributes) {
      TAPER_CHECK(item.key().isString(), "load: ", where_, ": expected names of attributes, got a ",
                  item.key().tagKind());
      const std::string name = start + item.key().toStringRef();
      const bool nested = item.value().isGenericDict();
      count(name);
      entries_.push_back({name, nested ? IValue() : item.value(), nested});
      if (nested) add(item.value().toGenericDict(), name + ".");
    }
  }

  void count(const std::string& name) {
    nbytes_ += name.size() + sizeof(Entry);
    TAPER_CHECK(nbytes_ <= most_, "load: ", where_, ": its modules expand to more than ", most_,
                " bytes of names");
  }

  const std::string& where_;
  const size_t most_;
  size_t nbytes_ = 0;
  std::vector<Entry> entries_;
};

std::string quoted(const std::string& path) { return "'" + path + "'"; }

}  // namespace

bool is_zip(Bytes bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), "PK\x03\x04", 4) == 0;
}

std::vector<Entry> read_script_module(Bytes bytes, const std::string& where) {
  NoGradGuard no_grad;
  const IValue module = PtFile(bytes, where, nullopt, Writer::kScript).read();
  return ScriptEntries(where, (1 << 20) + 64 * bytes.size()).of(module);
}

}  // namespace serialize::detail

using namespace serialize::detail;

IValue pickle_load(const std::vector<char>& data) {
  return read_pt(bytes_of(data.data(), data.size()), "the data", nullopt);
}

std::vector<char> pickle_save(const IValue& value) {
  std::vector<char> out;
  const auto sink = [&](const void* data, size_t nbytes) {
    const auto* p = static_cast<const char*>(data);
    out.insert(out.end(), p, p + nbytes);
    return nbytes;
  };
  write_pt(value, sink, "the data");
  return out;
}

IValue load_pt(const std::string& path, optional<Device> device) {
  return read_pt(MappedFile(path).bytes(), quoted(path), device);
}

void save_pt(const std::string& path, const IValue& value) {
  write_file(path, [&](const Sink& sink) { write_pt(value, sink, quoted(path)); });
}

StateDict to_state_dict(const IValue& value) {
  TAPER_CHECK(value.isGenericDict(), "expected a dictionary of tensors, got a ", value.tagKind());
  StateDict dict;
  for (const auto& entry : value.toGenericDict()) {
    TAPER_CHECK(entry.key().isString(), "expected a dictionary with names as keys, got a ",
                entry.key().tagKind());
    const std::string& name = entry.key().toStringRef();
    TAPER_CHECK(entry.value().isTensor(), "'", name, "': expected a tensor, got a ",
                entry.value().tagKind(),
                "; if the file is a checkpoint, take the part of it that "
                "holds the tensors: load_pt(path).toGenericDict().at(\"...\")");
    dict.insert(name, entry.value().toTensor());
  }
  return dict;
}

IValue to_ivalue(const StateDict& dict) {
  GenericDict out;
  for (const auto& item : dict) out.insert(item.key(), item.value());
  return out;
}

StateDict load_state_dict(const std::string& path, optional<Device> device) {
  const MappedFile file(path);
  const Bytes bytes = file.bytes();
  if (is_script_module(bytes, quoted(path))) return tensors_of_script(bytes, quoted(path), device);
  if (is_zip(bytes) || is_old_format(bytes)) return to_state_dict(load_pt(path, device));
  StateDict dict = load_safetensors(path);
  if (device)
    for (auto& item : dict) item.value() = item.value().to(*device);
  return dict;
}

void save_state_dict(const std::string& path, const StateDict& dict) {
  save_pt(path, to_ivalue(dict));
}

}  // namespace torch::taper
