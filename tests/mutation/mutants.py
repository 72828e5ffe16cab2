"""Finds the single faults that can be planted in a C++ source.

A fault replaces a piece of one line. Comments, strings, preprocessor lines and lines without code get none.
"""
import re
from collections import namedtuple

# A fault of a kind: text[begin:end] becomes `new`. Lines count from 1.
Fault = namedtuple("Fault", "path line kind begin end old new")

# Each operator and its replacements, the longest first.
OPERATORS = {"<=": "<", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "*=": "/=",
             "<": "<=", ">": ">=", "+": "-", "-": "+", "*": "/", "/": "*"}
COMPARISONS = {"<=", ">=", "==", "!=", "<", ">"}
# Operators stand between spaces, unlike signs, pointers, references and brackets of templates.
OPERATOR = re.compile(r"(?<=[\w)\]] )(<=|>=|==|!=|&&|\|\||\+=|-=|\*=|[<>+\-*/])(?= [\w(!~\-\"'*&:{])")
# A term or factor: a name, number, member or call without nested brackets.
TERM = re.compile(r"(?<=[\w)\]]) [+*\-] (?=([\w:.]+(?:->[\w.]+)*(?:\([^()]*\)|\[[^\[\]]*\])?)[;,)])")
CONDITION = re.compile(r"\b(?:if|while) (?:constexpr )?\(")
NUMBER = re.compile(r"(?<![\w.\"'])(\d+(?:\.\d+)?(?:e-?\d+)?)(?=f?\b)(?![\w.]*[\"'x])")
CHAINED = re.compile(r"\.(?:contiguous|clone|detach|masked_fill|reshape|expand|expand_as|conj)\(")
CALL = re.compile(r"^[ \t]*((?:[\w:]+(?:\(\))?(?:\.|->))*([\w:]+)(?:<[\w:, ]*>)?)\(", re.MULTILINE)
DROPPED_CALLS = [
    ("check", re.compile(r"(TAPER_CHECK\w*|(?:\w+::)*(?:check|assert|require)_\w+|check)$")),
    ("version", re.compile(r"(?:\w+::)*(?:bump_version|mark_changed)$")),
    ("wait", re.compile(r"(?:\w+::)*(?:wait\w*|synchronize\w*|record_stream|join|record)$")),
    ("statement", re.compile(r"(?:\w+::)*(?:[a-z]\w*_|reset|clear|erase|push_back|insert|store|fetch_add|swap|sort|resize|set_\w+|add_\w+)$")),
]


def blanked(text):
    """The text, of the same length, without comments, strings, raw strings and preprocessor lines."""
    pattern = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
    text = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    directive = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
    return directive.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def end_of_bracket(code, begin):
    """The position behind the bracket that closes the one at `begin`, or -1."""
    depth = 0
    for i in range(begin, len(code)):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if depth == 0:
            return i + 1
    return -1


def is_declaration(line):
    """Whether a line declares a template, a type or a function, in which < and * are no operators."""
    return re.match(r"\s*(template|using|typedef|class|struct|enum|namespace|friend|requires|static_assert|#)\b", line) is not None


def line_of(code, at):
    begin = code.rfind("\n", 0, at) + 1
    end = code.find("\n", at)
    return code[begin:end if end >= 0 else len(code)]


def replaced_operators(code):
    for m in OPERATOR.finditer(code):
        line = line_of(code, m.start())
        if not is_declaration(line) and "operator" not in line:
            yield "bound" if m.group() in COMPARISONS else "operator", m.start(), m.end(), OPERATORS[m.group()]


def dropped_terms(code):
    for m in TERM.finditer(code):
        if not is_declaration(line_of(code, m.start())):
            yield "term", m.start(), m.end(1), ""


def forced_conditions(code):
    for m in CONDITION.finditer(code):
        begin, end = m.end() - 1, end_of_bracket(code, m.end() - 1)
        condition = code[begin + 1:end - 1]
        declares = ";" in condition or re.match(r"\s*(?:const )?[\w:]+(?:<[^=]*>)?[&*]* ?[&*]?\w+ = ", condition)
        if end < 0 or declares or "constexpr" in m.group():
            continue
        yield "condition", begin, end, "(false && (%s))" % condition
        if not m.group().startswith("while"):
            yield "condition", begin, end, "(true || (%s))" % condition


def other_number(text):
    if re.fullmatch(r"\d+", text):
        return str(int(text) + 1) if len(text) < 18 else None
    return "(2 * %s)" % text if float(text) else None


def other_constants(code):
    for m in NUMBER.finditer(code):
        new = other_number(m.group(1))
        before = code[max(0, m.start() - 40):m.start()]
        if new and not is_declaration(line_of(code, m.start())) and not re.search(r"(<|get<|\boperator|case )$", before):
            yield "constant", m.start(1), m.end(1), new


def dropped_members(code):
    for m in CHAINED.finditer(code):
        end = end_of_bracket(code, m.end() - 1)
        if end > 0:
            yield m.group()[1:-1], m.start(), end, ""


def dropped_calls(code):
    """Whole statements: checks, counts of versions, waits and other calls whose value is not used."""
    for m in CALL.finditer(code):
        end = end_of_bracket(code, m.end() - 1)
        before = code[:m.start(1)].rstrip()
        if end < 0 or code[end:end + 1] != ";" or (before and before[-1] not in ";{})"):
            continue
        for kind, name in DROPPED_CALLS:
            if name.match(m.group(2)):
                yield kind, m.start(1), end, "(void)0"
                break


def flipped_results(code):
    for m in re.finditer(r"\breturn (true|false);", code):
        yield "result", m.start(1), m.end(1), "false" if m.group(1) == "true" else "true"


FINDERS = [replaced_operators, dropped_terms, forced_conditions, other_constants, dropped_members, dropped_calls, flipped_results]


def faults_of(path, text):
    """All faults of a source, in the order of its text."""
    code = blanked(text)
    found = []
    for finder in FINDERS:
        for kind, begin, end, new in finder(code):
            if end > begin:
                # Text in brackets keeps its strings.
                kept = text[begin:end]
                new = new.replace(code[begin + 1:end - 1], kept[1:-1]) if kind == "condition" else new
                found.append(Fault(path, code.count("\n", 0, begin) + 1, kind, begin, end, kept, new))
    return sorted(found, key=lambda f: (f.begin, f.end, f.new))


def planted(text, fault):
    """The source's text with the fault."""
    if text[fault.begin:fault.end] != fault.old:
        raise ValueError("%s:%d: expected '%s', got '%s'; the source has changed" %
                         (fault.path, fault.line, fault.old, text[fault.begin:fault.end]))
    return text[:fault.begin] + fault.new + text[fault.end:]


def sample(faults, count, draw):
    """`count` faults at different lines: each line has one chance, and so has each kind on it."""
    by_line = {}
    for f in faults:
        by_line.setdefault((f.path, f.line), []).append(f)
    lines = sorted(by_line)
    draw.shuffle(lines)
    chosen = []
    for line in lines[:count]:
        kinds = sorted({f.kind for f in by_line[line]})
        kind = draw.choice(kinds)
        chosen.append(draw.choice([f for f in by_line[line] if f.kind == kind]))
    return chosen
