// What the fuzzers of parsers share. A parser given any bytes gives a value or throws taper::Error:
// any other exception, an error that a sanitizer sees and memory out of proportion to the input end
// the process, and libFuzzer keeps the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <taper/framework/core/tensor.h>
#include <taper/framework/io/bytes.h>
#include <taper/framework/io/ivalue.h>

namespace fuzz {

using taper::Tensor;
using taper::serialize::detail::Bytes;

/// Bytes of memory for each byte of input that one allocation may have.
constexpr size_t kPlain = 10;
/// Where the input is compressed: deflate makes at most 1032 bytes of one.
constexpr size_t kDeflated = 1032 + kPlain;

/// Calls parse(), which may throw taper::Error, but not for lack of memory. One allocation may have
/// `per_byte` bytes for each byte of input and 1 MiB more, all that live at once 32 times as much.
void parse(size_t input_nbytes, size_t per_byte, const std::function<void()>& parse);

/// Reads the memory that a tensor says is its own: its corners and the first of its elements.
void touch(const Tensor& t);
/// The same of all tensors in a value. A value that many hold is looked at a limited number of
/// times.
void touch(const taper::IValue& value);

/// A folder in memory, which goes with the process.
const std::string& folder();
/// Writes a file there and returns its path.
std::string file_of(const std::string& name, Bytes bytes);

/// Mutates as libFuzzer does, then mostly lets repair(bytes) mend the checksums, which no mutation
/// would find. Returns the new size.
size_t mutate(uint8_t* data, size_t nbytes, size_t most, unsigned seed,
              const std::function<void(uint8_t*, size_t)>& repair);
/// The checksums in a zip archive's directory.
void repair_zip(uint8_t* data, size_t nbytes);
/// The checksums of a PNG file's chunks.
void repair_png(uint8_t* data, size_t nbytes);
/// The checksum in the header of a file that Taper wrote.
void repair_archive(uint8_t* data, size_t nbytes);

}  // namespace fuzz

/// A fuzzer whose mutations are mended by `repair`.
#define FUZZ_REPAIRED(repair)                                                          \
  extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t nbytes, size_t most, \
                                            unsigned seed) {                           \
    return fuzz::mutate(data, nbytes, most, seed, repair);                             \
  }
