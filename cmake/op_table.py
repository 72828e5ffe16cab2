"""The table of ops, made of the declarations in ops/ and of Tensor's methods: for each public function of tensors its name,
PyTorch's schema, and traits. op_table.txt says what the declarations do not. cmake/generated_headers.py writes the rows into
taper/generated/op_table.inc, which ops/shared/op_table.cpp includes."""
import collections
import pathlib
import re

import extension_forms as forms

ROOT = forms.ROOT
LIST = ROOT / "cmake" / "op_table.txt"
OP_LISTS = ROOT / "framework" / "kernel" / "op_lists.h"
METHODS = ["framework/core/tensor_methods.inc", "framework/core/tensor.h"]
# {type of C++: type of a schema}. A function with another type is no op.
TYPES = {"Tensor": "Tensor", "optional<Tensor>": "Tensor?", "TensorList": "Tensor[]", "std::vector<optional<Tensor>>": "Tensor?[]",
         "Scalar": "Scalar", "optional<Scalar>": "Scalar?", "ArrayRef<Scalar>": "Scalar[]",
         "int64_t": "int", "optional<int64_t>": "int?", "IntArrayRef": "int[]", "OptionalIntArrayRef": "int[]?",
         "double": "float", "optional<double>": "float?", "optional<ArrayRef<double>>": "float[]?",
         "bool": "bool", "optional<bool>": "bool?", "std::string_view": "str", "optional<std::string_view>": "str?",
         "ScalarType": "ScalarType", "optional<ScalarType>": "ScalarType?", "optional<MemoryFormat>": "MemoryFormat?",
         "MemoryFormat": "MemoryFormat", "optional<Generator>": "Generator?", "TensorOptions": "options"}
OPTIONS = ["ScalarType? dtype=None", "Layout? layout=None", "Device? device=None", "bool? pin_memory=None"]
TEXT = r"template <class S, detail::IfText<S> = 0> "
RESULT = re.compile(r"Tensor&?|void|bool|int64_t|ScalarType|Scalar|std::vector<Tensor>|std::tuple<(Tensor&?(, )?|std::vector<Tensor>)+>")
TRAITS = ["pointwise", "linear", "bilinear", "view", "in_place", "out", "random", "composite", "forward"]

Op = collections.namedtuple("Op", "name base types result parameters function is_method is_forward is_wrapped")


class ListError(Exception):
    """A line of the list that fits no op."""

    def __init__(self, number, message):
        super().__init__(f"{LIST.name}:{number}: {message}")


# ---------------------------------------------------------------- declarations

def bare(parameter):
    """The type of a parameter, without const and &."""
    kind = re.sub(r"^const |\s?&$", "", forms.types([parameter])[0])
    return re.sub(r"^(fft::)?Norm$", "optional<std::string_view>", kind)


def declared(statement, has_body):
    """(result, name, parameters, whether it is inline) of a declaration, or None."""
    match = re.fullmatch(rf"({forms.GENERATOR}|{TEXT})?(inline )?([\w:<>&, ]+?)\s(\w+)\((.*)\)( const)?", statement)
    if not match:
        return None
    parameters = match.group(5)
    if match.group(1):
        parameters = parameters.replace("const G& ", "optional<Generator> ").replace("const S& ", "std::string_view ")
    return match.group(3), match.group(4), forms.split(parameters), bool(match.group(2) or has_body)


def free_functions(text, internal=False):
    """(name, result, parameters, its name in C++, whether it is inline) of the functions of a header."""
    for scopes, statement, has_body in forms.statements(text):
        path = "::".join(re.sub(r"^namespace ", "", scope) for scope in scopes)
        found = declared(statement, has_body)
        if found and internal and path == "torch::taper::detail":
            result, name, parameters, inline = found
            yield name, result, parameters, name, inline
            continue
        match = re.fullmatch("torch::taper(?:::(linalg|fft|special))?", path)
        if not found or not match:
            continue
        result, name, parameters, inline = found
        space = match.group(1)
        yield f"{space}_{name}" if space else name, result, parameters, f"taper::{space}::{name}" if space else f"taper::{name}", inline


