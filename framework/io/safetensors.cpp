#include <taper/framework/io/safetensors.h>
#include <taper/framework/runtime/access.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include <taper/framework/io/bytes.h>
#include <taper/framework/io/crc.h>
#include <taper/framework/io/host_read.h>

namespace torch::taper::serialize::detail {
namespace {

using Json = nlohmann::ordered_json;

// Is the format's own limit for a header. It rejects files of other formats.
constexpr uint64_t kMaxHeader = 100'000'000;
// A tensor's sizes lie three levels deep. Much deeper values would overflow the stack when copied.
constexpr int kMaxNesting = 16;
constexpr const char* kMetadata = "__metadata__";
// The checksum covers the file with these eight digits as zeros.
constexpr const char* kChecksumKey = "taper.crc32";
const std::string kChecksumText = std::string("\"") + kChecksumKey + "\":\"";
const std::string kNoChecksum = "00000000";

struct DtypeName {
  ScalarType dtype;
  const char* name;
};
constexpr DtypeName kDtypeNames[] = {
    {kBool, "BOOL"},
    {kByte, "U8"},
    {kChar, "I8"},
    {kShort, "I16"},
    {kInt, "I32"},
    {kLong, "I64"},
    {kHalf, "F16"},
    {kBFloat16, "BF16"},
    {kFloat, "F32"},
    {kDouble, "F64"},
    {kComplexFloat, "C64"},
    {kUInt16, "U16"},
    {kUInt32, "U32"},
    {kUInt64, "U64"},
    {kFloat8_e5m2, "F8_E5M2"},
    {kFloat8_e4m3fn, "F8_E4M3"},
    {kFloat8_e8m0fnu, "F8_E8M0"},
    {kFloat8_e5m2fnuz, "F8_E5M2FNUZ"},
    {kFloat8_e4m3fnuz, "F8_E4M3FNUZ"},
};

const char* dtype_name(ScalarType t) {
  for (const DtypeName& d : kDtypeNames)
    if (d.dtype == t) return d.name;
  throw TypeError(taper::detail::concat(
      "save: expected a tensor with a dtype that safetensors has, got ", t,
      t == kComplexDouble
          ? "; save its parts, view_as_real(tensor), or the whole with torch::save, "
            "which stores the parts"
          : ""));
}

ScalarType dtype_of(const std::string& name) {
  for (const DtypeName& d : kDtypeNames)
    if (name == d.name) return d.dtype;
  return ScalarType::Undefined;
}

std::string hex8(uint32_t v) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(v));
  return text;
}

// ---------------------------------------------------------------------- writing

std::string header_text(const FileContents& contents, const std::vector<Tensor>& tensors,
                        const std::string& where) {
  Json header = Json::object();
  Json& meta = header[kMetadata] = Json::object();
  for (const auto& [key, text] : contents.metadata) meta[key] = text;
  meta[kChecksumKey] = kNoChecksum;
  uint64_t at = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    const std::string& name = contents.tensors[i].first;
    TAPER_CHECK(name != kMetadata && !header.contains(name), "save: ", where,
                ": expected a new name for a tensor, got '", name, "'");
    header[name] = {{"dtype", dtype_name(t.scalar_type())},
                    {"shape", t.sizes().vec()},
                    {"data_offsets", {at, at + t.nbytes()}}};
    at += t.nbytes();
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception& e) {
    throw Error(
        taper::detail::concat("save: ", where, ": expected names and texts in UTF-8: ", e.what()));
  }
  // Tensors then begin at a multiple of 8 bytes, as readers that map the file expect.
  while ((text.size() + 8) % 8) text += ' ';
  return text;
}

void put(const Sink& sink, const void* data, size_t nbytes, const std::string& where) {
  if (nbytes == 0) return;
  const size_t taken = sink(data, nbytes);
  TAPER_CHECK(taken == nbytes, "save: ", where, ": wrote ", taken, " of ", nbytes, " bytes");
}

void put_length(uint64_t n, unsigned char* bytes) {
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(n >> (8 * i));
}

}  // namespace

