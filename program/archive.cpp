#include <taper/program/archive.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/io/pt.h>
#include <taper/framework/io/zip.h>
#include <taper/ops/tensor/for_blob.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/program/json.h>

namespace torch::taper::program {
namespace {

using serialize::detail::Bytes;
using serialize::detail::MappedFile;
using serialize::detail::ZipEntry;
using serialize::detail::ZipReader;
using taper::detail::concat;

// A compressed record may not expand to more than this many times the file.
constexpr uint64_t kMostExpansion = 10;

/// The bytes of a tensor in a record, in elements.
struct Extent {
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  int64_t numel = 1;
  bool operator==(const Extent& o) const {
    return sizes == o.sizes && strides == o.strides && offset == o.offset;
  }
};

class Archive {
 public:
  Archive(Bytes bytes, std::string where)
      : zip_(bytes, where), where_("load: " + where), nbytes_(bytes.size()) {}

  Program read(const std::string& model) {
    if (zip_.find("serialized_exported_program.json")) return read_old();
    find_folder();
    check_byte_order();
    const std::string name = choose(model);
    Program program = program_of_json(text("models/" + name + ".json"), where_);
    program.weights = tensors("data/weights/", name, "_weights_config.json");
    program.constants = tensors("data/constants/", name, "_constants_config.json");
    return program;
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw Error(concat(where_, ": ", parts...));
  }

  /// Reads a file of PyTorch 2.5 to 2.7.
  Program read_old() {
    Program program = program_of_json(text("serialized_exported_program.json"), where_);
    program.weights = pickled_tensors("serialized_state_dict.pt");
    program.constants = pickled_tensors("serialized_constants.pt");
    return program;
  }

  // All records lie in one folder with an arbitrary name.
  void find_folder() {
    for (const ZipEntry& e : zip_.entries()) {
      const size_t slash = e.name.find('/');
      if (slash != std::string::npos && e.name.substr(slash + 1) == "archive_format")
        folder_ = e.name.substr(0, slash + 1);
    }
    if (find("archive_format") && text("archive_format") == "pt2") return;
    const bool is_pickle = std::any_of(
        zip_.entries().begin(), zip_.entries().end(),
        [](const ZipEntry& e) { return e.name.substr(e.name.find('/') + 1) == "data.pkl"; });
    fail("expected a file of torch.export.save, got another zip archive",
         is_pickle ? "; load_pt and load_state_dict read files of torch.save and tensors of "
                     "TorchScript. Programs come from torch.export: docs/programs.md"
                   : "");
  }
  void check_byte_order() const {
    if (find("byteorder") && text("byteorder") != "little")
      fail("expected little-endian numbers, got '", text("byteorder"), "'");
  }

  /// Returns the name of the program to read.
  std::string choose(const std::string& wanted) const {
    std::string names, first;
    int count = 0;
    for (const ZipEntry& e : zip_.entries()) {
      const std::string begin = folder_ + "models/", end = ".json";
      const size_t rest = begin.size() + end.size();
      if (e.name.size() <= rest || e.name.compare(0, begin.size(), begin) != 0 ||
          e.name.compare(e.name.size() - end.size(), end.size(), end) != 0)
        continue;
      const std::string name = e.name.substr(begin.size(), e.name.size() - rest);
      if (name == wanted) return name;
      names += (count++ ? ", '" : "'") + name + "'";
      first = name;
    }
    if (count == 1 && wanted.empty()) return first;
    if (count == 0) fail("expected a program, got a package without one");
    fail("expected the name of one of the programs ", names, ", got '", wanted, "'");
  }

  const ZipEntry* find(const std::string& name) const { return zip_.find(folder_ + name); }
  const ZipEntry& entry(const std::string& name) const {
    const ZipEntry* e = find(name);
    if (!e) fail("expected a record '", name, "', got none");
    if (e->nbytes > kMostExpansion * nbytes_)
      fail("record '", name, "' expands to ", e->nbytes, " bytes, more than ", kMostExpansion,
           " times the file");
    return *e;
  }
  std::string text(const std::string& name) const { return zip_.read(entry(name)); }

  // ------------------------------------------------------------------ tensors
  using Tensors = std::map<std::string, Tensor>;

  Tensors pickled_tensors(const std::string& name) const {
    Tensors all;
    const ZipEntry& e = entry(name);
    if (e.nbytes == 0) return all;
    for (const auto& item : pickle(e).toGenericDict()) {
      if (!item.key().isString() || !item.value().isTensor()) continue;
      const Tensor& t = item.value().toTensor();
      const auto equal = std::find_if(all.begin(), all.end(), [&](const auto& known) {
        return t.numel() > 0 && known.second.data_ptr() == t.data_ptr() &&
               known.second.sizes() == t.sizes() && known.second.strides() == t.strides();
      });
      all.emplace(item.key().toStringRef(), equal == all.end() ? t : equal->second);
    }
    return all;
  }
  IValue pickle(const ZipEntry& e) const {
    std::vector<char> bytes(e.nbytes);
    zip_.read(e, bytes.data());
    return pickle_load(bytes);
  }

  Tensors tensors(const std::string& folder, const std::string& model, const char* config) {
    // PyTorch 2.8 wrote one file of torch.save.
    if (find(folder + model + ".pt")) return pickled_tensors(folder + model + ".pt");
    Tensors all;
    const Payloads payloads = payloads_of_json(text(folder + model + config), where_);
    for (const auto& [name, payload] : payloads) {
      if (payload.path.rfind("custom_obj_", 0) == 0 || payload.path.rfind("opaque_", 0) == 0)
        continue;
      all.emplace(name, payload.is_pickle ? pickled(name, folder + payload.path)
                                          : stored(name, folder + payload.path, payload));
    }
    return all;
  }
  Tensor pickled(const std::string& name, const std::string& path) const {
    const IValue value = pickle(entry(path));
    if (!value.isTensor()) fail("'", name, "': expected a tensor, got a ", value.tagKind());
    return value.toTensor();
  }