def methods(text):
    if "class Tensor {" in text:
        text = text[text.index("class Tensor {") + len("class Tensor {"):]
        text = text[:text.index("tensor_methods.inc")]
    for scopes, statement, has_body in forms.statements(f"class Tensor {{\n{text}\n}}"):
        found = declared(re.sub(r"^public: ", "", statement), has_body)
        if scopes == ("class Tensor",) and found and statement.endswith(" const"):
            result, name, parameters, inline = found
            yield name, result, ["const Tensor& self"] + parameters, name, inline


def headers():
    """The headers that those of the families of ops include."""
    pending, found = sorted(f"ops/{p.name}/{p.name}.h" for p in (ROOT / "ops").iterdir() if p.is_dir()), []
    while pending:
        header = pending.pop(0)
        found.append(header)
        for name in re.findall(r"#include <taper/(ops/[^>]*\.h)>", (ROOT / header).read_text()):
            if name not in found and name not in pending:
                pending.append(name)
    return sorted(found)


def is_op(result, parameters):
    named = all(re.search(r"\w$", p.partition("=")[0].strip()) for p in parameters)
    return bool(RESULT.fullmatch(result)) and named and all(bare(p) in TYPES for p in parameters) \
        and any("Tensor" in p for p in [result, *parameters])


def sources(sections):
    """{header: text} of what declares ops."""
    paths = headers() + [text for _, text in sections["internal"]] + METHODS
    return {path: (ROOT / path).read_text() for path in paths}


def all_ops(sections, texts):
    """{(name, types): Op} of the texts of headers. A function and a method with one key are one op."""
    no_ops, of_class, internal = (names(sections, s) for s in ("no ops", "methods of tensor.h", "internal"))
    found = {}
    for header, text in texts.items():
        is_method = header in METHODS
        for name, result, parameters, function, inline in methods(text) if is_method else free_functions(text, header in internal):
            if name in no_ops or not is_op(result, parameters) or (header.endswith("tensor.h") and name not in of_class and is_method):
                continue
            key = name, tuple(bare(p) for p in parameters)
            other = found.get(key)
            if other and (inline or not other.is_forward):
                continue
            found[key] = Op(name, re.sub("_out$", "", name), key[1], result, parameters, function, is_method, inline, False)
    written = {f"{op.name}({', '.join(op.types)})": key for key, op in found.items()}
    for section, is_forward in ("forward", True), ("own door", False):
        for number, text in sections[section]:
            if text not in written:
                raise ListError(number, f"no declaration fits '{text}'")
            # A template has no address.
            found[written[text]] = found[written[text]]._replace(is_forward=is_forward, is_wrapped=not is_forward)
    return found


# ---------------------------------------------------------------- schemas

def outs(op):
    """How many of the first parameters are results."""
    if op.name.endswith("_out"):
        return max(1, sum(p.startswith("Tensor& ") for p in op.parameters))
    return 0


def kinds_of_schema(schema):
    """The types of a schema's arguments, in the order of the C++ function: results come first, options are one argument."""
    inner = re.sub(r"=\[[^\]]*\]| -> \*", "", schema[schema.index("(") + 1:schema.rindex(") ->")])
    declared = [a.partition("=")[0].strip().rsplit(" ", 1) for a in forms.split(inner) if a != "*"]
    is_out, results, kinds = is_out_schema(schema), [], []
    for kind, _ in declared:
        plain = re.sub(r"\[\d+\]", "[]", re.sub(r"\(.*?\)", "", kind)).replace("SymInt", "int")
        (results if is_out and "!" in kind else kinds).append(plain)
    names = [name for _, name in declared]
    if "dtype layout device pin_memory" in " ".join(names):
        at = names.index("layout") - 1
        kinds[at:at + 4] = ["options"]
    return results + kinds


def is_out_schema(schema):
    """Whether the op stores its results in arguments, and is not in place."""
    return "!" in schema.partition("->")[0] and not re.match(r"[\w:]*_(\.|\()", schema)


def fits(kinds, op):
    """How well types of a schema fit those of a function: None, or a number that is 0 if all are equal."""
    ours = [TYPES[t] for t in op.types]
    if len(kinds) != len(ours):
        return None
    loss = 0
    for ours_one, kind in zip(ours, kinds):
        if ours_one == kind:
            continue
        if ours_one.rstrip("?") != kind.rstrip("?"):
            return None
        loss += 1
    return loss


