#include <taper/framework/io/pickle.h>

#include <unordered_map>

#include <taper/framework/io/pickle_ops.h>

namespace torch::taper::serialize::detail {
namespace {

// Deeper values would overflow the stack of every reader, here and in Python.
constexpr int kMaxDepth = 500;

/// Writes pickle protocol 2. A list or dictionary that occurs twice is written twice. Tensors share
/// memory through their storages.
class Pickler {
 public:
  explicit Pickler(const StorageSink& storages) : storages_(storages) {}

  std::string run(const IValue& value) {
    put(PickleOp::kProto);
    out_ += '\x02';
    write(value, 0);
    put(PickleOp::kStop);
    return std::move(out_);
  }

 private:
  using Op = PickleOp;
  void put(Op op) { out_ += static_cast<char>(op); }
  void put_number(uint64_t v, size_t nbytes) { put_little_endian(out_, v, nbytes); }

  void write(const IValue& v, int depth) {
    TAPER_CHECK(depth < kMaxDepth, "pickle_save: expected values nested at most ", kMaxDepth,
                " deep, got more, or a list in itself");
    switch (v.tag()) {
      case IValue::Tag::None:
        return put(Op::kNone);
      case IValue::Tag::Bool:
        return put(v.toBool() ? Op::kNewTrue : Op::kNewFalse);
      case IValue::Tag::Int:
        return integer(v.toInt());
      case IValue::Tag::Double:
        return real(v.toDouble());
      case IValue::Tag::String:
        return text(v.toStringRef());
      case IValue::Tag::Tensor:
        return tensor(v.toTensor());
      case IValue::Tag::IntList:
        return typed_list("build_intlist", v.toList(), depth);
      case IValue::Tag::DoubleList:
        return typed_list("build_doublelist", v.toList(), depth);
      case IValue::Tag::TensorList:
        return typed_list("build_tensorlist", v.toList(), depth);
      case IValue::Tag::GenericList:
        return list(v.toList(), depth);
      case IValue::Tag::Tuple:
        for (put(Op::kMark); const IValue& item : v.toTupleRef().elements()) write(item, depth + 1);
        return put(Op::kTuple);
      case IValue::Tag::GenericDict:
        return dictionary(v.toGenericDict(), depth);
      case IValue::Tag::Device:
      case IValue::Tag::Object:
        throw Error(taper::detail::concat("pickle_save: expected a value that Python has, got a ",
                                          v.tagKind()));
    }
  }

  void integer(int64_t v) {
    if (v >= INT32_MIN && v <= INT32_MAX) {
      put(Op::kBinInt);
      return put_number(static_cast<uint64_t>(v), 4);
    }
    put(Op::kLong1);
    put_number(8, 1);
    put_number(static_cast<uint64_t>(v), 8);
  }

  void real(double v) {
    uint64_t bits;
    std::memcpy(&bits, &v, sizeof v);
    put(Op::kBinFloat);
    for (int i = 7; i >= 0; --i) out_ += static_cast<char>(bits >> (8 * i));
  }

  void text(const std::string& s) {
    TAPER_CHECK(s.size() <= UINT32_MAX, "pickle_save: expected texts of less than 4 GiB");
    put(Op::kBinUnicode);
    put_number(s.size(), 4);
    out_ += s;
  }

  void list(const GenericList& items, int depth) {
    put(Op::kEmptyList);
    put(Op::kMark);
    for (const IValue& item : items) write(item, depth + 1);
    put(Op::kAppends);
  }

  /// Writes a list that LibTorch reads with this element type, and Python as a plain list.
  void typed_list(const char* builder, const GenericList& items, int depth) {
    global("torch.jit._pickle", builder);
    put(Op::kMark);
    list(items, depth);
    put(Op::kTuple);
    put(Op::kReduce);
  }

  void dictionary(const GenericDict& dict, int depth) {
    put(Op::kEmptyDict);
    put(Op::kMark);
    for (const auto& entry : dict) {
      write(entry.key(), depth + 1);
      write(entry.value(), depth + 1);
    }
    put(Op::kSetItems);
  }

  /// Writes a class or a text once, although every tensor names it.
  template <class Write>
  void once(const std::string& key, const Write& write) {
    const auto [at, is_new] = memo_.emplace(key, static_cast<uint32_t>(memo_.size()));
    if (!is_new) {
      put(Op::kLongBinGet);
      return put_number(at->second, 4);
    }
    write();
    put(Op::kLongBinPut);
    put_number(at->second, 4);
  }
  void global(const std::string& module, const std::string& name) {
    once(module + "." + name, [&] {
      put(Op::kGlobal);
      out_ += module + "\n" + name + "\n";
    });
  }
  void known_text(const std::string& s) {
    once("'" + s, [&] { text(s); });
  }
  void dims(IntArrayRef v) {
    put(Op::kMark);
    for (int64_t n : v) integer(n);
    put(Op::kTuple);
  }

  void tensor(const Tensor& t) {
    TAPER_CHECK(t.defined(), "pickle_save: expected defined tensors, got an undefined one");
    // PyTorch added storage-only dtypes after the storage classes, so Python stores them as bytes.
    const bool untyped = isStoredType(t.scalar_type());
    global("torch._utils", untyped ? "_rebuild_tensor_v3" : "_rebuild_tensor_v2");
    put(Op::kMark);
    const StoredTensor stored = storages_(t);
    put(Op::kMark);
    known_text("storage");
    if (untyped)
      global("torch.storage", "UntypedStorage");
    else
      global("torch", storage_name(t.scalar_type()));
    text(stored.key);
    known_text("cpu");
    integer(stored.numel * (untyped ? static_cast<int64_t>(t.element_size()) : 1));
    put(Op::kTuple);
    put(Op::kBinPersId);
    integer(stored.offset);
    dims(t.sizes());
    dims(stored.strides);
    put(t.requires_grad() ? Op::kNewTrue : Op::kNewFalse);
    global("collections", "OrderedDict");
    put(Op::kEmptyTuple);
    put(Op::kReduce);
    if (untyped) global("torch", python_name(t.scalar_type()));
    put(Op::kTuple);
    put(Op::kReduce);
  }

  const StorageSink& storages_;
  std::string out_;
  std::unordered_map<std::string, uint32_t> memo_;
};

}  // namespace

std::string pickle(const IValue& value, const StorageSink& storages) {
  return Pickler(storages).run(value);
}

}  // namespace torch::taper::serialize::detail
