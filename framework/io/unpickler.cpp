#include <taper/framework/io/unpickler.h>

namespace torch::taper::serialize::detail {
namespace {

const std::unordered_map<std::string, Global>& known_globals() {
  static const std::unordered_map<std::string, Global> table = {
      {"collections.OrderedDict", Global::kOrderedDict},
      {"torch._utils._rebuild_tensor_v2", Global::kRebuildTensor},
      {"torch._utils._rebuild_tensor_v3", Global::kRebuildUntyped},
      {"torch.storage.UntypedStorage", Global::kUntypedStorage},
      {"torch._utils._rebuild_parameter", Global::kRebuildParameter},
      {"torch.Size", Global::kSize},
      {"torch.device", Global::kDevice},
      {"torch.jit._pickle.build_tensorlist", Global::kTensorList},
      {"torch.jit._pickle.build_intlist", Global::kIntList},
      {"torch.jit._pickle.build_doublelist", Global::kDoubleList},
      {"torch.jit._pickle.build_boollist", Global::kBoolList},
      {"torch.jit._pickle.restore_type_tag", Global::kTypeTag},
  };
  return table;
}

ScalarType dtype_named(const std::string& name) {
  ScalarType dtype = ScalarType::Undefined;
  for_each_dtype(dtypes::Joined<dtypes::Any, dtypes::Stored>(), [&](ScalarType t) {
    if (name == python_name(t)) dtype = t;
  });
  return dtype;
}

}  // namespace

bool Unpickler::step() {
  const auto op = static_cast<Op>(take(1)[0]);
  if (op == Op::kStop) return false;
  if (!run_constant(op) && !run_container(op) && !run_memo(op) && !run_object(op))
    damaged("unknown instruction ", static_cast<int>(op));
  return true;
}

bool Unpickler::run_constant(Op op) {
  switch (op) {
    case Op::kNone:
      push_shared(256, Kind::kNone, 0);
      return true;
    case Op::kNewTrue:
      push_shared(257, Kind::kBool, 1);
      return true;
    case Op::kNewFalse:
      push_shared(258, Kind::kBool, 0);
      return true;
    case Op::kBinInt1: {
      const uint64_t v = take_number(1);
      push_shared(v, Kind::kInt, static_cast<int64_t>(v));
      return true;
    }
    case Op::kBinInt2:
      push_int(static_cast<int64_t>(take_number(2)));
      return true;
    case Op::kBinInt:
      push_int(static_cast<int32_t>(take_number(4)));
      return true;
    case Op::kLong1:
      push_int(take_long());
      return true;
    case Op::kBinFloat:
      push_float();
      return true;
    case Op::kBinString:
    case Op::kBinUnicode:
      push_text(take_text(take_number(4)));
      return true;
    case Op::kShortBinString:
    case Op::kShortBinUnicode:
      push_text(take_text(take_number(1)));
      return true;
    case Op::kBinUnicode8:
      push_text(take_text(take_number(8)));
      return true;
    default:
      return false;
  }
}

int64_t Unpickler::take_long() {
  const uint64_t nbytes = take_number(1);
  if (nbytes > 8) fail("expected integers of 64 bits, got one of ", nbytes, " bytes");
  const Bytes b = take(nbytes);
  uint64_t v = little_endian(b.data(), nbytes);
  if (nbytes > 0 && nbytes < 8 && b[nbytes - 1] & 0x80) v |= ~uint64_t{0} << (8 * nbytes);
  return static_cast<int64_t>(v);
}

void Unpickler::push_float() {
  const Bytes b = take(8);
  uint64_t bits = 0;
  for (unsigned char byte : b) bits = bits << 8 | byte;
  Object o;
  o.kind = Kind::kDouble;
  std::memcpy(&o.real, &bits, sizeof bits);
  push(std::move(o));
}

bool Unpickler::run_container(Op op) {
  switch (op) {
    case Op::kMark:
      marks_.push_back(stack_.size());
      return true;
    case Op::kPop:
      pop();
      return true;
    case Op::kPopMark:
      pop_mark();
      return true;
    case Op::kEmptyTuple:
      push_kind(Kind::kTuple);
      return true;
    case Op::kEmptyList:
      push_kind(Kind::kList);
      return true;
    case Op::kEmptyDict:
      push_kind(Kind::kDict);
      return true;
    case Op::kTuple:
      push_sequence(Kind::kTuple, pop_mark());
      return true;
    case Op::kTuple1:
    case Op::kTuple2:
    case Op::kTuple3:
      push_sequence(Kind::kTuple,
                    pop_items(static_cast<size_t>(op) - static_cast<size_t>(Op::kTuple1) + 1));
      return true;
    case Op::kList:
      push_sequence(Kind::kList, pop_mark());
      return true;
    case Op::kDict:
      push_pairs(pop_mark());
      return true;
    case Op::kAppend:
      append(pop_items(1));
      return true;
    case Op::kAppends:
      append(pop_mark());
      return true;
    case Op::kSetItem:
      set_items(pop_items(2));
      return true;
    case Op::kSetItems:
      set_items(pop_mark());
      return true;
    default:
      return false;
  }
}

void Unpickler::extend(Kind kind, const std::vector<uint32_t>& items) {
  Object& o = at(top());
  if (o.kind != kind) damaged("expected a ", name_of(kind), ", got a ", name_of(o.kind));
  o.items.insert(o.items.end(), items.begin(), items.end());
}

bool Unpickler::run_memo(Op op) {
  switch (op) {
    case Op::kBinPut:
      remember(take_number(1));
      return true;
    case Op::kLongBinPut:
      remember(take_number(4));
      return true;
    case Op::kMemoize:
      remember(memo_.size());
      return true;
    case Op::kBinGet:
      recall(take_number(1));
      return true;
    case Op::kLongBinGet:
      recall(take_number(4));
      return true;
    case Op::kDup:
      push(top());
      return true;
    case Op::kProto:
      if (const uint64_t v = take_number(1); v < 2 || v > 5)
        fail("expected a pickle of protocol 2 to 5, got ", v);
      return true;
    case Op::kFrame:
      take_number(8);
      return true;
    default:
      return false;
  }
}

bool Unpickler::run_object(Op op) {
  switch (op) {
    case Op::kGlobal: {
      const std::string module = take_line();
      push_global(module, take_line());
      return true;
    }
    case Op::kStackGlobal: {
      const uint32_t name = pop(), module = pop();
      push_global(text(module, "a module's name"), text(name, "a class's name"));
      return true;
    }
    case Op::kReduce:
    case Op::kNewObj: {
      const uint32_t arguments = pop(), function = pop();
      if (at(function).kind != Kind::kGlobal) damaged("it calls a ", name_of(at(function).kind));
      call(at(function).global, items(arguments, "arguments"));
      return true;
    }
    case Op::kBuild:
      build(pop());
      return true;
    case Op::kBinPersId:
      push_storage(items(pop(), "a storage's description"));
      return true;
    default:
      return false;
  }
}

void Unpickler::push_global(const std::string& module, const std::string& name) {
  const std::string full = module + "." + name;
  Object o;
  o.kind = Kind::kGlobal;
  if (const auto found = known_globals().find(full); found != known_globals().end()) {
    o.global = found->second;
  } else if (module == "torch" && dtype_named(name) != ScalarType::Undefined) {
    o.global = Global::kDtype;
    o.text = name;
    o.dtype = dtype_named(name);
  } else if (module == "torch" && dtype_of_storage(name) != ScalarType::Undefined) {
    o.global = Global::kStorage;
    o.dtype = dtype_of_storage(name);
  } else if (full.rfind("__torch__.", 0) == 0) {
    o.global = Global::kScriptModule;
  } else {
    fail("expected tensors, numbers, texts, lists and dictionaries, got an object of ", full,
         "; in Python save the state_dict() of a module, and of other objects plain values");
  }
  push(std::move(o));
}

}  // namespace torch::taper::serialize::detail
