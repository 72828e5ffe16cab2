// The bytes of protocol buffers, as far as an ONNX model needs them. Not installed.
//
// A message is a list of fields: key (number * 8 + wire type), then a varint, 4 bytes, or a length
// and bytes. The schema is onnx.proto. Its numbers stand where a field is written.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace torch::taper::program {

/// A message that grows field by field.
class ProtoMessage {
 public:
  ProtoMessage& put(int field, int64_t value) {
    put_varint(static_cast<uint64_t>(field) << 3);
    put_varint(static_cast<uint64_t>(value));
    return *this;
  }
  ProtoMessage& put(int field, float value) {
    put_varint(static_cast<uint64_t>(field) << 3 | 5);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof value);
    return *this;
  }
  ProtoMessage& put(int field, std::string_view text) {
    put_varint(static_cast<uint64_t>(field) << 3 | 2);
    put_varint(text.size());
    bytes_.append(text);
    return *this;
  }
  ProtoMessage& put(int field, const ProtoMessage& message) {
    return put(field, std::string_view(message.bytes_));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void put_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

}  // namespace torch::taper::program
