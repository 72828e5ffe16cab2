#include <taper/framework/io/archive.h>

#include <algorithm>
#include <cstring>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <unordered_map>
#include <unordered_set>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/io/safetensors.h>
#include <taper/framework/io/script_module.h>
#include <taper/framework/runtime/devices.h>

namespace torch::taper::serialize {
namespace detail {

/// Holds the entries in the order of writing. An archive precedes its contents.
struct ArchiveData {
  std::vector<Entry> entries;
  std::unordered_map<std::string, size_t> index;

  void add(Entry entry) {
    const auto [at, is_new] = index.emplace(entry.name, entries.size());
    if (is_new)
      entries.push_back(std::move(entry));
    else
      entries[at->second] = std::move(entry);
  }
  const Entry* find(const std::string& name) const {
    const auto at = index.find(name);
    return at == index.end() ? nullptr : &entries[at->second];
  }
};

/// Holds the tensors that were read into, with their former values.
struct LoadLog {
  std::vector<std::pair<Tensor, Tensor>> before;
};

}  // namespace detail

namespace {

using detail::ArchiveData;
using detail::Entry;
using detail::FileContents;
using Json = nlohmann::json;

/// Is the key of the list of all entries, in order and as JSON text: [name, kind, value].
constexpr const char* kEntriesKey = "taper.entries";

// ---------------------------------------------------------------------- entries to file contents

// Numbers are stored as text, because JSON has no infinity and no NaN. 17 digits restore the exact
// double.
std::string text_of(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}

Json text_of(const std::vector<double>& values) {
  Json list = Json::array();
  for (double v : values) list.push_back(text_of(v));
  return list;
}

// safetensors has no complex128. These tensors are stored as their parts, and this key names them.
constexpr const char* kComplexKey = "taper.complex128";

/// Replaces complex128 tensors by their parts. Their names go to the metadata.
void split_complex(FileContents& out) {
  Json names = Json::array();
  for (auto& [name, t] : out.tensors) {
    if (t.scalar_type() != kComplexDouble) continue;
    names.push_back(name);
    t = taper::detail::share_as_real(t.impl());
  }
  if (!names.empty()) out.metadata.emplace_back(kComplexKey, names.dump());
}

/// Restores complex128 tensors from their parts. Throws Json's exceptions for a damaged list.
void join_complex(FileContents& in, const std::string& where) {
  for (const auto& [key, text] : in.metadata) {
    if (key != kComplexKey) continue;
    const auto names = Json::parse(text).get<std::unordered_set<std::string>>();
    for (auto& [name, t] : in.tensors) {
      if (!names.count(name)) continue;
      TAPER_CHECK(t.scalar_type() == kDouble && t.dim() > 0 && t.size(-1) == 2, "load: ", where,
                  ": '", name, "': expected the parts of complex numbers, got ", t.scalar_type(),
                  " of sizes ", t.sizes());
      t = taper::detail::share_as_complex(t.impl());
    }
  }
}

Json add_tensor(const std::string& name, const Tensor& t, FileContents& out) {
  if (!t.defined()) return {name, "undefined"};
  out.tensors.emplace_back(name, t);
  if (t.is_cpu()) return {name, "tensor", t.requires_grad()};
  return {name, "tensor", t.requires_grad(), t.device().str()};
}

Json add_tensors(const std::string& name, const std::vector<Tensor>& list, FileContents& out) {
  for (size_t i = 0; i < list.size(); ++i) {
    TAPER_CHECK(list[i].defined(), "save: '", name, "': expected a list of defined tensors");
    out.tensors.emplace_back(name + "." + std::to_string(i), list[i]);
  }
  return {name, "tensors", list.size()};
}

Json describe(const Entry& e, FileContents& out) {
  if (e.is_archive) return {e.name, "archive"};
  switch (e.value.tag()) {
    case IValue::Tag::None:
      return {e.name, "none"};
    case IValue::Tag::Tensor:
      return add_tensor(e.name, e.value.toTensor(), out);
    case IValue::Tag::Double:
      return {e.name, "double", text_of(e.value.toDouble())};
    case IValue::Tag::Int:
      return {e.name, "int", e.value.toInt()};
    case IValue::Tag::Bool:
      return {e.name, "bool", e.value.toBool()};
    case IValue::Tag::String:
      return {e.name, "string", e.value.toStringRef()};
    case IValue::Tag::IntList:
      return {e.name, "ints", e.value.toIntVector()};
    case IValue::Tag::DoubleList:
      return {e.name, "doubles", text_of(e.value.toDoubleVector())};
    case IValue::Tag::TensorList:
      return add_tensors(e.name, e.value.toTensorVector(), out);
    case IValue::Tag::GenericList:
    case IValue::Tag::Tuple:
    case IValue::Tag::GenericDict:
    case IValue::Tag::Device:
    case IValue::Tag::Object:
      break;
  }
  throw Error(taper::detail::concat("save: '", e.name,
                                    "': expected a tensor, number, text or list of these, got a ",
                                    e.value.tagKind(), "; pickle_save writes it for Python"));
}

FileContents contents_of(const ArchiveData& data, const std::string& where) {
  FileContents out;
  Json list = Json::array();
  for (const Entry& e : data.entries) list.push_back(describe(e, out));
  try {
    split_complex(out);
    out.metadata.emplace_back(kEntriesKey, list.dump());
  } catch (const Json::exception& e) {
    throw Error(
        taper::detail::concat("save: ", where, ": expected names and texts in UTF-8: ", e.what()));
  }
  return out;
}

// ---------------------------------------------------------------------- file contents to entries

/// Makes the entries of a file. Every tensor is used exactly once.
class Entries {
 public:
  Entries(FileContents contents, const std::string& where) : where_(where) {
    try {
      join_complex(contents, where);
    } catch (const Json::exception& e) {
      fail(std::string("damaged list of complex tensors: ") + e.what());
    }
    for (auto& [name, t] : contents.tensors) {
      names_.push_back(name);
      tensors_.emplace(name, std::move(t));
    }
    const auto& meta = contents.metadata;
    const auto list = std::find_if(meta.begin(), meta.end(),
                                   [](const auto& item) { return item.first == kEntriesKey; });
    if (list != meta.end())
      from_list(list->second);
    else
      from_names();
  }
  std::shared_ptr<const ArchiveData> take() { return std::move(data_); }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(taper::detail::concat("load: ", where_, ": ", what));
  }

