#include <taper/framework/io/unpickler.h>

namespace torch::taper::serialize::detail {
const char* name_of(Kind kind) {
  constexpr const char* names[] = {"None", "bool", "int",  "float",   "str",   "tuple",
                                   "list", "dict", "type", "storage", "Tensor"};
  return names[static_cast<int>(kind)];
}

const Object& Unpickler::expect(uint32_t i, Kind kind, const char* what) {
  if (at(i).kind != kind)
    damaged("expected a ", name_of(kind), " as ", what, ", got a ", name_of(at(i).kind));
  return at(i);
}

Dims Unpickler::dims(uint32_t i, const char* what) {
  const std::vector<uint32_t>& list = items(i, what);
  if (list.size() > static_cast<size_t>(kMaxDims))
    fail("expected a tensor of at most ", kMaxDims, " dimensions, got ", list.size());
  std::vector<int64_t> values;
  for (uint32_t item : list) {
    values.push_back(number(item, what));
    if (values.back() < 0) damaged("a negative number as ", what);
  }
  return Dims(IntArrayRef(values));
}

void Unpickler::call(Global global, const std::vector<uint32_t>& arguments) {
  const auto needs = [&](size_t count) {
    if (arguments.size() < count) damaged("a call with ", arguments.size(), " arguments");
  };
  switch (global) {
    case Global::kOrderedDict:
      if (!arguments.empty() && !expect(arguments[0], Kind::kList, "pairs").items.empty())
        fail("expected an OrderedDict as Python 3 writes it, got one of Python 2");
      return push_kind(Kind::kDict);
    case Global::kRebuildTensor:
      needs(6);
      return push_tensor(arguments,
                         expect(arguments[0], Kind::kStorage, "a tensor's storage").tensor);
    case Global::kRebuildUntyped:
      needs(7);
      return push_untyped(arguments);
    case Global::kRebuildParameter:
      needs(2);
      return push_parameter(arguments);
    case Global::kTensorList:
    case Global::kIntList:
    case Global::kDoubleList:
      needs(1);
      expect(arguments[0], Kind::kList, "a list's elements");
      at(arguments[0]).global = global;
      return push(arguments[0]);
    case Global::kBoolList:
    case Global::kSize:
    case Global::kDevice:
    case Global::kTypeTag:
      needs(1);
      return push(arguments[0]);
    case Global::kScriptModule:
      push_kind(Kind::kDict);
      at(top()).global = global;
      return;
    case Global::kStorage:
    case Global::kUntypedStorage:
    case Global::kDtype:
      damaged("it calls a dtype");
  }
}

// ('storage', class, key, location, numel)
void Unpickler::push_storage(const std::vector<uint32_t>& id) {
  if (id.size() < 5 || text(id[0], "a persistent id") != "storage")
    damaged("expected a storage's description");
  const Object& type = expect(id[1], Kind::kGlobal, "a storage's class");
  if (type.global != Global::kStorage && type.global != Global::kUntypedStorage)
    damaged("expected a storage's class");
  const ScalarType dtype = type.global == Global::kStorage ? type.dtype : kByte;
  Object o;
  o.kind = Kind::kStorage;
  const int64_t numel = number(id[4], "a storage's size");
  if (numel < 0) damaged("a storage of ", numel, " elements");
  o.tensor = storages_(text(id[2], "a storage's key"), dtype, numel);
  push(std::move(o));
}

void Unpickler::check_extent(const Dims& sizes, const Dims& strides, int64_t offset,
                             const Tensor& storage) {
  int64_t last = offset, numel = 1;
  bool overflow = false;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    int64_t reach = 0;
    overflow = overflow || __builtin_mul_overflow(numel, sizes[i], &numel);
    if (sizes[i] > 0)
      overflow = overflow || __builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
                 __builtin_add_overflow(last, reach, &last);
  }
  int64_t nbytes = 0;
  overflow = overflow ||
             __builtin_mul_overflow(numel, static_cast<int64_t>(storage.element_size()), &nbytes);
  const bool fits = numel == 0 ? offset <= storage.numel() : last < storage.numel();
  if (overflow || offset < 0 || !fits)
    damaged("a tensor of sizes ", sizes, ", strides ", strides, " and offset ", offset,
            " in a storage of ", storage.numel(), " elements");
}

// (bytes, offset, sizes, strides, requires_grad, hooks, dtype, ...)
void Unpickler::push_untyped(const std::vector<uint32_t>& a) {
  const Tensor bytes = expect(a[0], Kind::kStorage, "a tensor's storage").tensor;
  const Object& type = expect(a[6], Kind::kGlobal, "a tensor's dtype");
  if (type.global != Global::kDtype) damaged("expected a tensor's dtype");
  const auto itemsize = static_cast<int64_t>(elementSize(type.dtype));
  if (bytes.scalar_type() != kByte || bytes.numel() % itemsize != 0)
    damaged("a storage of ", bytes.numel(), " elements of ", bytes.scalar_type(),
            " for a tensor of ", type.dtype);
  push_tensor({a.begin(), a.begin() + 6}, bytes.view(type.dtype));
}

