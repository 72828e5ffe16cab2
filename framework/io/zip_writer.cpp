#include <zlib.h>

#include <taper/framework/io/crc.h>
#include <taper/framework/io/zip.h>

namespace torch::taper::serialize::detail {
namespace {

constexpr uint64_t kFull32 = 0xffffffff, kFull16 = 0xffff;
constexpr uint16_t kVersion = 45, kUtf8 = 0x800, kDeflate = 8;
constexpr uint16_t kZip64Extra = 1, kPaddingExtra = 0x4246;
// Is the first day that zip can express. It makes equal contents give equal files.
constexpr uint16_t kDate = (0 << 9) | (1 << 5) | 1;

uint64_t saturated(uint64_t v, uint64_t full) { return v < full ? v : full; }

/// Writes the fields that the local header and the directory share.
void put_common(std::string& out, const ZipEntry& e) {
  put_little_endian(out, kVersion, 2);
  put_little_endian(out, kUtf8, 2);
  put_little_endian(out, e.deflated ? kDeflate : 0, 2);
  put_little_endian(out, 0, 2);
  put_little_endian(out, kDate, 2);
  put_little_endian(out, e.crc, 4);
  const bool large = e.nbytes >= kFull32 || e.compressed >= kFull32;
  put_little_endian(out, large ? kFull32 : e.compressed, 4);
  put_little_endian(out, large ? kFull32 : e.nbytes, 4);
  put_little_endian(out, e.name.size(), 2);
}

std::string zip64_extra(const ZipEntry& e, bool with_header) {
  std::string fields, out;
  if (e.nbytes >= kFull32 || e.compressed >= kFull32) {
    put_little_endian(fields, e.nbytes, 8);
    put_little_endian(fields, e.compressed, 8);
  }
  if (with_header && e.header >= kFull32) put_little_endian(fields, e.header, 8);
  if (fields.empty()) return out;
  put_little_endian(out, kZip64Extra, 2);
  put_little_endian(out, fields.size(), 2);
  return out + fields;
}

std::string deflated(const void* data, size_t nbytes) {
  z_stream z{};
  TAPER_CHECK(deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                           Z_DEFAULT_STRATEGY) == Z_OK,
              "save: no memory to compress");
  std::string out;
  char block[1 << 16];
  const auto* in = static_cast<const unsigned char*>(data);
  int rc = Z_OK;
  while (rc == Z_OK) {
    const auto now = static_cast<uInt>(saturated(nbytes, 1u << 30));
    z.next_in = const_cast<unsigned char*>(in);
    z.avail_in = now;
    do {
      z.next_out = reinterpret_cast<unsigned char*>(block);
      z.avail_out = sizeof block;
      rc = deflate(&z, now == nbytes ? Z_FINISH : Z_NO_FLUSH);
      out.append(block, sizeof block - z.avail_out);
    } while (z.avail_out == 0);
    in += now;
    nbytes -= now;
  }
  deflateEnd(&z);
  return out;
}

}  // namespace

void ZipWriter::put(const void* data, size_t nbytes) {
  if (nbytes == 0) return;
  const size_t taken = sink_(data, nbytes);
  TAPER_CHECK(taken == nbytes, "save: ", where_, ": wrote ", taken, " of ", nbytes, " bytes");
  position_ += nbytes;
}

std::string ZipWriter::local_header(const ZipEntry& e) const {
  std::string extra = zip64_extra(e, false);
  const size_t fixed = 30 + e.name.size() + extra.size() + 4;
  const size_t padding = (alignment_ - (position_ + fixed) % alignment_) % alignment_;
  put_little_endian(extra, kPaddingExtra, 2);
  put_little_endian(extra, padding, 2);
  extra.append(padding, 'Z');
  std::string out;
  put_little_endian(out, 0x04034b50, 4);
  put_common(out, e);
  put_little_endian(out, extra.size(), 2);
  return out + e.name + extra;
}

void ZipWriter::add(const std::string& name, const void* data, size_t nbytes, bool deflate) {
  TAPER_CHECK(name.size() <= kFull16, "save: ", where_, ": expected names of at most ", kFull16,
              " bytes, got one of ", name.size());
  ZipEntry e;
  e.name = name;
  e.deflated = deflate;
  e.crc = crc_of(0, data, nbytes);
  e.nbytes = nbytes;
  const std::string packed = deflate ? deflated(data, nbytes) : std::string();
  e.compressed = deflate ? packed.size() : nbytes;
  e.header = position_;
  const std::string header = local_header(e);
  put(header.data(), header.size());
  put(deflate ? packed.data() : data, e.compressed);
  entries_.push_back(std::move(e));
}

void ZipWriter::put_central(const ZipEntry& e, std::string& out) const {
  const std::string extra = zip64_extra(e, true);
  put_little_endian(out, 0x02014b50, 4);
  put_little_endian(out, kVersion, 2);
  put_common(out, e);
  put_little_endian(out, extra.size(), 2);
  put_little_endian(out, 0, 8);  // comment, disk, internal attributes
  put_little_endian(out, 0, 2);
  put_little_endian(out, saturated(e.header, kFull32), 4);
  out += e.name + extra;
}

void ZipWriter::finish() {
  std::string out;
  const uint64_t start = position_, count = entries_.size();
  for (const ZipEntry& e : entries_) put_central(e, out);
  const uint64_t nbytes = out.size();
  if (count >= kFull16 || start >= kFull32 || nbytes >= kFull32) {
    put_little_endian(out, 0x06064b50, 4);
    put_little_endian(out, 44, 8);
    put_little_endian(out, kVersion, 2);
    put_little_endian(out, kVersion, 2);
    put_little_endian(out, 0, 8);
    for (uint64_t v : {count, count, nbytes, start}) put_little_endian(out, v, 8);
    put_little_endian(out, 0x07064b50, 4);
    put_little_endian(out, 0, 4);
    put_little_endian(out, start + nbytes, 8);
    put_little_endian(out, 1, 4);
  }
  put_little_endian(out, 0x06054b50, 4);
  put_little_endian(out, 0, 4);
  put_little_endian(out, saturated(count, kFull16), 2);
  put_little_endian(out, saturated(count, kFull16), 2);
  put_little_endian(out, saturated(nbytes, kFull32), 4);
  put_little_endian(out, saturated(start, kFull32), 4);
  put_little_endian(out, 0, 2);
  put(out.data(), out.size());
}

}  // namespace torch::taper::serialize::detail
