#include <taper/framework/io/npy.h>

#include <taper/framework/io/host_read.h>
#include <taper/framework/io/safetensors.h>
#include <taper/framework/io/zip.h>

namespace torch::taper {
namespace serialize::detail {
namespace {

constexpr const char* kMagic = "\x93NUMPY";
constexpr size_t kMagicSize = 6;

/// Holds the contents of an .npy header.
struct NpyHeader {
  ScalarType dtype = ScalarType::Undefined;
  bool swapped = false;
  bool fortran = false;
  Dims sizes;
};

struct NpyName {
  ScalarType dtype;
  const char* name;
};
constexpr NpyName kNames[] = {
    {kBool, "b1"},   {kByte, "u1"},         {kChar, "i1"},           {kShort, "i2"},
    {kInt, "i4"},    {kLong, "i8"},         {kHalf, "f2"},           {kFloat, "f4"},
    {kDouble, "f8"}, {kComplexFloat, "c8"}, {kComplexDouble, "c16"}, {kUInt16, "u2"},
    {kUInt32, "u4"}, {kUInt64, "u8"},
};

/// Reads the header, which is a Python dictionary of three known keys.
class HeaderParser {
 public:
  HeaderParser(Bytes text, const std::string& where)
      : p_(text.data()), end_(text.data() + text.size()), where_(where) {}

  NpyHeader run() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      read_value(key);
      if (!accept(',') && !at('}')) damaged("expected ',' or '}'");
    }
    if (spaces(), p_ != end_) damaged("something follows the dictionary");
    if (seen_ != 7) damaged("expected descr, fortran_order and shape");
    return header_;
  }

 private:
  template <class... Parts>
  [[noreturn]] void damaged(const Parts&... parts) const {
    throw Error(taper::detail::concat("load: ", where_, ": damaged npy header: ", parts...));
  }
  void spaces() {
    while (p_ != end_ && (*p_ == ' ' || *p_ == '\n' || *p_ == '\t')) ++p_;
  }
  bool at(char c) {
    spaces();
    return p_ != end_ && *p_ == static_cast<unsigned char>(c);
  }
  bool accept(char c) {
    if (!at(c)) return false;
    ++p_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) damaged("expected '", c, "'");
  }
  std::string quoted() {
    const char quote = at('"') ? '"' : '\'';
    expect(quote);
    std::string s;
    while (p_ != end_ && *p_ != static_cast<unsigned char>(quote)) s += static_cast<char>(*p_++);
    expect(quote);
    return s;
  }
  bool word(const char* w) {
    spaces();
    const size_t n = std::strlen(w);
    if (static_cast<size_t>(end_ - p_) < n || std::memcmp(p_, w, n) != 0) return false;
    p_ += n;
    return true;
  }

  void read_value(const std::string& key) {
    const int bit = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 0;
    if (bit == 0 || seen_ & bit) damaged("the key '", key, "' is unknown or occurs twice");
    seen_ |= bit;
    if (bit == 1)
      read_dtype();
    else if (bit == 2)
      read_order();
    else
      read_shape();
  }

  void read_order() {
    header_.fortran = word("True");
    if (!header_.fortran && !word("False")) damaged("expected True or False as fortran_order");
  }

  void read_dtype() {
    if (at('[')) unknown_dtype("a structure");
    const std::string descr = quoted();
    const char order = descr.empty() ? '?' : descr[0];
    if (order != '<' && order != '>' && order != '|' && order != '=') unknown_dtype(descr);
    for (const NpyName& n : kNames)
      if (descr.substr(1) == n.name) header_.dtype = n.dtype;
    if (header_.dtype == ScalarType::Undefined) unknown_dtype(descr);
    header_.swapped = order == '>';
  }
  [[noreturn]] void unknown_dtype(const std::string& got) const {
    throw TypeError(
        taper::detail::concat("load: ", where_, ": expected a dtype that Taper has, got ", got));
  }

  void read_shape() {
    expect('(');
    while (!accept(')')) {
      if (header_.sizes.size() == kMaxDims)
        damaged("expected at most ", kMaxDims, " dimensions, got more");
      header_.sizes.push_back(number());
      accept('L');  // from Python 2
      if (!accept(',') && !at(')')) damaged("expected ',' or ')'");
    }
  }
  int64_t number() {
    spaces();
    if (p_ == end_ || *p_ < '0' || *p_ > '9') damaged("expected a size");
    int64_t v = 0;
    for (; p_ != end_ && *p_ >= '0' && *p_ <= '9'; ++p_)
      if (__builtin_mul_overflow(v, int64_t{10}, &v) ||
          __builtin_add_overflow(v, int64_t{*p_ - '0'}, &v))
        damaged("a size of more than 2^63");
    return v;
  }

  const unsigned char* p_;
  const unsigned char* const end_;
  const std::string& where_;
  NpyHeader header_;
  int seen_ = 0;
};

/// Returns strides for which the first dimension runs fastest. As in contiguous_strides, they may
/// overflow if another size is 0. No stride is used then.
Dims fortran_strides(const Dims& sizes) {
  Dims strides(sizes.size(), 1);
  for (int64_t i = 1; i < sizes.size(); ++i)
    strides[i] = static_cast<int64_t>(static_cast<uint64_t>(strides[i - 1]) *
                                      static_cast<uint64_t>(std::max<int64_t>(sizes[i - 1], 1)));
  return strides;
}