  void from_list(const std::string& text) {
    try {
      for (const Json& item : Json::parse(text)) add(item);
    } catch (const Json::exception& e) {
      fail(std::string("damaged list of entries: ") + e.what());
    } catch (const std::logic_error& e) {
      fail(std::string("damaged list of entries: expected a number: ") + e.what());
    }
    if (!tensors_.empty())
      fail("damaged list of entries: '" + tensors_.begin()->first + "' is not in it");
  }

  /// Makes the entries of another program's file. Dots in the names make archives.
  void from_names() {
    for (const std::string& name : names_) {
      for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
        if (!data_->find(name.substr(0, dot))) data_->add({name.substr(0, dot), {}, true});
      data_->add({name, take_tensor(name), false});
    }
  }

  Tensor take_tensor(const std::string& name) {
    const auto at = tensors_.find(name);
    if (at == tensors_.end()) fail("damaged list of entries: there is no tensor '" + name + "'");
    Tensor t = std::move(at->second);
    tensors_.erase(at);
    return t;
  }

  void add(const Json& item) {
    const std::string name = item.at(0).get<std::string>();
    const std::string kind = item.at(1).get<std::string>();
    if (data_->find(name)) fail("damaged list of entries: '" + name + "' occurs twice");
    if (kind == "archive")
      data_->add({name, {}, true});
    else
      data_->add({name, value(name, kind, item), false, saved_device(kind, item)});
  }

  static optional<Device> saved_device(const std::string& kind, const Json& item) {
    if (kind != "tensor" || item.size() < 4) return nullopt;
    return Device(item.at(3).get<std::string>());
  }

  IValue value(const std::string& name, const std::string& kind, const Json& item) {
    if (kind == "tensor") {
      Tensor t = take_tensor(name);
      if (item.at(2).get<bool>() && isFloatingOrComplexType(t.scalar_type()))
        t.set_requires_grad(true);
      return t;
    }
    if (kind == "int") return item.at(2).get<int64_t>();
    if (kind == "double") return std::stod(item.at(2).get<std::string>());
    if (kind == "bool") return item.at(2).get<bool>();
    if (kind == "string") return item.at(2).get<std::string>();
    if (kind == "ints") return item.at(2).get<std::vector<int64_t>>();
    if (kind == "doubles") return doubles(item.at(2));
    if (kind == "tensors") return tensor_list(name, item.at(2).get<size_t>());
    if (kind == "undefined") return Tensor();
    if (kind != "none") fail("'" + name + "': a value of the unknown kind '" + kind + "'");
    return {};
  }

