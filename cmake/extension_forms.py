"""The forms of LibTorch's functions that follow by rule from declarations: NAME_out, NAME_outf, _foreach_NAME, names as
special_NAME, and factories with dtype, layout, device and pin_memory one by one. extension_forms.txt says which get the first three.
cmake/generated_headers.py writes the headers."""
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "cmake" / "extension_forms.txt"
# Headers of kernels declare no functions of users.
INTERNAL = re.compile(r"(_kernels|_functors|_cuda)\.h$")
# PyTorch has no `out` form of it.
LISTS_WITHOUT = {"_foreach_mm"}
# PyTorch has them without the last argument, too.
SHORTER = {"rand_out", "randn_out", "randperm_out", "range_out"}
GENERATOR = r"template <class G, class = detail::IsGenerator<G>> "
PACKED = ["optional<ScalarType> dtype", "optional<Layout> layout", "optional<Device> device", "optional<bool> pin_memory"]
COLUMNS = 100
# Namespaces of torch::taper whose functions have longer names, too.
SPACES = ("special", "linalg", "fft")

Function = collections.namedtuple("Function", "result name parameters header")
Row = collections.namedtuple("Row", "number name parameters results")


class ListError(Exception):
    """A row that cannot be followed."""

    def __init__(self, number, message):
        super().__init__(f"{LIST.name}:{number}: {message}")


# ---------------------------------------------------------------- declarations