Bytes header_of(Bytes file, const std::string& where) {
  TAPER_CHECK(file.size() >= 10 && std::memcmp(file.data(), kMagic, kMagicSize) == 0,
              "load: ", where, ": expected an npy file, got something else");
  const int version = file[6];
  TAPER_CHECK(version >= 1 && version <= 3, "load: ", where, ": expected npy version 1 to 3, got ",
              version);
  const size_t width = version == 1 ? 2 : 4, start = 8 + width;
  TAPER_CHECK(file.size() >= start, "load: ", where, ": is cut in its header");
  const uint64_t nbytes = little_endian(&file[8], width);
  TAPER_CHECK(nbytes <= file.size() - start, "load: ", where, ": is cut in its header");
  return file.subspan(start, nbytes);
}

int64_t checked_numel(const NpyHeader& h, size_t available, const std::string& where) {
  int64_t numel = 1, nbytes = 0;
  bool overflow = false;
  for (int64_t s : h.sizes) overflow = overflow || __builtin_mul_overflow(numel, s, &numel);
  overflow = overflow ||
             __builtin_mul_overflow(numel, static_cast<int64_t>(elementSize(h.dtype)), &nbytes);
  TAPER_CHECK(!overflow && static_cast<uint64_t>(nbytes) == available, "load: ", where,
              ": expected the values of shape ", h.sizes, " and dtype ", h.dtype, ", got ",
              available, " bytes");
  return numel;
}

// ---------------------------------------------------------------------- writing
const char* npy_name(ScalarType dtype) {
  for (const NpyName& n : kNames)
    if (n.dtype == dtype) return n.name;
  throw TypeError(taper::detail::concat("save: expected a dtype that NumPy has, got ", dtype));
}

bool is_fortran(const TensorImpl& t) {
  return !t.contiguous && t.numel > 0 && t.strides == fortran_strides(t.sizes);
}

std::string header_text(const TensorImpl& t) {
  std::string shape;
  for (int64_t s : t.sizes) shape += std::to_string(s) + (t.sizes.size() == 1 ? "," : ", ");
  const char* order = t.itemsize() == 1 ? "|" : "<";
  std::string text = std::string("{'descr': '") + order + npy_name(t.dtype) +
                     "', 'fortran_order': " + (is_fortran(t) ? "True" : "False") + ", 'shape': (" +
                     shape + "), }";
  // The data begins at a multiple of 64 bytes.
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string out = std::string(kMagic, kMagicSize) + std::string("\x01\0", 2);
  put_little_endian(out, text.size(), 2);
  return out + text;
}

/// Holds an .npy file as two pieces: header and data.
struct NpyImage {
  std::string header;
  Tensor data;
  explicit NpyImage(const Tensor& tensor) {
    TAPER_CHECK(tensor.defined(), "save: expected a defined tensor, got an undefined one");
    const Tensor t = taper::detail::read_by_host("save", tensor);
    header = header_text(*t.impl_ptr());
    data = is_fortran(*t.impl_ptr()) ? t : t.contiguous();
  }
};

void put(const Sink& sink, const void* data, size_t nbytes, const std::string& path) {
  TAPER_CHECK(nbytes == 0 || sink(data, nbytes) == nbytes, "save: cannot write '", path, "'");
}

std::string whole(const NpyImage& image) {
  const auto* p = static_cast<const char*>(image.data.data_ptr());
  return image.data.nbytes() ? image.header + std::string(p, image.data.nbytes()) : image.header;
}

}  // namespace

Tensor read_npy(Bytes file, const std::string& where) {
  const Bytes text = header_of(file, where);
  const NpyHeader h = HeaderParser(text, where).run();
  const auto start = static_cast<size_t>(text.data() + text.size() - file.data());
  const Bytes data = file.subspan(start);
  const int64_t numel = checked_numel(h, data.size(), where);
  const Tensor flat = taper::detail::make_tensor(numel, h.dtype, Device());
  if (!data.empty()) std::memcpy(flat.data_ptr(), data.data(), data.size());
  if (h.swapped) swap_bytes(flat.data_ptr(), data.size(), elementSize(toRealValueType(h.dtype)));
  if (h.dtype == kBool)
    for (unsigned char b : data)
      TAPER_CHECK(b <= 1, "load: ", where, ": expected bytes 0 and 1 for bools, got ", int{b});
  Dims strides;
  contiguous_strides(h.sizes, strides);
  return taper::detail::share_data(*flat.impl_ptr(), h.sizes,
                                   h.fortran ? fortran_strides(h.sizes) : strides, 0);
}

StateDict read_npz(Bytes file, const std::string& where) {
  const ZipReader zip(file, where);
  StateDict dict;
  for (const ZipEntry& e : zip.entries()) {
    const std::string bytes = zip.read(e), end = ".npy";
    std::string name = e.name;
    if (name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
      name.resize(name.size() - end.size());
    dict.insert(name, read_npy(bytes_of(bytes.data(), bytes.size()), where + ": '" + e.name + "'"));
  }
  return dict;
}

}  // namespace serialize::detail

using namespace serialize::detail;

Tensor load_npy(const std::string& path) {
  return read_npy(MappedFile(path).bytes(), "'" + path + "'");
}

void save_npy(const std::string& path, const Tensor& tensor) {
  const NpyImage image(tensor);
  write_file(path, [&](const Sink& sink) {
    put(sink, image.header.data(), image.header.size(), path);
    put(sink, image.data.data_ptr(), image.data.nbytes(), path);
  });
}

StateDict load_npz(const std::string& path) {
  return read_npz(MappedFile(path).bytes(), "'" + path + "'");
}

void save_npz(const std::string& path, const StateDict& dict, bool compressed) {
  write_file(path, [&](const Sink& sink) {
    ZipWriter zip(sink, "'" + path + "'");
    for (const auto& item : dict) {
      const std::string bytes = whole(NpyImage(item.value()));
      zip.add(item.key() + ".npy", bytes.data(), bytes.size(), compressed);
    }
    zip.finish();
  });
}

}  // namespace torch::taper