# ---------------------------------------------------------------- schemas by rule

def default(text, kind):
    value = text.strip()
    if value in ("nullopt", "Tensor()", "{}", "Scalar()"):
        return "[]" if kind.endswith("[]") else "None"
    value = {"true": "True", "false": "False", "kReductionMean": "Mean"}.get(value, value).strip()
    quotient = re.fullmatch(r"([\d.]+) / ([\d.]+)", value)
    if quotient:
        return repr(float(quotient.group(1)) / float(quotient.group(2)))
    if value.startswith("{"):
        return "[" + value[1:-1] + "]"
    return re.sub(r"\w+::|\.0$", "", value)


def overload_by_rule(op, ops):
    """PyTorch's name of the overload: if there are several, the type of the second operand, and `out`."""
    forms_alike = [other for other in ops.values() if other.base == op.base and bool(outs(other)) == bool(outs(op))]
    second = op.types[outs(op) + 1] if len(op.types) > outs(op) + 1 else ""
    parts = [second] if second in ("Tensor", "Scalar") and len(forms_alike) > 1 else []
    return "_".join(parts + ["out"] * bool(outs(op)))


def schema_by_rule(op, overload, space="aten"):
    """The schema of an op as its declaration suggests it."""
    results, count = [], outs(op)
    in_place = op.name.endswith("_") and not op.name.endswith("__")
    arguments = []
    for i, (p, kind) in enumerate(zip(op.parameters, op.types)):
        name, text = forms.parameter(p)[1], TYPES[kind]
        name = {"x": "self", "y": "other", "o": "other", "format": "memory_format"}.get(name, name)
        if kind == "TensorOptions":
            arguments += ["*", *OPTIONS]
            continue
        if i < count:
            mark = "abcdef"[i]
            results.append(f"Tensor({mark}!) {name}")
            continue
        if in_place and i == 0:
            text = "Tensor(a!)" if kind == "Tensor" else "Tensor(a!)[]"
        value = f"={default(p.partition('=')[2], text)}" if "=" in p else ""
        if name in ("generator", "alpha", "dtype") and "*" not in arguments and value:
            arguments.append("*")
        arguments.append(f"{text} {name}{value}")
    if results:
        arguments += ["*"] * ("*" not in arguments) + results
        back = [r.split()[0] for r in results]
    elif in_place:
        back = ["Tensor(a!)"] if op.result.startswith("Tensor") else []
    else:
        inner = re.sub(r"^std::tuple<|>$", "", op.result) if op.result.startswith("std::tuple") else op.result
        back = [{"std::vector<Tensor>": "Tensor[]", "bool": "bool", "int64_t": "int"}.get(r, r) for r in forms.split(inner) if r != "void"]
    text = back[0] if len(back) == 1 else f"({', '.join(back)})"
    name = op.base + (f".{overload}" if overload else "")
    return f"{space}::{name}({', '.join(arguments)}) -> {text}"


# ---------------------------------------------------------------- the list

def listed(text):
    """{section: [(line number, text)]} of the list."""
    sections, section = collections.defaultdict(list), None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if line.startswith("["):
            section = line.strip("[]")
        elif line and section in ("schemas", "only here", "forward", "own door"):
            sections[section].append((number, line))
        elif line:
            sections[section] += [(number, word) for word in line.split()]
    return sections


def names(sections, section):
    return {text for _, text in sections[section]}


# ---------------------------------------------------------------- rows

def traits(op, sets, linear):
    """(the traits of an op as bits, the arguments in which it is linear as bits)"""
    name = op.base if op.base.endswith("__") else op.base.rstrip("_")
    in_place = op.name.endswith("_") and not op.name.endswith("__") and op.result == "Tensor&"
    found = [t for t, listed_names in sets.items() if name in listed_names]
    found += ["in_place"] * in_place + ["out"] * bool(outs(op))
    found += ["random"] * ("optional<Generator>" in op.types) + ["forward"] * op.is_forward
    linear_in = 0
    for kind in ("linear", "bilinear"):
        if name in linear[kind]:
            found.append(kind)
            linear_in = sum(1 << (int(i) + outs(op)) for i in linear[kind][name])
    return sum(1 << TRAITS.index(t) for t in found), linear_in