  static std::vector<double> doubles(const Json& list) {
    std::vector<double> values;
    for (const Json& v : list) values.push_back(std::stod(v.get<std::string>()));
    return values;
  }

  std::vector<Tensor> tensor_list(const std::string& name, size_t count) {
    std::vector<Tensor> list;
    for (size_t i = 0; i < count; ++i) list.push_back(take_tensor(name + "." + std::to_string(i)));
    return list;
  }

  const std::string& where_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Tensor> tensors_;
  std::shared_ptr<ArchiveData> data_ = std::make_shared<ArchiveData>();
};

/// Reads all bytes of a source. It reads in blocks, so that a wrong size cannot allocate too much.
std::string read_all(const detail::Source& source, uint64_t nbytes) {
  std::string bytes;
  while (bytes.size() < nbytes) {
    const uint64_t at = bytes.size();
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(nbytes - at, 1 << 20));
    bytes.resize(at + wanted);
    const size_t got = source(at, bytes.data() + at, wanted);
    bytes.resize(at + std::min(got, wanted));
    if (got < wanted) break;
  }
  return bytes;
}

/// Returns a source whose first bytes have been read already. A stream delivers them only once.
detail::Source behind(const std::string& start, const detail::Source& source) {
  return [&start, &source](uint64_t position, void* buffer, size_t nbytes) {
    if (position >= start.size()) return source(position, buffer, nbytes);
    const size_t n = std::min<size_t>(nbytes, start.size() - position);
    std::memcpy(buffer, start.data() + position, n);
    auto* rest = static_cast<char*>(buffer) + n;
    return n < nbytes ? n + source(position + n, rest, nbytes - n) : n;
  };
}

std::shared_ptr<const ArchiveData> script_entries(const std::string& bytes,
                                                  const std::string& where) {
  const auto data = std::make_shared<ArchiveData>();
  for (Entry& e : detail::read_script_module(detail::bytes_of(bytes.data(), bytes.size()), where))
    data->add(std::move(e));
  return data;
}

/// Reads the entries. The first bytes tell the writer of the file: LibTorch writes zip archives.
std::shared_ptr<const ArchiveData> read_entries(const detail::Source& source, uint64_t nbytes,
                                                const std::string& where) {
  const std::string start = read_all(source, std::min<uint64_t>(nbytes, 4));
  const detail::Source whole = behind(start, source);
  if (detail::is_zip(detail::bytes_of(start.data(), start.size())))
    return script_entries(read_all(whole, nbytes), where);
  return Entries(detail::read_safetensors(whole, nbytes, where), where).take();
}

std::string quoted(const std::string& path) { return "'" + path + "'"; }

/// Copies a tensor of a file to a device. An undefined tensor stays undefined.
Tensor made_on(Device device, const Tensor& stored) {
  if (!stored.defined() || stored.device() == device) return stored;
  return stored.detach().to(device).set_requires_grad(stored.requires_grad());
}

/// Returns the device from which the tensor was saved. Throws Error if it does not exist here.
Device device_of(const Entry& e) {
  const Device device = e.device.value_or(Device());
  TAPER_CHECK(device.is_cpu() || device.index() < cuda::device_count(), "load: '", e.name,
              "': expected the device ", device, " on which the tensor was saved, got ",
              int{cuda::device_count()}, " CUDA devices; pass a device to load");
  return device;
}

/// Replaces the data. The gradient follows a tensor to another device.
void replace_data(Tensor& tensor, const Tensor& data) {
  const Tensor grad = tensor.is_leaf() ? tensor.grad() : Tensor();
  tensor.set_data(data);
  if (grad.defined() && grad.device() != data.device())
    tensor.mutable_grad() = grad.to(data.device());
}

/// Reads all that remains in a stream of unknown length.
std::string read_all(std::istream& stream) {
  std::string bytes;
  char block[1 << 16];
  while (stream.read(block, sizeof block) || stream.gcount() > 0)
    bytes.append(block, static_cast<size_t>(stream.gcount()));
  return bytes;
}

}  // namespace

// ---------------------------------------------------------------------- OutputArchive

