// Reads a pickle with a stack, a memo, and numbered objects. Not installed.
#pragma once

#include <deque>
#include <unordered_map>

#include <taper/framework/io/pickle.h>
#include <taper/framework/io/pickle_ops.h>

namespace torch::taper::serialize::detail {

// Largest depth of nested values. Functions that traverse deeper values would overflow the stack.
// No real file has deeper values.
constexpr int kMaxDepth = 500;

/// Globals that a pickle may name.
enum class Global : uint8_t {
  kOrderedDict,
  kRebuildTensor,
  kRebuildUntyped,
  kRebuildParameter,
  kStorage,
  kUntypedStorage,
  kDtype,
  kSize,
  kDevice,
  kTensorList,
  kIntList,
  kDoubleList,
  kBoolList,
  kTypeTag,
  kScriptModule,
};

/// An object while the pickle is read. Objects refer to each other by number, so that cycles do not
/// leak and shared objects exist once.
struct Object {
  enum class Kind : uint8_t {
    kNone,
    kBool,
    kInt,
    kDouble,
    kText,
    kTuple,
    kList,
    kDict,
    kGlobal,
    kStorage,
    kTensor
  };
  Kind kind = Kind::kNone;
  // The meaning of a global, the annotated kind of a list, or whether a dictionary holds the
  // attributes of a TorchScript module.
  Global global = Global::kSize;
  ScalarType dtype = ScalarType::Undefined;
  int64_t number = 0;
  double real = 0;
  std::string text;
  // The elements. For a dictionary keys and values alternate.
  std::vector<uint32_t> items;
  // A tensor, or a storage as a vector.
  Tensor tensor;
};
using Kind = Object::Kind;

const char* name_of(Object::Kind kind);

/// Reads one pickle.
class Unpickler {
 public:
  Unpickler(Bytes bytes, const StorageSource& storages, const std::string& where)
      : rest_(bytes),
        copied_limit_((1 << 20) + 64 * bytes.size()),
        storages_(storages),
        where_(where) {}

  IValue run() {
    while (step()) {
    }
    return value_of(pop(), 0);
  }

 private:
  using Op = PickleOp;
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw Error(taper::detail::concat("load: ", where_, ": ", parts...));
  }
  template <class... Parts>
  [[noreturn]] void damaged(const Parts&... parts) const {
    fail("damaged pickle: ", parts...);
  }

  // ------------------------------------------------------------------ bytes
  Bytes take(uint64_t nbytes) {
    if (nbytes > rest_.size()) damaged("it ends early");
    const Bytes taken = rest_.first(nbytes);
    rest_ = rest_.subspan(nbytes);
    return taken;
  }
  uint64_t take_number(size_t nbytes) { return little_endian(take(nbytes).data(), nbytes); }
  std::string take_text(uint64_t nbytes) {
    const Bytes b = take(nbytes);
    return {reinterpret_cast<const char*>(b.data()), b.size()};
  }
  std::string take_line() {
    std::string line;
    for (;;) {
      const char c = static_cast<char>(take(1)[0]);
      if (c == '\n') return line;
      line += c;
    }
  }

