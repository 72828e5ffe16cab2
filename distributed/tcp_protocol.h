// The messages of PyTorch's TCPStore. Numbers have the machine's byte order. A string is sent as
// its length in 64 bits, followed by its bytes. Not installed.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include <taper/distributed/store.h>

namespace torch::taper::distributed::detail {

/// The kind of a client's request: the first byte of a message.
enum class Query : uint8_t {
  kValidate,  ///< carries a number that identifies the protocol. There is no answer
  kSet,
  kCompareSet,
  kGet,
  kAdd,
  kCheck,
  kWait,  ///< answered when all keys have values, or after kCancelWait
  kGetNumKeys,
  kDeleteKey,
  kAppend,
  kMultiGet,
  kMultiSet,
  kCancelWait,
  kPing  ///< carries a number, which the answer repeats
};
constexpr uint32_t kProtocol = 0x3C85F7CE;

enum class CheckAnswer : uint8_t { kReady, kNotReady };
enum class WaitAnswer : uint8_t { kStopWaiting, kCancelled };

/// The prefix of all keys that programs use. kWorkersKey, the key of the number of workers, does
/// not have this prefix.
constexpr const char* kKeyPrefix = "/";
constexpr const char* kWorkersKey = "init/";

/// A message, built part by part.
class Message {
 public:
  Message() = default;
  explicit Message(Query query) { put(query); }
  template <class T>
  Message& put(const T& v) {
    bytes_.append(reinterpret_cast<const char*>(&v), sizeof v);
    return *this;
  }
  Message& put_string(const std::string& text) {
    put(static_cast<uint64_t>(text.size()));
    bytes_ += text;
    return *this;
  }
  Message& put_bytes(const Store::Bytes& value) {
    put(static_cast<uint64_t>(value.size()));
    bytes_.append(value.begin(), value.end());
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace torch::taper::distributed::detail
