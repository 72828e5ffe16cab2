#include <zlib.h>

#include <algorithm>

#include <taper/framework/io/crc.h>
#include <taper/framework/io/zip.h>

namespace torch::taper::serialize::detail {
namespace {

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr uint32_t kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56;
constexpr size_t kLocatorSize = 20;
constexpr uint32_t kFull32 = 0xffffffff;
constexpr uint16_t kFull16 = 0xffff, kZip64Extra = 1;
// Deflate expands a byte to at most 1032 bytes.
constexpr uint64_t kMaxRatio = 1032;

uint16_t u16(Bytes b, size_t at) { return static_cast<uint16_t>(little_endian(&b[at], 2)); }
uint32_t u32(Bytes b, size_t at) { return static_cast<uint32_t>(little_endian(&b[at], 4)); }
uint64_t u64(Bytes b, size_t at) { return little_endian(&b[at], 8); }

std::string text_of(Bytes b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

}  // namespace

template <class... Parts>
void ZipReader::fail(const Parts&... parts) const {
  throw Error(taper::detail::concat("load: ", where_, ": ", parts...));
}

Bytes ZipReader::part(uint64_t position, uint64_t nbytes, const char* what) const {
  if (position > bytes_.size() || nbytes > bytes_.size() - position)
    fail("damaged zip archive: ", what, " reaches beyond the file's end");
  return bytes_.subspan(position, nbytes);
}

ZipReader::ZipReader(Bytes bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {
  const Directory directory = find_directory();
  Bytes rest = part(directory.position, directory.nbytes, "its directory");
  // Every entry takes 46 bytes of the directory. This check keeps a wrong count from allocating
  // much.
  if (directory.count > directory.nbytes / kCentralSize)
    fail("damaged zip archive: its directory is too small for ", directory.count, " entries");
  for (uint64_t i = 0; i < directory.count; ++i) rest = rest.subspan(read_central(rest, directory));
  if (!rest.empty()) fail("damaged zip archive: its directory holds more than its entries");
  check_overlap();
}

// Finds the end record. A comment, whose length the record gives, may follow it.
size_t ZipReader::find_end() const {
  if (bytes_.size() >= kEndSize) {
    const size_t last = bytes_.size() - kEndSize;
    for (size_t at = last; last - at <= kFull16; --at) {
      if (u32(bytes_, at) == kEnd && u16(bytes_, at + 20) == last - at) return at;
      if (at == 0) break;
    }
  }
  fail("expected a zip archive, got something else, or a part of one: it has no end record");
}

ZipReader::Directory ZipReader::find_directory() const {
  const size_t end = find_end();
  const Bytes record = bytes_.subspan(end);
  Directory d{u16(record, 10), u32(record, 12), u32(record, 16), end};
  if (u16(record, 4) != 0 && u16(record, 4) != kFull16)
    fail("expected a zip archive in one file, got a part of several");
  read_zip64_directory(end, d);
  if (d.position > d.end || d.nbytes != d.end - d.position)
    fail("damaged zip archive: its directory is not where its end record says");
  return d;
}

// PyTorch writes the 64-bit records even into small archives.
void ZipReader::read_zip64_directory(uint64_t end, Directory& d) const {
  if (end < kLocatorSize) return;
  const Bytes locator = part(end - kLocatorSize, kLocatorSize, "the 64-bit locator");
  if (u32(locator, 0) != kLocator64) return;
  const uint64_t at = u64(locator, 8);
  const Bytes record = part(at, kEnd64Size, "the 64-bit end record");
  if (u32(record, 0) != kEnd64)
    fail("damaged zip archive: no 64-bit end record where it should be");
  d = {u64(record, 32), u64(record, 40), u64(record, 48), at};
}

size_t ZipReader::read_central(Bytes at, const Directory& directory) {
  if (at.size() < kCentralSize || u32(at, 0) != kCentral)
    fail("damaged zip archive: entry ", entries_.size(), " of its directory is no entry");
  const size_t name = u16(at, 28), extra = u16(at, 30), comment = u16(at, 32);
  const size_t nbytes = kCentralSize + name + extra + comment;
  if (at.size() < nbytes) fail("damaged zip archive: entry ", entries_.size(), " is cut");
  ZipEntry e;
  e.name = text_of(at.subspan(kCentralSize, name));
  const uint16_t flags = u16(at, 8), method = u16(at, 10);
  if (flags & 1) fail("'", e.name, "' is encrypted");
  if (method != 0 && method != 8)
    fail("'", e.name, "': expected a stored or deflated entry, got compression method ", method);
  e.deflated = method == 8;
  e.crc = u32(at, 16);
  e.compressed = u32(at, 20);
  e.nbytes = u32(at, 24);
  e.header = u32(at, 42);
  read_zip64_extra(at.subspan(kCentralSize + name, extra), e);
  read_local(e, directory);
  if (!index_.emplace(e.name, entries_.size()).second)
    fail("damaged zip archive: the name '", e.name, "' occurs twice");
  entries_.push_back(std::move(e));
  return nbytes;
}

void ZipReader::read_zip64_extra(Bytes extra, ZipEntry& e) const {
  uint64_t* const wanted[] = {&e.nbytes, &e.compressed, &e.header};
  while (extra.size() >= 4) {
    const size_t id = u16(extra, 0), nbytes = u16(extra, 2);
    if (nbytes > extra.size() - 4) fail("'", e.name, "': damaged extra field");
    Bytes field = extra.subspan(4, nbytes);
    extra = extra.subspan(4 + nbytes);
    if (id != kZip64Extra) continue;
    for (uint64_t* value : wanted) {
      if (*value != kFull32) continue;
      if (field.size() < 8) fail("'", e.name, "': damaged 64-bit sizes");
      *value = u64(field, 0);
      field = field.subspan(8);
    }
    return;
  }
}

void ZipReader::read_local(ZipEntry& e, const Directory& directory) const {
  const Bytes local = part(e.header, kLocalSize, "a local header");
  if (u32(local, 0) != kLocal) fail("'", e.name, "': no local header where the directory says");
  const uint64_t name = u16(local, 26), extra = u16(local, 28);
  if (text_of(part(e.header + kLocalSize, name, "a name")) != e.name)
    fail("damaged zip archive: '", e.name, "' has another name in its local header");
  e.position = e.header + kLocalSize + name + extra;
  if (e.position > directory.position || e.compressed > directory.position - e.position)
    fail("'", e.name, "' is cut, or reaches into the archive's directory");
  if (!e.deflated && e.compressed != e.nbytes)
    fail("'", e.name, "': expected a stored entry of ", e.nbytes, " bytes, got ", e.compressed);
  if (e.deflated && e.nbytes / kMaxRatio > e.compressed)
    fail("'", e.name, "': ", e.compressed, " bytes cannot expand to ", e.nbytes);
}

void ZipReader::check_overlap() const {
  std::vector<const ZipEntry*> sorted;
  for (const ZipEntry& e : entries_) sorted.push_back(&e);
  std::sort(sorted.begin(), sorted.end(),
            [](const ZipEntry* a, const ZipEntry* b) { return a->header < b->header; });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1]->position + sorted[i - 1]->compressed > sorted[i]->header)
      fail("damaged zip archive: '", sorted[i - 1]->name, "' and '", sorted[i]->name, "' overlap");
}

const ZipEntry* ZipReader::find(const std::string& name) const {
  const auto at = index_.find(name);
  return at == index_.end() ? nullptr : &entries_[at->second];
}

void ZipReader::inflate(const ZipEntry& e, void* buffer) const {
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) fail("'", e.name, "': no memory to expand it");
  const unsigned char* in = bytes_.data() + e.position;
  uint64_t in_left = e.compressed, out_left = e.nbytes;
  z.next_out = static_cast<unsigned char*>(buffer);
  unsigned char nothing = 0;
  if (out_left == 0) z.next_out = &nothing;
  int rc = Z_OK;
  // zlib counts in 32 bits.
  while (rc == Z_OK) {
    const auto in_now = static_cast<uInt>(std::min<uint64_t>(in_left, 1u << 30));
    const auto out_now = static_cast<uInt>(std::min<uint64_t>(out_left, 1u << 30));
    z.next_in = const_cast<unsigned char*>(in);
    z.avail_in = in_now;
    z.avail_out = out_now;
    rc = ::inflate(&z, Z_NO_FLUSH);
    in += in_now - z.avail_in;
    in_left -= in_now - z.avail_in;
    out_left -= out_now - z.avail_out;
  }
  inflateEnd(&z);
  if (rc != Z_STREAM_END || in_left != 0 || out_left != 0)
    fail("'", e.name, "': damaged compressed data");
}

void ZipReader::read(const ZipEntry& e, void* buffer) const {
  if (e.deflated)
    inflate(e, buffer);
  else if (e.nbytes > 0)
    std::memcpy(buffer, bytes_.data() + e.position, e.nbytes);
  if (crc_of(0, buffer, e.nbytes) != e.crc)
    fail("'", e.name, "' is damaged: its checksum is not that of its bytes");
}

std::string ZipReader::read(const ZipEntry& e) const {
  std::string bytes(e.nbytes, '\0');
  read(e, bytes.data());
  return bytes;
}

}  // namespace torch::taper::serialize::detail