  // ------------------------------------------------------------------ objects and the stack
  Object& at(uint32_t i) { return objects_[i]; }
  uint32_t add(Object o) {
    objects_.push_back(std::move(o));
    return static_cast<uint32_t>(objects_.size() - 1);
  }
  void push(uint32_t i) { stack_.push_back(i); }
  void push(Object o) { push(add(std::move(o))); }
  void push_kind(Kind kind) {
    Object o;
    o.kind = kind;
    push(std::move(o));
  }
  void push_int(int64_t v) {
    Object o;
    o.kind = Kind::kInt;
    o.number = v;
    push(std::move(o));
  }
  /// Objects for one-byte numbers, None and booleans are shared.
  void push_shared(size_t slot, Kind kind, int64_t v) {
    if (shared_.size() <= slot) shared_.resize(slot + 1, kNoObject);
    if (shared_[slot] == kNoObject) {
      Object o;
      o.kind = kind;
      o.number = v;
      shared_[slot] = add(std::move(o));
    }
    push(shared_[slot]);
  }
  void push_text(std::string text) {
    Object o;
    o.kind = Kind::kText;
    o.text = std::move(text);
    push(std::move(o));
  }
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  uint32_t pop() {
    if (stack_.size() <= floor()) damaged("it takes a value that is not there");
    const uint32_t i = stack_.back();
    stack_.pop_back();
    return i;
  }
  uint32_t top() {
    const uint32_t i = pop();
    push(i);
    return i;
  }
  /// Removes the last mark and the values above it, and returns these values.
  std::vector<uint32_t> pop_mark() {
    if (marks_.empty()) damaged("it takes a mark that is not there");
    const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<uint32_t> items(from, stack_.end());
    stack_.erase(from, stack_.end());
    marks_.pop_back();
    return items;
  }
  std::vector<uint32_t> pop_items(size_t count) {
    std::vector<uint32_t> items(count);
    for (size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }
  void push_sequence(Kind kind, std::vector<uint32_t> items) {
    Object o;
    o.kind = kind;
    o.items = std::move(items);
    push(std::move(o));
  }
  void remember(uint64_t slot) {
    // Pickles number their memo without gaps.
    if (slot > memo_.size() + kMemoGap) damaged("memo ", slot, " comes too early");
    if (slot >= memo_.size()) memo_.resize(slot + 1, kNoObject);
    memo_[slot] = top();
  }
  void recall(uint64_t slot) {
    if (slot >= memo_.size() || memo_[slot] == kNoObject) damaged("it has no memo ", slot);
    push(memo_[slot]);
  }

  // ------------------------------------------------------------------ instructions
  /// Runs one instruction. Returns false at the end.
  bool step();
  bool run_constant(Op op);
  int64_t take_long();
  void push_float();
  bool run_container(Op op);

  void push_pairs(std::vector<uint32_t> items) {
    push_kind(Kind::kDict);
    set_items(std::move(items));
  }
  void append(const std::vector<uint32_t>& items) { extend(Kind::kList, items); }
  void set_items(const std::vector<uint32_t>& items) {
    if (items.size() % 2 != 0) damaged("a key without a value");
    extend(Kind::kDict, items);
  }
  void extend(Kind kind, const std::vector<uint32_t>& items);
  bool run_memo(Op op);
  bool run_object(Op op);

  // A TorchScript module's attributes become its entries. A state dict's attributes (its versions)
  // are skipped. No other object has attributes.
  void build(uint32_t attributes) {
    const Object& o = at(top());
    if (o.kind != Kind::kDict)
      fail("expected attributes of a dictionary only, got some of a ", name_of(o.kind));
    if (o.global != Global::kScriptModule) return;
    set_items(
        std::vector<uint32_t>(expect(attributes, Kind::kDict, "a module's attributes").items));
  }

  void push_global(const std::string& module, const std::string& name);

  // ------------------------------------------------------------------ values of a kind
  const Object& expect(uint32_t i, Kind kind, const char* what);
  const std::string& text(uint32_t i, const char* what) {
    return expect(i, Kind::kText, what).text;
  }
  int64_t number(uint32_t i, const char* what) { return expect(i, Kind::kInt, what).number; }
  const std::vector<uint32_t>& items(uint32_t i, const char* what) {
    return expect(i, Kind::kTuple, what).items;
  }
  Dims dims(uint32_t i, const char* what);

  // ------------------------------------------------------------------ calls
  void call(Global global, const std::vector<uint32_t>& arguments);

  void push_storage(const std::vector<uint32_t>& id);
  /// Throws if `storage` has fewer elements than `sizes`, `strides` and `offset` need.
  void check_extent(const Dims& sizes, const Dims& strides, int64_t offset, const Tensor& storage);

  void push_tensor(const std::vector<uint32_t>& arguments, const Tensor& storage);
  void push_untyped(const std::vector<uint32_t>& arguments);
  /// Returns whether a tensor's metadata, which may follow PyTorch's six arguments, contains `key`:
  /// True.
  bool has_mark(const std::vector<uint32_t>& a, const char* key);
  bool truth(uint32_t i) { return expect(i, Kind::kBool, "requires_grad").number != 0; }

  void push_owned(const Tensor& storage, const Dims& sizes, const Dims& strides, int64_t offset,
                  bool requires_grad) {
    Object o;
    o.kind = Kind::kTensor;
    o.tensor = taper::detail::share_data(*storage.impl_ptr(), sizes, strides, offset);
    if (requires_grad && !isFloatingOrComplexType(o.tensor.scalar_type()))
      damaged("a tensor of ", o.tensor.scalar_type(), " that requires a gradient");
    o.tensor.set_requires_grad(requires_grad);
    push(std::move(o));
  }

  void push_parameter(const std::vector<uint32_t>& a);

  // ------------------------------------------------------------------ the result
  IValue value_of(uint32_t i, int depth);
  IValue make_value(uint32_t i, int depth);
  void count_copy(const char* what, size_t nbytes);
  void count_list(const IValue& v);
  IValue text_value(const std::string& text);
  template <class T>
  std::vector<T> elements(const std::vector<IValue>& values) {
    std::vector<T> list;
    for (const IValue& v : values) list.push_back(v.to<T>());
    return list;
  }
  IValue list(const Object& o, int depth);
  std::vector<IValue> values_of(const std::vector<uint32_t>& items, int depth);
  IValue dictionary(const Object& o, int depth);

  static constexpr uint32_t kNoObject = UINT32_MAX;
  static constexpr size_t kMemoGap = 16;

  Bytes rest_;
  const size_t copied_limit_;
  size_t copied_nbytes_ = 0;
  const StorageSource& storages_;
  const std::string& where_;
  // A deque, so that objects keep their addresses.
  std::deque<Object> objects_;
  std::vector<uint32_t> stack_, memo_, shared_;
  std::vector<size_t> marks_;
  std::unordered_map<uint32_t, IValue> made_;
};

}  // namespace torch::taper::serialize::detail