OutputArchive::OutputArchive() : data_(std::make_unique<ArchiveData>()) {}
OutputArchive::OutputArchive(OutputArchive&&) noexcept = default;
OutputArchive& OutputArchive::operator=(OutputArchive&&) noexcept = default;
OutputArchive::~OutputArchive() = default;

void OutputArchive::write(const std::string& key, const IValue& value) {
  data_->add({key, value, false});
}

void OutputArchive::write(const std::string& key, const Tensor& tensor, bool) {
  data_->add({key, IValue(tensor), false});
}

void OutputArchive::write(const std::string& key, OutputArchive& nested) {
  data_->add({key, {}, true});
  for (const Entry& e : nested.data_->entries)
    data_->add({key + "." + e.name, e.value, e.is_archive});
}

void OutputArchive::save_to(const std::string& filename) {
  const std::string where = quoted(filename);
  const FileContents contents = contents_of(*data_, where);
  detail::write_file(filename, [&](const detail::Sink& sink) {
    detail::write_safetensors(contents, sink, where);
  });
}

void OutputArchive::save_to(std::ostream& stream) {
  const auto put = [&](const void* data, size_t nbytes) -> size_t {
    stream.write(static_cast<const char*>(data), static_cast<std::streamsize>(nbytes));
    return stream ? nbytes : 0;
  };
  detail::write_safetensors(contents_of(*data_, "the stream"), put, "the stream");
  stream.flush();
  TAPER_CHECK(stream.good(), "save: the stream failed");
}

void OutputArchive::save_to(const std::function<size_t(const void*, size_t)>& func) {
  detail::write_safetensors(contents_of(*data_, "the function"), func, "the function");
}

// ---------------------------------------------------------------------- InputArchive

InputArchive::InputArchive()
    : data_(std::make_shared<ArchiveData>()), log_(std::make_shared<detail::LoadLog>()) {}
InputArchive::InputArchive(InputArchive&&) noexcept = default;
InputArchive& InputArchive::operator=(InputArchive&&) noexcept = default;
InputArchive::~InputArchive() = default;

std::string InputArchive::full_name(const std::string& key) const {
  return prefix_.empty() ? key : prefix_ + "." + key;
}

void InputArchive::throw_missing(const char* what, const std::string& key) const {
  throw Error(taper::detail::concat("No such serialized ", what, " '", full_name(key), "'"));
}

bool InputArchive::try_read(const std::string& key, IValue& value) {
  const Entry* e = data_->find(full_name(key));
  if (!e || e->is_archive) return false;
  value = e->value;
  if (device_ && value.isTensor()) value = made_on(*device_, value.toTensor());
  return true;
}

void InputArchive::read(const std::string& key, IValue& value) {
  if (!try_read(key, value)) throw_missing("value", key);
}

bool InputArchive::try_read(const std::string& key, Tensor& tensor, bool is_buffer) {
  const Entry* e = data_->find(full_name(key));
  if (!e || e->is_archive || !e->value.isTensor()) return false;
  const Tensor& stored = e->value.toTensor();
  if (!tensor.defined() || !stored.defined()) {
    tensor = made_on(device_ ? *device_ : device_of(*e), stored);
    return true;
  }
  // Module::to(dtype) turns a buffer of counts into floats. Loading turns them into counts again.
  const bool counts = is_buffer && isIntegralType(tensor.scalar_type(), false);
  TAPER_CHECK(stored.is_floating_point() == tensor.is_floating_point() ||
                  (counts && stored.is_floating_point()),
              "load: '", full_name(key), "': expected a tensor of dtype ", tensor.scalar_type(),
              ", got ", stored.scalar_type());
  NoGradGuard no_grad;
  const Tensor data = stored.to(device_ ? *device_ : tensor.device(), tensor.scalar_type());
  log_->before.emplace_back(tensor, tensor.data());
  replace_data(tensor, data);
  return true;
}

void InputArchive::read(const std::string& key, Tensor& tensor, bool is_buffer) {
  if (!try_read(key, tensor, is_buffer)) throw_missing("tensor", key);
}

