// Files as LibTorch's torch::save writes them: zip archives with the pickle of a TorchScript
// module.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/tensor.h>
#include <taper/framework/io/zip.h>

namespace torch::taper::testing {

/// The attributes of one module, in LibTorch's instructions.
class ScriptModule {
 public:
  explicit ScriptModule(std::vector<Tensor>& storages) : storages_(storages) {}

  ScriptModule& write(const std::string& name, const Tensor& t) {
    put_text(name);
    put("ctorch._utils\n_rebuild_tensor_v2\n((");
    put_text("storage");
    put("ctorch\n" + std::string(toString(t.scalar_type())) + "Storage\n");
    put_text(std::to_string(storages_.size()));
    put_text("cpu");
    put_number(t.numel());
    put("tQ");
    put_number(0);
    put_numbers(t.sizes().vec());
    put_numbers(t.strides().vec());
    put("\x89"
        "ccollections\nOrderedDict\n)RtR");
    storages_.push_back(t);
    return *this;
  }
  ScriptModule& write(const std::string& name, const std::string& text) {
    put_text(name);
    put_text(text);
    return *this;
  }
  ScriptModule& write(const std::string& name, int64_t number) {
    put_text(name);
    put_number(number);
    return *this;
  }
  ScriptModule& write(const std::string& name, double number) {
    put_text(name);
    put_real(number);
    return *this;
  }
  ScriptModule& write(const std::string& name, bool value) {
    put_text(name);
    put(value ? "\x88" : "\x89");
    return *this;
  }
  ScriptModule& write(const std::string& name, std::pair<double, double> pair) {
    put_text(name);
    put_real(pair.first);
    put_real(pair.second);
    put("\x86");
    return *this;
  }
  ScriptModule& write(const std::string& name, const ScriptModule& nested) {
    put_text(name);
    put(nested.code());
    return *this;
  }

  /// The instructions that make the module.
  std::string code() const { return std::string("c__torch__\nModule\n)\x81}(") + code_ + "ub"; }

 private:
  void put(const std::string& bytes) { code_ += bytes; }
  void put_little_endian(uint64_t v, int nbytes) {
    for (int i = 0; i < nbytes; ++i) code_ += static_cast<char>(v >> (8 * i));
  }
  void put_text(const std::string& text) {
    put("X");
    put_little_endian(text.size(), 4);
    put(text);
  }
  void put_number(int64_t v) {
    put("J");
    put_little_endian(static_cast<uint64_t>(v), 4);
  }
  void put_numbers(const std::vector<int64_t>& list) {
    put("(");
    for (int64_t v : list) put_number(v);
    put("t");
  }
  void put_real(double v) {
    uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    put("G");
    for (int i = 7; i >= 0; --i) code_ += static_cast<char>(bits >> (8 * i));
  }

  std::vector<Tensor>& storages_;
  std::string code_;
};

/// The bytes of a file whose pickle has these instructions.
inline std::string script_archive(const std::string& code, const std::vector<Tensor>& storages) {
  std::string bytes;
  const auto sink = [&](const void* data, size_t nbytes) {
    bytes.append(static_cast<const char*>(data), nbytes);
    return nbytes;
  };
  serialize::detail::ZipWriter zip(sink, "the test");
  const auto add = [&](const std::string& name, const std::string& text) {
    zip.add("net/" + name, text.data(), text.size());
  };
  for (size_t i = 0; i < storages.size(); ++i)
    zip.add("net/data/" + std::to_string(i), storages[i].data_ptr(), storages[i].nbytes());
  add("data.pkl", "\x80\x02" + code + ".");
  add("code/__torch__.py", "class Module(Module):\n  __parameters__ = []\n");
  add("constants.pkl", "\x80\x02).");
  add("version", "3\n");
  zip.finish();
  return bytes;
}
inline std::string script_archive(const ScriptModule& module, const std::vector<Tensor>& storages) {
  return script_archive(module.code(), storages);
}

}  // namespace torch::taper::testing