  /// The elements of a record, and the tensors that share them. Equal tensors are one tensor.
  struct Record {
    Tensor elements;
    std::vector<std::pair<Extent, Tensor>> tensors;
  };

  Tensor stored(const std::string& name, const std::string& path, const Payload& payload) {
    if (!payload.has_meta) fail("'", name, "': expected facts of a tensor, got none");
    const Extent extent = checked_extent(name, payload.meta);
    Record& record = records_[{path, payload.meta.dtype}];
    if (!record.elements.defined())
      record.elements = read_elements(name, entry(path), payload.meta.dtype, extent.sizes);
    check_fits(name, extent, record.elements.numel());
    for (const auto& [known, tensor] : record.tensors)
      if (known == extent) return tensor;
    record.tensors.emplace_back(extent, tensor_at(record.elements, extent));
    return record.tensors.back().second;
  }
  /// Returns a tensor that shares memory, but is no view: a parameter begins a history.
  static Tensor tensor_at(const Tensor& elements, const Extent& extent) {
    if (elements.sizes() == extent.sizes && elements.strides() == extent.strides) return elements;
    auto* const begin = static_cast<char*>(elements.data_ptr());
    return from_blob(
        begin + extent.offset * static_cast<int64_t>(elements.element_size()), extent.sizes,
        extent.strides, [elements](void*) {}, elements.options());
  }
  /// Reads a record: as a tensor of these sizes if they take all of it, else as a vector.
  Tensor read_elements(const std::string& name, const ZipEntry& e, ScalarType dtype,
                       const std::vector<int64_t>& sizes) const {
    const size_t itemsize = elementSize(dtype);
    if (e.nbytes % itemsize != 0)
      fail("'", name, "': expected elements of ", itemsize, " bytes, got ", e.nbytes, " bytes");
    const auto numel = static_cast<int64_t>(e.nbytes / itemsize);
    const auto product =
        std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
    const Tensor t = empty(product == numel ? sizes : std::vector<int64_t>{numel}, dtype);
    zip_.read(e, t.data_ptr());
    if (dtype == kBool) check_bools(name, t);
    return t;
  }
  // A bool with another byte than 0 and 1 would make later comparisons undefined.
  void check_bools(const std::string& name, const Tensor& t) const {
    const auto* p = static_cast<const unsigned char*>(t.data_ptr());
    if (std::any_of(p, p + t.numel(), [](unsigned char byte) { return byte > 1; }))
      fail("'", name, "': expected bytes 0 and 1 for bools");
  }

  int64_t constant(const std::string& name, const SymInt& size) const {
    const auto* n = std::get_if<int64_t>(&size);
    if (!n || *n < 0) fail("'", name, "': expected constant sizes and strides from 0");
    return *n;
  }
  Extent checked_extent(const std::string& name, const TensorMeta& meta) const {
    if (meta.layout != Layout::kStrided) fail("'", name, "': expected a strided tensor");
    if (meta.sizes.size() != meta.strides.size() || meta.sizes.size() > kMaxDims)
      fail("'", name, "': expected as many strides as sizes, at most ", kMaxDims, ", got ",
           meta.sizes.size(), " sizes and ", meta.strides.size(), " strides");
    Extent extent;
    for (const SymInt& s : meta.sizes) extent.sizes.push_back(constant(name, s));
    for (const SymInt& s : meta.strides) extent.strides.push_back(constant(name, s));
    extent.offset = constant(name, meta.storage_offset);
    for (const int64_t size : extent.sizes)
      if (__builtin_mul_overflow(extent.numel, size, &extent.numel))
        fail("'", name, "': its sizes are too large");
    return extent;
  }
  void check_fits(const std::string& name, const Extent& extent, int64_t available) const {
    if (extent.numel == 0) {
      if (extent.offset > available) fail("'", name, "': its offset is beyond its record");
      return;
    }
    if (available == 0) fail("'", name, "': the file has no weights, only their sizes");
    __extension__ __int128 last = extent.offset;
    for (size_t i = 0; i < extent.sizes.size(); ++i)
      last += static_cast<__int128>(extent.sizes[i] - 1) * extent.strides[i];
    if (last >= available)
      fail("'", name, "': its sizes and strides reach beyond the ", available,
           " elements of its record");
    if (extent.numel > available && !is_expanded(extent))
      fail("'", name, "': expected at most ", available, " elements, got ", extent.numel);
  }
  static bool is_expanded(const Extent& extent) {
    return std::find(extent.strides.begin(), extent.strides.end(), 0) != extent.strides.end();
  }

  const ZipReader zip_;
  const std::string where_;
  const uint64_t nbytes_;
  std::string folder_;
  std::map<std::pair<std::string, ScalarType>, Record> records_;
};

}  // namespace

Program read_program(Bytes bytes, const std::string& where, const std::string& model) {
  const NoGradGuard no_grad;
  return Archive(bytes, where).read(model);
}

Program read_program(const std::string& path, const std::string& model) {
  const MappedFile file(path);
  const std::string where = "'" + path + "'";
  TAPER_CHECK(file.bytes().size() >= 4 && std::memcmp(file.data(), "PK", 2) == 0, "load: ", where,
              ": expected a file of torch.export.save, got no zip archive");
  return read_program(file.bytes(), where, model);
}

}  // namespace torch::taper::program