def row(op, number, schema, bits, linear_in):
    """(text before the rows, the row)"""
    passed = [re.sub(r"\b(fft::)?Norm$", "optional<std::string_view>", kind) for kind in forms.types(op.parameters)]
    signature = f"{op.result}({', '.join(passed)})"
    function, before = f"&{op.function}", ""
    if op.is_method or op.is_wrapped:
        named = [f"{t} a{i}" for i, t in enumerate(passed)]
        passed_on = [f"a{i}" for i in range(len(passed))]
        call = f"a0.{op.function}({', '.join(passed_on[1:])})" if op.is_method else f"{op.function}({', '.join(passed_on)})"
        before = f"static {op.result} call_{number}({', '.join(named)}) {{ return {call}; }}\n"
        function = f"&call_{number}"
    made = f'make_row<{signature}, {function}>(\n    "{op.name}", "{schema}", {bits}, {linear_in})'
    if op.is_forward:
        return f"{before}static constexpr OpInfo row_{number} = {made};\n", f"row_{number}"
    at = f'OpAt<"{op.name}", {", ".join(op.types)}>::row' if op.types else f'OpAt<"{op.name}">::row'
    return f"{before}template <>\nconstinit const OpInfo {at} = {made};\n", at


def schemas(sections, ops):
    """{key: schema} of all ops."""
    of_name = collections.defaultdict(list)
    only_here = {text: number for number, text in sections["only here"]}
    for number, text in sections["schemas"]:
        of_name[re.match(r"\w+", text).group()].append((number, text, kinds_of_schema(text)))
    exact = {number for op in ops.values() for number, text, kinds in of_name[op.base]
             if bool(outs(op)) == is_out_schema(text) and fits(kinds, op) == 0}
    found, used, places = {}, set(), collections.Counter()
    for key, op in ops.items():
        written = f"{op.name}({', '.join(op.types)})"
        if written in only_here:
            used.add(only_here[written])
            overload = overload_by_rule(op, ops)
            places[op.base, overload] += 1
            if places[op.base, overload] > 1:
                overload += f"_{places[op.base, overload]}" if overload else str(places[op.base, overload])
            found[key] = schema_by_rule(op, overload, "taper")
            continue
        is_out = bool(outs(op))
        choice = [(fits(kinds, op), number, text) for number, text, kinds in of_name[op.base] if is_out == is_out_schema(text)]
        choice = sorted(c for c in choice if c[0] is not None)
        if choice and not (choice[0][0] and choice[0][1] in exact):
            used.add(choice[0][1])
            found[key] = "aten::" + choice[0][2]
        else:
            found[key] = schema_by_rule(op, overload_by_rule(op, ops))
    for number, text in sections["schemas"] + sections["only here"]:
        if number not in used:
            raise ListError(number, f"no declaration fits '{text}'")
    return found


def table(text=None, texts=None):
    """(text of op_table.inc, files that were read)"""
    sections = listed(LIST.read_text() if text is None else text)
    texts = sources(sections) if texts is None else texts
    ops = all_ops(sections, texts)
    listed_ops = re.findall(r"X\((\w+), \w+\)", OP_LISTS.read_text())
    sets = {s: names(sections, s) for s in ("pointwise", "view", "composite", "random")}
    sets["pointwise"].update(listed_ops)
    linear = {kind: dict(word.split(":") for word in names(sections, kind)) for kind in ("linear", "bilinear")}
    known = {op.base.rstrip("_") for op in ops.values()} | {op.base for op in ops.values()}
    for section in (*sets, *linear):
        for number, word in sections[section]:
            if word.partition(":")[0] not in known:
                raise ListError(number, f"expected the name of an op, got '{word}'")
    made, rows, of = [], [], schemas(sections, ops)
    for number, key in enumerate(sorted(ops)):
        op = ops[key]
        row_text, at = row(op, number, of[key].replace('"', '\\"'), *traits(op, sets, linear))
        made.append(row_text)
        rows.append(f"    &{at},")
    text = "\n".join(["// Generated by cmake/op_table.py.", *made, "static constexpr const OpInfo* kRows[] = {", *rows, "};", ""])
    return text, [str(LIST), str(OP_LISTS), *(str(ROOT / path) for path in texts)]