def split(parameters):
    """The parameters of a list, cut at the commas that stand in no brackets."""
    parts, depth = [""], 0
    for c in parameters:
        depth += (c in "<({") - (c in ">)}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


def parameter(text):
    """(declaration without its default, its name)"""
    declared = text.partition("=")[0].strip()
    return declared, re.search(r"(\w+)$", declared).group(1)


def types(parameters):
    return [re.sub(r"\s*\w+$", "", parameter(p)[0]) for p in parameters]


def statements(text):
    """[(scopes, statement, whether a body follows)] of a header."""
    text = re.sub(r"/\*(\w+)\*/", r"\1", text)  # names of parameters that are not read
    text = re.sub(r"//.*", "", re.sub(r"(?m)^\s*#.*(\\\n.*)*$", "", text))
    found, scopes, begun, brackets, at = [], [], "", 0, 0
    for match in re.finditer(r"[(){};]", text):
        c = match.group()
        begun += text[at:match.start()]
        at = match.end()
        brackets += (c == "(") - (c == ")")
        if c in "()" or brackets:
            begun += c
            continue
        statement, begun = " ".join(begun.split()), ""
        if c == "}" and scopes:
            scopes.pop()
        else:
            found.append((tuple(scopes), statement, c == "{"))
        if c == "{":
            scopes.append(statement)
    return found


def functions(text, header, space="torch::taper"):
    """The functions that a header declares in a namespace itself. A template of a generator's type counts as a function of
    optional<Generator>."""
    found = [s for scopes, s, _ in statements(text) if "::".join(scopes).replace("namespace ", "") == space]
    matches = (re.fullmatch(rf"({GENERATOR})?(?:inline )?([\w:<>&, ]+?)\s(\w+)\((.*)\)", f) for f in found)
    return [Function(m.group(2), m.group(3),
                     split(m.group(4).replace("const G& ", "optional<Generator> ") if m.group(1) else m.group(4)), header)
            for m in matches if m]


def declarations(sources):
    """The functions of ops/ and of the headers of extension/ that are kept."""
    return [f for header, text in sources.items() for f in functions(text, header)]


def source_headers():
    """{header: text} of what is read, in the order of the names."""
    paths = sorted(ROOT.glob("ops/**/*.h"))
    paths = [p for p in paths if not INTERNAL.search(p.name)]
    paths += [ROOT / "extension" / name for name in ("overloads.h", "foreach.h", "out_forms.h")]
    return {str(p.relative_to(ROOT)): p.read_text() for p in paths}


def is_callable_by_users(function):
    """False for overloads that take internal types, literals or memory of others."""
    return not any(re.search(r"\bdetail::|\*|std::function", p) for p in function.parameters)


def options_at(parameters):
    """The index of the TensorOptions, or None."""
    return next((i for i, p in enumerate(parameters) if re.match(r"(const )?TensorOptions\b", p)), None)


def without_options(parameters):
    at = options_at(parameters)
    return parameters if at is None else parameters[:at] + parameters[at + 1:]


# ---------------------------------------------------------------- the list

def rows(text):
    """{section: [Row]}: a line has names, or one name with parameters, with names of results, or both."""
    sections, section = collections.defaultdict(list), None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        if line.startswith("["):
            section = sections[line.strip("[]")]
            continue
        one = re.fullmatch(r"(\w+)\s*(?:\((.*)\))?\s*(?:->\s*(.*))?", line)
        if one:
            listed = [Row(number, one.group(1), None if one.group(2) is None else split(one.group(2)), split(one.group(3) or ""))]
        else:
            listed = [Row(number, name, None, []) for name in line.split()]
        for row in listed:
            if not re.fullmatch(r"\w+", row.name):
                raise ListError(row.number, f"expected names of functions, or a name with its parameters, got '{line}'")
            if any(row[1:3] == other[1:3] for other in section):
                raise ListError(row.number, f"'{row.name}' stands in the list twice")
            section.append(row)
    return sections


# ---------------------------------------------------------------- text of headers

def wrapped(head, parameters, body):
    """A definition in lines of at most 100 columns."""
    one = f"inline {head}({', '.join(parameters)}) {{"
    if len(one) + len(body) + 3 <= COLUMNS:
        return [f"{one} {body} }}"]
    lines, indent = [f"inline {head}("], " " * len(f"inline {head}(")
    for i, p in enumerate(parameters):
        piece = p + ("," if i + 1 < len(parameters) else ") {")
        if i and len(lines[-1]) + 1 + len(piece) > COLUMNS:
            lines.append(indent + piece)
        else:
            lines[-1] += (" " if i else "") + piece
    for statement in body.split("\n"):
        call, indent = "  " + statement, " " * (statement.index("(") + 3)
        while len(call) > COLUMNS and ", " in call[len(indent):COLUMNS]:
            cut = call.rindex(", ", 0, COLUMNS) + 1
            lines.append(call[:cut])
            call = indent + call[cut + 1:]
        lines.append(call)
    return lines + ["}"]


def header(about, includes, lines):
    return "\n".join([
        *(f"// {line}" for line in about), "// Generated by cmake/extension_forms.py.", "#pragma once", "",
        *(f"#include <taper/{path}>" for path in includes), "", "#pragma GCC visibility push(default)", "",
        "namespace torch::taper {", "", *lines, "", "}  // namespace torch::taper", "", "#pragma GCC visibility pop", ""])


# ---------------------------------------------------------------- _foreach_NAME

def foreach_form(op, name, parameters):
    """Both forms of a function of lists. foreach_make takes its operands by their kinds: two lists, numbers, a number, a tensor."""
    operands, kinds, of = [None] * 5, types(parameters), []
    for kind, p in zip(kinds, parameters):
        at = {"TensorList": 0, "ArrayRef<Scalar>": 2, "const Scalar&": 3, "const Tensor&": 4}[kind]
        if kind == "TensorList" and operands[0]:
            at = 1
        operands[at] = "&" + parameter(p)[1]
        of.append(f"`{parameter(p)[1]}`")
    while operands and operands[-1] is None:
        operands.pop()
    given = "".join([f", {{{', '.join(o or 'nullptr' for o in operands)}}}"] if operands else [])
    about = f"Applies {op}() to each tensor of `self`" + (f", with {' and '.join([', '.join(of[:-1])] * (len(of) > 1) + of[-1:])}" if of else "")
    if "TensorList" in kinds or "ArrayRef<Scalar>" in kinds:
        about += ", of which lists have one element for each tensor"
    all_parameters = ["TensorList self", *parameters]
    return [f"/// {about}.",
            *wrapped(f"std::vector<Tensor> _foreach_{name}", all_parameters, f'return detail::foreach_make("{op}", self{given});'),
            f"/// {about}, in place.",
            *wrapped(f"void _foreach_{name}_", all_parameters, f'detail::foreach_change("{op}", self{given});')]


def foreach_forms(listed, declared):
    names, lines = {f.name for f in declared}, []
    for row in listed:
        if row.name not in names:
            raise ListError(row.number, f"expected the name of a function that a header of ops/ declares, got '{row.name}'")
        for name in [row.name, *row.results]:
            lines += foreach_form(row.name, name, row.parameters or [])
    return lines


def foreach_out_forms(of_lists):
    lines = []
    for result, name, parameters, _ in of_lists:
        if (result != "std::vector<Tensor>" or not name.startswith("_foreach_") or
                name in LISTS_WITHOUT or not parameters[0].startswith("TensorList ")):
            continue
        names = [parameter(p)[1] for p in parameters]
        lists = ", ".join(parameter(p)[1] for p in parameters if p.startswith("TensorList "))
        call = f'detail::store_foreach("{name}", out, {{{lists}}}, [&] {{ return {name}({", ".join(names)}); }});'
        lines += [f"/// Computes {name}() and stores the results in the tensors of `out`."]
        lines += wrapped(f"void {name}_out", ["TensorList out", *parameters], call)
    return lines


# ---------------------------------------------------------------- NAME_out

def out_form(function, parameters, results):
    """The `out` form of a declared function, with the parameters and the names of results given."""
    names = [parameter(p)[1] for p in parameters]
    inputs = "{" + ", ".join(parameter(p)[1] for p in parameters if p.startswith("const Tensor& ")) + "}"
    at = options_at(function.parameters)
    if at is not None:
        like = any("MemoryFormat" in p for p in function.parameters)
        names.insert(at, "TensorOptions()" if like else "detail::options_of_result(out)")
    call, name = f"{function.name}({', '.join(names)})", f'"{function.name}"'
    outs = ", ".join(results)
    scope = f"const detail::OutScope scope({name}, {{{outs}}}, {inputs});\n"
    heads = [*(f"Tensor& {r}" for r in results), *parameters]
    if function.result == "Tensor":
        return [f"/// Computes {function.name}() and stores the result in `out`.",
                *wrapped(f"Tensor& {function.name}_out", heads, f"{scope}return store_out({name}, {outs}, {call}, {inputs});")]
    result = f"std::tuple<{', '.join(['Tensor&'] * len(results))}>"
    return [f"/// Computes {function.name}() and stores the results in the first {len(results)} arguments.",
            *wrapped(f"{result} {function.name}_out", heads,
                     f"{scope}return detail::store_results({name}, std::tie({outs}), {call}, {inputs});")]


def inputs_of_out(function):
    outs = [p for p in function.parameters if p.startswith("Tensor& ")]
    return types(function.parameters[len(outs):])


def out_forms(listed, declared):
    """(lines, headers of the functions)"""
    by_name = collections.defaultdict(list)
    for f in declared:
        by_name[f.name].append(f)
    lines, headers, made = [], set(), set()
    for row in listed:
        there = [inputs_of_out(f) for f in by_name[f"{row.name}_out"]]
        found = [f for f in by_name[row.name] if is_callable_by_users(f) and (f.result == "Tensor" or f.result.startswith("std::tuple<"))]
        if not found:
            raise ListError(row.number, f"expected the name of a function that a header of ops/ declares, got '{row.name}'")
        if row.parameters is not None:
            found = [f for f in found if types(without_options(f.parameters)) == types(row.parameters)]
            if not found:
                raise ListError(row.number, f"no header of ops/ declares '{row.name}' with these types of parameters")
        found = [f for f in found if types(without_options(f.parameters)) not in there]
        if not found:
            raise ListError(row.number, f"every overload of '{row.name}' has an `out` form already")
        for f in found:
            form = (f.name, *types(without_options(f.parameters)))
            if form in made:
                raise ListError(row.number, f"'{row.name}' gets this `out` form by another row already")
            made.add(form)
            count = 1 if f.result == "Tensor" else len(split(f.result[len("std::tuple<"):-1]))
            results = row.results or (["out"] if f.result == "Tensor" else [f"out{i}" for i in range(count)])
            if len(results) != count:
                raise ListError(row.number, f"expected {count} names of results for '{row.name}', got {len(results)}")
            lines += out_form(f, row.parameters or without_options(f.parameters), results)
            headers.add(f.header)
    return lines, sorted(headers)


# ---------------------------------------------------------------- NAME_outf

def outf_forms(declared):
    """(lines, headers of the functions): NAME_outf has the results last, and no default values."""
    lines, headers = [], set()
    for result, name, parameters, path in declared:
        if not name.endswith("_out"):
            continue
        outs = [p for p in parameters if re.match(r"Tensor& ", p)]
        if result == "void":
            outs = parameters[:1]
        if not outs or parameters[:len(outs)] != outs:
            continue
        headers.add(path)
        for some in [parameters] + [parameters[:-1]] * (name in SHORTER):
            moved = [parameter(p)[0] for p in some[len(outs):] + outs]
            call = f"{name}({', '.join(parameter(p)[1] for p in some)});"
            lines += wrapped(f"{result} {name}f", moved, call if result == "void" else "return " + call)
    return lines, sorted(headers)


# ---------------------------------------------------------------- factories

def unpacked_forms(declared):
    """(lines, headers of the functions): factories with dtype, layout, device and pin_memory in place of TensorOptions."""
    lines, headers = [], set()
    for f in declared:
        at = options_at(f.parameters)
        if at is None or f.result != "Tensor" or not is_callable_by_users(f):
            continue
        given = [parameter(p)[0] for p in f.parameters]
        names = [parameter(p)[1] for p in f.parameters]
        names[at] = "detail::packed(dtype, layout, device, pin_memory)"
        lines += [f"/// Makes a tensor as {f.name}() does with TensorOptions."]
        lines += wrapped(f"Tensor {f.name}", given[:at] + PACKED + given[at + 1:], f"return {f.name}({', '.join(names)});")
        headers.add(f.header)
    return lines, sorted(headers)


# ---------------------------------------------------------------- special_NAME, linalg_NAME, fft_NAME

def longer_names(space, sources, declared):
    """(lines, headers of the functions): the functions of a namespace by the names that begin with it, but for names that a header
    declares."""
    there = {f.name for f in declared}
    lines, headers = [], []
    for header, text in sources.items():
        own_types = "|".join(re.findall(r"using (\w+) =", text)) or "(?!)"
        for result, name, parameters, _ in functions(text, header, f"torch::taper::{space}"):
            parameters = [re.sub(rf"^({own_types})\b", rf"{space}::\1", p) for p in parameters]
            if f"{space}_{name}" in there:
                continue
            call = f"return {space}::{name}({', '.join(parameter(p)[1] for p in parameters)});"
            lines += wrapped(f"{result} {space}_{name}", parameters, call)
            headers += [header] * (header not in headers)
    return lines, headers


# ---------------------------------------------------------------- all

def headers(text=None, sources=None):
    """{path of a header: text}, and the files that were read."""
    sources = sources or source_headers()
    listed = rows(LIST.read_text() if text is None else text)
    declared = declarations(sources)
    made = {}

    def write(name, about, includes, lines):
        made[f"taper/generated/{name}"] = header(about, includes, lines)
        return functions(made[f"taper/generated/{name}"], f"generated/{name}")

    for space in SPACES:
        lines, includes = longer_names(space, sources, declared)
        declared += write(f"{space}_names.h", [f"The functions of torch.{space} by LibTorch's longer names, torch::{space}_..."], includes,
                          [f"/// Calls the function of torch.{space} that the rest of the name says. `{space}_NAME` is {space}::NAME, whose",
                           "/// comment gives shapes, dtypes and errors. A name that ends in _out writes into `out`, which is resized.",
                           "///@{", *lines, "///@}"])
    of_lists = write("foreach.h",
                     ["LibTorch's _foreach_NAME: one op for all tensors of a list, in the few launches that ops/shared/foreach.h",
                      "describes. Those that end in _ change the tensors of `self`. The others have PyTorch's gradients."],
                     ["ops/shared/foreach.h"], foreach_forms(listed["foreach"], declared))
    by_hand = [f for f in declared if f.header == "extension/foreach.h"]
    of_lists = write("foreach_out.h", ["The `out` forms of LibTorch's functions of lists: on devices one launch stores all results."],
                     ["extension/foreach.h", "extension/store_results.h"], foreach_out_forms(of_lists + by_hand))
    lines, includes = out_forms(listed["out"], declared)
    outs = write("out_forms.h", ["The `out` forms of functions whose own headers have none: the result is computed, checked and copied to",
                                 "the tensor of the caller, by the rules of ops/shared/out.h."],
                 ["extension/store_results.h", *includes], lines)
    lines, includes = outf_forms(declared + outs + of_lists)
    write("outf_forms.h", ["The `out` forms with the results last, as LibTorch's NAME_outf have them."], includes,
          ["/// Computes as NAME_out does, with the results last and without default values.", "///@{", *lines, "///@}"])
    lines, includes = unpacked_forms(declared)
    write("unpacked_options.h", ["Factories that take dtype, layout, device and pin_memory one by one, as those of LibTorch do: for kernels",
                                 "of a program that get their arguments so."], includes, lines)
    return made, [str(LIST), *(str(ROOT / path) for path in sources)]
