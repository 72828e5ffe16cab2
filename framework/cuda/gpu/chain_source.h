// The source of the kernel that replaces the launches of a chain, and its argument.
//
// The source depends on functors, dtypes, the pack size and, if operands have rows, the numbers of
// rows and columns. Addresses, strides, numbers and the functors' values are in the argument. So
// chains that differ only in these use one kernel. Neither this kernel nor the kernels of single
// launches are compiled for known numbers, so results have equal bits. Not installed.
#pragma once

#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <taper/framework/cuda/pointwise_call.h>
#include <taper/framework/fusion/finder.h>

namespace torch::taper::cuda {

/// A launch that tell_pointwise() described to a capture.
struct PointwiseCall {
  const PointwiseKind* kind;
  std::vector<char> f;
  Out y;
  In x[PointwiseKind::kMostInputs];
};

struct ChainSource {
  std::string text;
  std::vector<char> argument;
  int64_t items;  ///< number of threads with work
};

/// Return the C++ name of an element's or a functor's type, or "" if a source cannot name the type.
inline std::string spelled_element(const std::type_info& type) {
  for (const std::type_info* t :
       {&typeid(float), &typeid(double), &typeid(Half), &typeid(BFloat16), &typeid(bool),
        &typeid(int8_t), &typeid(uint8_t), &typeid(int16_t), &typeid(uint16_t), &typeid(int32_t),
        &typeid(uint32_t), &typeid(int64_t), &typeid(uint64_t)})
    if (*t == type) {
      const std::unique_ptr<char, decltype(&std::free)> name(
          abi::__cxa_demangle(t->name(), nullptr, nullptr, nullptr), &std::free);
      return name.get();
    }
  return "";
}
inline std::string spelled_functor(const std::type_info& type) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr), &std::free);
  const std::string_view text = name ? name.get() : "";
  constexpr std::string_view functors = "torch::taper::functor::";
  const bool known = text.substr(0, functors.size()) == functors &&
                     text.find_first_of("({'") == std::string_view::npos;
  return known ? std::string(text) : "";
}

/// Writes a chain's source.
class ChainWriter {
 public:
  ChainWriter(const std::vector<const PointwiseCall*>& calls, const fusion::Group& group)
      : calls_(calls), group_(group), pack_(16 / std::max<int64_t>(group.largest_item, 1)) {}

  /// Returns nullopt if a type has no name or the argument is too long. Also returns nullopt if
  /// operands have rows and the chain has 2^31 elements or more.
  std::optional<ChainSource> write() {
    add_field("int64_t", "numel", group_.grid.numel());
    for (size_t m = 0; m < calls_.size(); ++m)
      if (!add_call(m)) return {};
    add_stores();
    add_field("uint32_t", "zero", uint32_t{0});
    if (!rows_.empty() && group_.grid.numel() >= (int64_t{1} << 31)) return {};
    end_argument();
    if (argument_.size() > kMostArguments) return {};
    return ChainSource{text(), argument_, (group_.grid.numel() + pack_ - 1) / pack_};
  }

 private:
  static constexpr size_t kMostArguments = 4000;  // CUDA's limit is 4 KiB

  /// Memory that the chain reads, or to which it writes a result.
  struct Memory {
    const char* data;
    std::string type, name;
    fusion::Steps steps;
    bool scalar;  ///< one element is read for a whole row, or for all rows
  };
  /// A member's result. Of several results at one address, only the last is valid.
  struct Made {
    const char* data;
    std::string type, name;
    bool own, handed_on = false;
    size_t member;
  };

  // -------------------------------------------------------------- the argument
  template <class T>
  void add_field(const std::string& type, const std::string& name, const T& v) {
    add_field(type, name, &v, sizeof v, alignof(T));
  }
  void add_field(const std::string& type, const std::string& name, const void* p, size_t nbytes,
                 size_t align) {
    const size_t at = (argument_.size() + align - 1) / align * align;
    argument_.resize(at + nbytes);
    std::memcpy(argument_.data() + at, p, nbytes);
    align_ = std::max(align_, align);
    fields_ += "  " + type + " " + name + ";\n";
  }
  void end_argument() { argument_.resize((argument_.size() + align_ - 1) / align_ * align_); }