void write_safetensors(const FileContents& contents, const Sink& sink, const std::string& where) {
  taper::detail::check_not_capturing("save", Device());
  std::vector<Tensor> tensors;
  for (const auto& [name, t] : contents.tensors)
    tensors.push_back(taper::detail::read_by_host("save", t).contiguous());
  std::string header = header_text(contents, tensors, where);
  TAPER_CHECK(header.size() <= kMaxHeader, "save: ", where,
              ": expected names and values of at most ", kMaxHeader, " bytes in all, got ",
              header.size());
  uint32_t crc = crc_of(0, header.data(), header.size());
  for (const Tensor& t : tensors) crc = crc_of(crc, t.data_ptr(), t.nbytes());
  header.replace(header.find(kChecksumText) + kChecksumText.size(), 8, hex8(crc));

  unsigned char length[8];
  put_length(header.size(), length);
  put(sink, length, sizeof length, where);
  put(sink, header.data(), header.size(), where);
  for (const Tensor& t : tensors) put(sink, t.data_ptr(), t.nbytes(), where);
}

// ---------------------------------------------------------------------- reading
namespace {

struct TensorInfo {
  std::string name;
  ScalarType dtype;
  std::vector<int64_t> sizes;
  uint64_t begin;
  uint64_t end;
};

/// Makes a tensor over a part of the file, which stays mapped as long as the tensor exists.
Tensor mapped_tensor(const std::shared_ptr<MappedFile>& file, uint64_t position,
                     const TensorInfo& info) {
  Tensor t = taper::detail::make_tensor({0}, info.dtype, Device());
  TensorImpl& impl = *t.impl_ptr();
  impl.data = file->data() + position;
  impl.storage =
      wrap_storage(impl.data, info.end - info.begin, Device(), [file](void*) { (void)file; });
  impl.set_contiguous_sizes(info.sizes);
  impl.update_geometry();
  return t;
}

class Reader {
 public:
  /// Reads from `source`. `file`, if present, holds the bytes of `source`.
  Reader(const Source& source, uint64_t nbytes, const std::string& where,
         std::shared_ptr<MappedFile> file = nullptr)
      : source_(source), nbytes_(nbytes), where_(where), file_(std::move(file)) {}

  FileContents run() {
    read_header();
    const Json header = parse();
    std::vector<TensorInfo> infos;
    for (const auto& [name, value] : header.items()) {
      if (name == kMetadata)
        read_metadata(value);
      else
        infos.push_back(info(name, value));
    }
    check_layout(infos);
    read_tensors(infos);
    return std::move(contents_);
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw Error(taper::detail::concat("load: ", where_, ": ", parts...));
  }

  void read(void* buffer, size_t nbytes) {
    if (nbytes == 0) return;
    const size_t got = source_(position_, buffer, nbytes);
    if (got != nbytes)
      fail("ends early: expected ", nbytes, " bytes at position ", position_, ", got ", got);
    position_ += nbytes;
  }

  void read_header() {
    if (nbytes_ < 8) fail("expected a safetensors file, got ", nbytes_, " bytes: empty or cut");
    unsigned char bytes[8];
    read(bytes, 8);
    uint64_t length = 0;
    for (int i = 0; i < 8; ++i) length |= static_cast<uint64_t>(bytes[i]) << (8 * i);
    if (bytes[0] == 'P' && bytes[1] == 'K')
      fail(
          "expected a safetensors file, got a zip archive (a file of Python's torch.save?); "
          "read it with module->load_state_dict(load_state_dict(path)), or any value with "
          "load_pt(path)");
    if (length > kMaxHeader)
      fail(
          "expected a safetensors file, got something else: the first 8 bytes are no length of a "
          "header");
    if (length > nbytes_ - 8)
      fail("is cut: its header has ", length, " bytes, the whole file ", nbytes_);
    header_.resize(length);
    read(header_.data(), length);
    if (header_.empty() || header_[0] != '{')
      fail("expected a safetensors file, got something else (its header is no JSON object)");
  }

