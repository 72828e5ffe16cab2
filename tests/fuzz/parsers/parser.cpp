#include "parser.h"

#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace fuzz {
namespace {

constexpr size_t kFixed = size_t{1} << 20, kAtOnce = 32;

// What one input may allocate, and what it has.
size_t limit = 0, limit_at_once = 0;
std::atomic<size_t> live{0};
thread_local bool counting = false;

[[noreturn]] void report(const char* what, size_t nbytes, size_t allowed) {
  counting = false;
  std::fprintf(stderr, "ERROR: parser: %s %zu bytes, expected at most %zu for this input\n", what,
               nbytes, allowed);
  __sanitizer_print_stack_trace();
  std::abort();
}

void on_malloc(const volatile void*, size_t nbytes) {
  if (!counting) return;
  if (nbytes > limit) report("one allocation of", nbytes, limit);
  const size_t now = live += nbytes;
  if (now > limit_at_once) report("allocations at once of", now, limit_at_once);
}

// Blocks from before the input do not count when they are released.
void on_free(const volatile void* p) {
  if (!counting || !p) return;
  const size_t nbytes = __sanitizer_get_allocated_size(p);
  live -= std::min<size_t>(live, nbytes);
}

/// Counts allocations while it lives.
struct Counting {
  Counting(size_t input_nbytes, size_t per_byte) {
    static const int installed = __sanitizer_install_malloc_and_free_hooks(&on_malloc, &on_free);
    (void)installed;
    limit = per_byte * input_nbytes + kFixed;
    limit_at_once = kAtOnce * limit;
    live = 0;
    counting = true;
  }
  ~Counting() { counting = false; }
};

// Not in the parser's memory: reads every byte, which the sanitizer checks.
void read_bytes(const unsigned char* p, size_t nbytes) {
  static volatile unsigned char sink;
  unsigned char sum = 0;
  for (size_t i = 0; i < nbytes; ++i) sum = static_cast<unsigned char>(sum ^ p[i]);
  sink = sum;
}

void touch_parts(const taper::IValue& value, int depth, int& visits) {
  if (depth > 600 || --visits < 0) return;
  if (value.isTensor()) return fuzz::touch(value.toTensor());
  if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) touch_parts(entry.value(), depth + 1, visits);
  } else if (value.isTuple()) {
    for (const taper::IValue& v : value.toTupleRef().elements()) touch_parts(v, depth + 1, visits);
  } else if (value.isTensorList()) {
    for (const Tensor& t : value.toTensorVector()) fuzz::touch(t);
  } else if (value.isList() && !value.isIntList() && !value.isDoubleList()) {
    for (const taper::IValue& v : value.toListRef()) touch_parts(v, depth + 1, visits);
  }
}

/// Makes a folder, and removes it with the process.
struct Folder {
  std::string path;
  Folder() {
    char name[] = "/dev/shm/taper-fuzz-XXXXXX";
    if (!::mkdtemp(name)) std::abort();
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace

void parse(size_t input_nbytes, size_t per_byte, const std::function<void()>& parse) {
  try {
    const Counting on(input_nbytes, per_byte);
    parse();
  } catch (const taper::OutOfMemoryError& e) {
    report(e.what(), input_nbytes, limit);
  } catch (const taper::Error&) {
  }
}

void touch(const Tensor& t) {
  if (!t.defined() || t.numel() == 0) return;
  const auto* p = static_cast<const unsigned char*>(t.data_ptr());
  const auto itemsize = static_cast<int64_t>(t.element_size());
  std::vector<int64_t> at(static_cast<size_t>(t.dim()), 0);
  int64_t last = 0;
  for (int64_t d = 0; d < t.dim(); ++d) last += (t.size(d) - 1) * t.stride(d);
  read_bytes(p + last * itemsize, static_cast<size_t>(itemsize));
  for (int64_t i = 0; i < std::min<int64_t>(t.numel(), 4096); ++i) {
    int64_t offset = 0;
    for (int64_t d = 0; d < t.dim(); ++d) offset += at[static_cast<size_t>(d)] * t.stride(d);
    read_bytes(p + offset * itemsize, static_cast<size_t>(itemsize));
    for (int64_t d = t.dim(); d-- > 0 && ++at[static_cast<size_t>(d)] == t.size(d);)
      at[static_cast<size_t>(d)] = 0;
  }
}

void touch(const taper::IValue& value) {
  int visits = 10000;
  touch_parts(value, 0, visits);
}

const std::string& folder() {
  static const Folder made;
  return made.path;
}

std::string file_of(const std::string& name, Bytes bytes) {
  const std::string path = folder() + "/" + name;
  const taper::serialize::detail::Descriptor file{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
  const auto written = ::write(file.fd, bytes.data(), bytes.size());
  if (written != static_cast<ssize_t>(bytes.size())) std::abort();
  return path;
}

}  // namespace fuzz