  // -------------------------------------------------------------- operands
  bool is_dense(const fusion::Steps& s, int64_t item) const {
    const fusion::Grid& g = group_.grid;
    return s.step == item && (g.rows == 1 || s.row == g.cols * item) &&
           (g.blocks == 1 || s.block == g.rows * g.cols * item);
  }
  /// Adds a field `name` for the address `data`, and fields for its strides if it has rows. Returns
  /// `name`. Shortens packs until they suit the address and the strides.
  std::string add_memory(const std::string& name, const void* data, int64_t item,
                         const fusion::Steps& s) {
    add_field("char*", name, data);
    if (s.step == 0 && s.row == 0 && s.block == 0) return name;
    const auto suits = [&](int64_t n) { return n % (pack_ * item) == 0; };
    const bool dense = is_dense(s, item);
    while (pack_ > 1 && s.step != 0 &&
           !(suits(static_cast<int64_t>(reinterpret_cast<uintptr_t>(data))) &&
             (dense || (suits(s.row) && suits(s.block)))))
      pack_ /= 2;
    if (dense) return name;
    rows_ = "rows";
    while (group_.grid.cols % pack_ != 0) pack_ /= 2;
    add_field("int64_t", name + "_row", s.row);
    add_field("int64_t", name + "_block", s.block);
    return name;
  }
  /// Returns the expression that passes an element of operand k to the functor of member m. Returns
  /// nullopt if the operand's type has no name.
  std::optional<std::string> operand(size_t m, int k) {
    const In& x = calls_[m]->x[k];
    const std::string type = spelled_element(*calls_[m]->kind->operands[k]);
    if (type.empty()) return {};
    const fusion::Operand o = fusion::operand_of(x);
    if (!x.data) {
      const std::string name = "n" + std::to_string(m) + "_" + std::to_string(k);
      add_field(type, name, x.bytes(), static_cast<size_t>(o.item), static_cast<size_t>(o.item));
      return "a." + name;
    }
    for (auto v = made_.rbegin(); v != made_.rend(); ++v)
      if (v->data == o.data) {
        v->handed_on = true;
        return v->type == type ? v->name : "bits_as<" + type + ">(" + v->name + ")";
      }
    fusion::Steps s;
    fusion::place(group_.grid, o, s);
    for (const Memory& r : read_)
      if (r.data == o.data && r.type == type && r.steps.step == s.step && r.steps.row == s.row &&
          r.steps.block == s.block)
        return element_of(r);
    const std::string name = "x" + std::to_string(read_.size());
    read_.push_back({o.data, type, name, s, s.step == 0});
    add_memory(name, o.data, o.item, s);
    return element_of(read_.back());
  }
  static std::string element_of(const Memory& r) { return r.scalar ? r.name : r.name + ".v[k]"; }

  bool is_own(size_t m, const void* data) const {
    const auto& owns = group_.owns[m];
    return std::any_of(owns.begin(), owns.end(),
                       [data](const fusion::Own& own) { return own.data == data; });
  }

  // -------------------------------------------------------------- members
  bool add_call(size_t m) {
    const PointwiseCall& c = *calls_[m];
    const std::string functor = spelled_functor(*c.kind->functor);
    const std::string type = spelled_element(*c.kind->result);
    if (functor.empty() || type.empty()) return false;
    std::string operands;
    for (int k = 0; k < c.kind->inputs; ++k) {
      const std::optional<std::string> x = operand(m, k);
      if (!x) return false;
      operands += (k ? ", load(" : "load(") + *x + ")";
    }
    const std::string name = "v" + std::to_string(m), number = "f" + std::to_string(m);
    if (c.kind->nbytes) add_field(functor, number, c.f.data(), c.kind->nbytes, c.kind->align);
    const auto* const y = static_cast<const char*>(c.y.data);
    made_.push_back({y, type, name, is_own(m, y), false, m});
    steps_.push_back((c.kind->nbytes ? "a." + number : functor + "()") + "(" + operands + ")");
    return true;
  }
  /// Stores the last result for each address, unless only the chain uses that result.
  void add_stores() {
    for (size_t i = 0; i < made_.size(); ++i) {
      const Made& v = made_[i];
      const auto again = [&](const Made& later) { return later.data == v.data; };
      const auto behind = made_.begin() + static_cast<int64_t>(i) + 1;
      if (v.own || std::any_of(behind, made_.end(), again)) continue;
      const fusion::Operand o = fusion::operand_of(calls_[v.member]->y);
      fusion::Steps s;
      fusion::place(group_.grid, o, s);
      written_.push_back({v.data, v.type, "y" + std::to_string(written_.size()), s, false});
      stored_.push_back(v.name);
      add_memory(written_.back().name, v.data, o.item, s);
    }
  }