void InputArchive::read_parameter(const std::string& key, Tensor& tensor) {
  IValue value;
  if (tensor.defined() && try_read(key, value) && value.isTensor()) {
    const Tensor& stored = value.toTensor();
    TAPER_CHECK(stored.defined(), "load: '", full_name(key), "': expected a tensor of sizes ",
                tensor.sizes(), ", got an undefined one");
    TAPER_CHECK(stored.sizes() == tensor.sizes(), "load: '", full_name(key),
                "': expected a tensor of sizes ", tensor.sizes(), ", got ", stored.sizes());
  }
  read(key, tensor);
}

bool InputArchive::try_read(const std::string& key, InputArchive& archive) {
  const std::string name = full_name(key);
  const Entry* e = data_->find(name);
  if (!e || !e->is_archive) return false;
  archive.data_ = data_;
  archive.log_ = log_;
  archive.device_ = device_;
  archive.prefix_ = name;
  return true;
}

void InputArchive::read(const std::string& key, InputArchive& archive) {
  if (!try_read(key, archive)) throw_missing("submodule:", key);
}

std::vector<std::string> InputArchive::keys() {
  const std::string start = prefix_.empty() ? "" : prefix_ + ".";
  std::unordered_set<std::string> archives;
  std::vector<std::string> keys;
  for (const Entry& e : data_->entries) {
    if (e.name.compare(0, start.size(), start) != 0) continue;
    const std::string key = e.name.substr(start.size());
    bool nested = false;
    for (size_t dot = key.find('.'); dot != std::string::npos && !nested;
         dot = key.find('.', dot + 1))
      nested = archives.count(key.substr(0, dot)) > 0;
    if (nested) continue;
    if (e.is_archive) archives.insert(key);
    keys.push_back(key);
  }
  return keys;
}

void InputArchive::reset(std::shared_ptr<const ArchiveData> data, optional<Device> device) {
  data_ = std::move(data);
  log_ = std::make_shared<detail::LoadLog>();
  device_ = device;
  prefix_.clear();
}

void InputArchive::load_from(const std::string& filename, optional<Device> device) {
  detail::read_file(filename, [&](const detail::Source& source, uint64_t nbytes) {
    reset(read_entries(source, nbytes, quoted(filename)), device);
  });
}

void InputArchive::load_from(std::istream& stream, optional<Device> device) {
  TAPER_CHECK(stream.good(), "load: the stream has failed or ended");
  const auto start = stream.tellg();
  if (start < 0 || !stream.seekg(0, std::ios::end)) {
    stream.clear();
    const std::string bytes = read_all(stream);
    return load_from(bytes.data(), bytes.size(), device);
  }
  const auto end = stream.tellg();
  stream.seekg(start);
  const auto source = [&](uint64_t, void* buffer, size_t nbytes) {
    stream.read(static_cast<char*>(buffer), static_cast<std::streamsize>(nbytes));
    return static_cast<size_t>(stream.gcount());
  };
  reset(read_entries(source, static_cast<uint64_t>(end - start), "the stream"), device);
}

void InputArchive::load_from(const char* data, size_t size, optional<Device> device) {
  const auto source = [&](uint64_t position, void* buffer, size_t nbytes) {
    const size_t n = position > size ? 0 : std::min<size_t>(nbytes, size - position);
    if (n > 0) std::memcpy(buffer, data + position, n);
    return n;
  };
  reset(read_entries(source, size, "the data"), device);
}

void InputArchive::load_from(const std::function<size_t(uint64_t, void*, size_t)>& read_func,
                             const std::function<size_t()>& size_func, optional<Device> device) {
  reset(read_entries(read_func, size_func(), "the function"), device);
}

size_t InputArchive::count_reads() const { return log_->before.size(); }

void InputArchive::undo_reads(size_t keep) {
  NoGradGuard no_grad;
  auto& before = log_->before;
  for (; before.size() > keep; before.pop_back())
    replace_data(before.back().first, before.back().second);
}

}  // namespace torch::taper::serialize

namespace torch::taper {

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Tensor& tensor) {
  archive.write("0", tensor);
  return archive;
}

serialize::InputArchive& operator>>(serialize::InputArchive& archive, Tensor& tensor) {
  archive.read("0", tensor);
  return archive;
}

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const Generator& generator) {
  archive.write("state", generator.get_state(), /*is_buffer=*/true);
  return archive;
}

serialize::InputArchive& operator>>(serialize::InputArchive& archive, Generator& generator) {
  Tensor state;
  archive.read("state", state, /*is_buffer=*/true);
  generator.set_state(state.cpu());
  return archive;
}

}  // namespace torch::taper