  // Throws if an object has two equal names. The parser itself would keep the last one.
  Json parse() const {
    std::vector<std::unordered_set<std::string>> names;
    std::string duplicate;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
      if (depth > kMaxNesting)
        fail("damaged header: expected values nested at most ", kMaxNesting, " deep, got more");
      if (event == Json::parse_event_t::object_start) names.emplace_back();
      if (event == Json::parse_event_t::object_end) names.pop_back();
      if (event == Json::parse_event_t::key &&
          !names.back().insert(parsed.get<std::string>()).second)
        duplicate = parsed.get<std::string>();
      return true;
    };
    Json header;
    try {
      header = Json::parse(header_, watch);
    } catch (const Json::exception& e) {
      fail("damaged header: ", e.what());
    }
    if (!duplicate.empty()) fail("damaged header: the name '", duplicate, "' occurs twice");
    if (!header.is_object()) fail("damaged header: expected a JSON object");
    return header;
  }

  void read_metadata(const Json& value) {
    if (!value.is_object()) fail("damaged header: expected an object as ", kMetadata);
    bool own = false;
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail("damaged header: expected a text as ", kMetadata, " '", key, "'");
      own = own || key.rfind("taper.", 0) == 0;
      if (key == kChecksumKey)
        checksum_ = text.get<std::string>();
      else
        contents_.metadata.emplace_back(key, text.get<std::string>());
    }
    if (own && checksum_.size() != 8) fail("damaged header: expected a checksum of 8 digits");
  }

  const Json& field(const Json& value, const char* key, const std::string& name) const {
    if (!value.is_object() || value.size() != 3 || !value.contains(key))
      fail("damaged header: expected dtype, shape and data_offsets for '", name, "'");
    return value[key];
  }

  // Returns a short text for messages. A list or an object may be long.
  static std::string shown(const Json& value) {
    return value.is_structured() ? std::string("an ") + value.type_name() : value.dump();
  }

  uint64_t number(const Json& value, const std::string& name) const {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX)
      fail("damaged header: expected a number from 0 to 2^63 - 1 for '", name, "', got ",
           shown(value));
    return value.get<uint64_t>();
  }

  TensorInfo info(const std::string& name, const Json& value) const {
    TensorInfo t;
    t.name = name;
    const Json& dtype = field(value, "dtype", name);
    t.dtype = dtype.is_string() ? dtype_of(dtype.get<std::string>()) : ScalarType::Undefined;
    if (t.dtype == ScalarType::Undefined)
      fail("'", name, "': expected a dtype that Taper has, got ", shown(dtype));
    const Json& shape = field(value, "shape", name);
    if (!shape.is_array() || shape.size() > static_cast<size_t>(kMaxDims))
      fail("'", name, "': expected a shape of at most ", kMaxDims, " sizes, got ",
           shape.is_array() ? std::to_string(shape.size()) : shown(shape));
    for (const Json& size : shape) t.sizes.push_back(static_cast<int64_t>(number(size, name)));
    const Json& offsets = field(value, "data_offsets", name);
    if (!offsets.is_array() || offsets.size() != 2)
      fail("damaged header: expected two data_offsets for '", name, "', got ",
           offsets.is_array() ? std::to_string(offsets.size()) : shown(offsets));
    t.begin = number(offsets[0], name);
    t.end = number(offsets[1], name);
    check_nbytes(t);
    return t;
  }

  void check_nbytes(const TensorInfo& t) const {
    const uint64_t available = nbytes_ - 8 - header_.size();
    if (t.begin > t.end || t.end > available)
      fail("'", t.name, "' is cut: its bytes are ", t.begin, " to ", t.end, " of ", available);
    uint64_t nbytes = elementSize(t.dtype);
    bool overflow = false;
    for (int64_t s : t.sizes)
      overflow = overflow || __builtin_mul_overflow(nbytes, static_cast<uint64_t>(s), &nbytes);
    if (overflow || nbytes != t.end - t.begin)
      fail("'", t.name, "': expected the ", dtype_name(t.dtype), " values of shape ",
           IntArrayRef(t.sizes), ", got ", t.end - t.begin, " bytes");
  }

  void check_layout(std::vector<TensorInfo> infos) const {
    std::sort(infos.begin(), infos.end(), [](const TensorInfo& a, const TensorInfo& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    uint64_t at = 0;
    for (const TensorInfo& t : infos) {
      if (t.begin != at)
        fail("damaged header: expected the bytes of '", t.name, "' at ", at, ", got ", t.begin);
      at = t.end;
    }
    const uint64_t available = nbytes_ - 8 - header_.size();
    if (at != available)
      fail("expected ", at, " bytes of tensors, got ", available,
           at < available ? ": something follows them" : "");
  }

  void read_tensors(const std::vector<TensorInfo>& infos) {
    std::vector<size_t> by_position(infos.size());
    for (size_t i = 0; i < infos.size(); ++i) by_position[i] = i;
    std::sort(by_position.begin(), by_position.end(), [&](size_t a, size_t b) {
      return infos[a].begin != infos[b].begin ? infos[a].begin < infos[b].begin
                                              : infos[a].end < infos[b].end;
    });
    contents_.tensors.resize(infos.size());
    uint32_t crc = header_crc();
    for (size_t i : by_position) {
      Tensor t = next_tensor(infos[i]);
      crc = crc_of(crc, t.data_ptr(), t.nbytes());
      check_bools(infos[i].name, t);
      contents_.tensors[i] = {infos[i].name, std::move(t)};
    }
    if (!checksum_.empty() && checksum_ != hex8(crc))
      fail("is damaged: its checksum is ", checksum_, ", that of its bytes ", hex8(crc));
  }

  Tensor next_tensor(const TensorInfo& info) {
    const size_t nbytes = info.end - info.begin;
    const bool aligned = file_ && position_ % elementSize(info.dtype) == 0;
    if (aligned && nbytes > 0) {
      position_ += nbytes;
      return mapped_tensor(file_, position_ - nbytes, info);
    }
    Tensor t = taper::detail::make_tensor(info.sizes, info.dtype, Device());
    read(t.data_ptr(), nbytes);
    return t;
  }

  uint32_t header_crc() {
    if (checksum_.empty()) return 0;
    const size_t at = header_.find(kChecksumText);
    if (at == std::string::npos) fail("damaged header: expected its checksum as Taper writes it");
    header_.replace(at + kChecksumText.size(), 8, kNoChecksum);
    return crc_of(0, header_.data(), header_.size());
  }

  // Checks bools: a value other than 0 and 1 would make later comparisons undefined.
  void check_bools(const std::string& name, const Tensor& t) const {
    if (t.scalar_type() != kBool) return;
    const auto* p = static_cast<const unsigned char*>(t.data_ptr());
    for (size_t i = 0; i < t.nbytes(); ++i)
      if (p[i] > 1) fail("'", name, "': expected bytes 0 and 1 for bools, got ", int{p[i]});
  }

  const Source& source_;
  const uint64_t nbytes_;
  const std::string& where_;
  uint64_t position_ = 0;
  std::string header_;
  std::string checksum_;
  const std::shared_ptr<MappedFile> file_;
  FileContents contents_;
};

}  // namespace

FileContents read_safetensors(const Source& source, uint64_t nbytes, const std::string& where) {
  return Reader(source, nbytes, where).run();
}

FileContents map_safetensors(const std::string& path) {
  const auto file = std::make_shared<MappedFile>(path);
  const Bytes bytes = file->bytes();
  const Source source = [bytes](uint64_t position, void* buffer, size_t nbytes) {
    const size_t n = position > bytes.size() ? 0 : std::min(nbytes, bytes.size() - position);
    if (n > 0) std::memcpy(buffer, bytes.data() + position, n);
    return n;
  };
  return Reader(source, bytes.size(), "'" + path + "'", file).run();
}

}  // namespace torch::taper::serialize::detail