  // -------------------------------------------------------------- the text
  std::string at(const Memory& r, int64_t item) const {
    if (is_dense(r.steps, item)) return "dense<" + r.type + ", V>(a." + r.name + ", at)";
    return "in_rows<" + r.type + ", V>(a." + r.name + ", a." + r.name + "_row, a." + r.name +
           "_block, at)";
  }
  std::string load_of(const Memory& r) const {
    if (!r.scalar) return "Pack<" + r.type + ", V> " + r.name + " = " + at(r, r.steps.step);
    if (r.steps.row == 0 && r.steps.block == 0)
      return r.type + " " + r.name + " = one<" + r.type + ">(a." + r.name + ")";
    return r.type + " " + r.name + " = of_row<" + r.type + ">(a." + r.name + ", a." + r.name +
           "_row, a." + r.name + "_block, at)";
  }
  std::string body() const {
    std::string t;
    for (const Memory& r : read_) t += "    const " + load_of(r) + ";\n";
    for (const Memory& y : written_) t += "    Pack<" + y.type + ", V> " + y.name + ";\n";
    t += "    for (int k = 0; k < V; ++k) {\n";
    for (size_t m = 0; m < made_.size(); ++m) {
      const Made& v = made_[m];
      t += "      const " + v.type + " " + v.name + " = " +
           (v.handed_on ? "made<" + v.type + ">(" + steps_[m] + ", a.zero)"
                        : "static_cast<" + v.type + ">(" + steps_[m] + ")") +
           ";\n";
    }
    for (size_t i = 0; i < written_.size(); ++i)
      t += "      " + written_[i].name + ".v[k] = " + stored_[i] + ";\n";
    t += "    }\n";
    for (const Memory& y : written_) t += "    " + at(y, y.steps.step) + " = " + y.name + ";\n";
    return t;
  }
  std::string call() const {
    const fusion::Grid& g = group_.grid;
    const std::string V = std::to_string(pack_);
    if (rows_.empty()) return "run_dense<" + V + ", taper::chains::Body>(a)";
    return "run_rows<" + V + ", " + std::to_string(g.rows) + ", " + std::to_string(g.cols) +
           ", taper::chains::Body>(a)";
  }
  std::string text() const {
    return std::string(
               "#include <taper/framework/cuda/chain.h>\n"
               "#include <taper/functors.h>\n\n"  // cmake/cuda.cmake
               "namespace torch::taper::chains {\n"
               "struct Arguments {\n") +
           fields_ + "};\nstatic_assert(sizeof(Arguments) == " + std::to_string(argument_.size()) +
           ");\nstruct Body {\n  template <int V>\n"
           "  TAPER_HD static void run(const Arguments& a, const Place& at) {\n" +
           body() +
           "  }\n};\n}  // namespace torch::taper::chains\n\n"
           "#ifdef __CUDACC__\n"
           "extern \"C\" __global__ void __launch_bounds__(256)\n"
           "    taper_chain(const __grid_constant__ taper::chains::Arguments a) {\n"
           "#else\n"
           "extern \"C\" void taper_chain(const taper::chains::Arguments& a) {\n"
           "#endif\n  taper::chains::" +
           call() + ";\n}\n";
  }

  const std::vector<const PointwiseCall*>& calls_;
  const fusion::Group& group_;
  int64_t pack_;  // elements
  std::vector<char> argument_;
  size_t align_ = 1;
  std::string fields_, rows_;
  std::vector<Memory> read_, written_;
  std::vector<std::string> stored_;
  std::vector<Made> made_;
  std::vector<std::string> steps_;
};

}  // namespace torch::taper::cuda