// (storage, offset, sizes, strides, requires_grad, hooks, ...)
void Unpickler::push_tensor(const std::vector<uint32_t>& a, const Tensor& storage) {
  const int64_t offset = number(a[1], "a tensor's offset");
  const Dims sizes = dims(a[2], "a tensor's sizes"), strides = dims(a[3], "a tensor's strides");
  if (sizes.size() != strides.size())
    damaged("a tensor of ", sizes.size(), " sizes and ", strides.size(), " strides");
  check_extent(sizes, strides, offset, storage);
  const bool conjugated = has_mark(a, "conj"), negated = has_mark(a, "neg");
  if (!conjugated && !negated) return push_owned(storage, sizes, strides, offset, truth(a[4]));
  // PyTorch applies these flags when the elements are read. Taper has no lazy flags and applies
  // them here.
  Tensor t = taper::detail::share_data(*storage.impl_ptr(), sizes, strides, offset);
  if (negated) t = t.neg();
  if (conjugated) t = t.conj();
  push_owned(t, t.impl().sizes, t.impl().strides, t.impl().offset, truth(a[4]));
}

bool Unpickler::has_mark(const std::vector<uint32_t>& a, const char* key) {
  if (a.size() < 7 || at(a[6]).kind != Kind::kDict) return false;
  const std::vector<uint32_t>& items = at(a[6]).items;
  for (size_t i = 0; i + 1 < items.size(); i += 2)
    if (at(items[i]).kind == Kind::kText && at(items[i]).text == key) return truth(items[i + 1]);
  return false;
}

// (data, requires_grad, hooks)
void Unpickler::push_parameter(const std::vector<uint32_t>& a) {
  const Tensor data = expect(a[0], Kind::kTensor, "a parameter's data").tensor;
  const TensorImpl& t = *data.impl_ptr();
  push_owned(data, t.sizes, t.strides, t.offset, truth(a[1]));
}

IValue Unpickler::value_of(uint32_t i, int depth) {
  if (depth > kMaxDepth)
    fail("expected values nested at most ", kMaxDepth, " deep, got more, or a list in itself");
  if (const auto made = made_.find(i); made != made_.end()) {
    count_list(made->second);
    return made->second;
  }
  const IValue value = make_value(i, depth);
  if (at(i).kind == Kind::kTuple || at(i).kind == Kind::kList || at(i).kind == Kind::kDict)
    made_.emplace(i, value);
  return value;
}

IValue Unpickler::make_value(uint32_t i, int depth) {
  const Object& o = at(i);
  switch (o.kind) {
    case Kind::kNone:
      return {};
    case Kind::kBool:
      return o.number != 0;
    case Kind::kInt:
      return o.number;
    case Kind::kDouble:
      return o.real;
    case Kind::kText:
      return text_value(o.text);
    case Kind::kTuple:
      return ivalue::Tuple::create(values_of(o.items, depth));
    case Kind::kList:
      return list(o, depth);
    case Kind::kDict:
      return dictionary(o, depth);
    case Kind::kTensor:
      return o.tensor;
    case Kind::kGlobal:
      if (o.global == Global::kDtype) return "torch." + o.text;
      fail("expected a value, got a class");
    case Kind::kStorage:
      fail("expected tensors, got a bare storage");
  }
  return {};
}

// Counts copies. A text or a list of numbers with many owners is copied for each, and a small file
// must not become a large value.
void Unpickler::count_copy(const char* what, size_t nbytes) {
  copied_nbytes_ += nbytes;
  if (copied_nbytes_ > copied_limit_)
    fail("its ", what, " expand to more than ", copied_limit_, " bytes");
}

IValue Unpickler::text_value(const std::string& text) {
  count_copy("texts", text.size());
  return text;
}

void Unpickler::count_list(const IValue& v) {
  if (v.isIntList()) count_copy("lists", v.toIntVector().size() * sizeof(int64_t));
  if (v.isDoubleList()) count_copy("lists", v.toDoubleVector().size() * sizeof(double));
  if (v.isTensorList()) count_copy("lists", v.toTensorVector().size() * sizeof(Tensor));
}

IValue Unpickler::list(const Object& o, int depth) {
  std::vector<IValue> values = values_of(o.items, depth);
  if (o.global == Global::kTensorList) return elements<Tensor>(values);
  if (o.global == Global::kIntList) return elements<int64_t>(values);
  if (o.global == Global::kDoubleList) return elements<double>(values);
  return GenericList(std::move(values));
}

std::vector<IValue> Unpickler::values_of(const std::vector<uint32_t>& items, int depth) {
  std::vector<IValue> values;
  for (uint32_t item : items) values.push_back(value_of(item, depth + 1));
  return values;
}

IValue Unpickler::dictionary(const Object& o, int depth) {
  GenericDict dict;
  for (size_t i = 0; i + 1 < o.items.size(); i += 2) {
    const Kind kind = at(o.items[i]).kind;
    if (kind == Kind::kTuple || kind == Kind::kList || kind == Kind::kDict || kind == Kind::kTensor)
      fail("expected numbers and texts as keys of dictionaries, got a ", name_of(kind));
    dict.insert_or_assign(value_of(o.items[i], depth + 1), value_of(o.items[i + 1], depth + 1));
  }
  return dict;
}

ScalarType dtype_of_storage(const std::string& name) {
  ScalarType dtype = ScalarType::Undefined;
  for_each_dtype(dtypes::Any(), [&](ScalarType t) {
    if (name == storage_name(t)) dtype = t;
  });
  return dtype;
}

std::string storage_name(ScalarType dtype) { return std::string(toString(dtype)) + "Storage"; }

IValue unpickle(Bytes bytes, const StorageSource& storages, const std::string& where) {
  return Unpickler(bytes, storages, where).run();
}

}  // namespace torch::taper::serialize::detail
