"""Formulas that stand as plain text in comments, as HTML: "Returns e^x - 1, accurately near 0." has the formula e^x - 1."""
import html
import re

TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?(?:e-?\d+)?|[A-Za-z]\w*?_\{[^}]*\}|[A-Za-z]\w*'?|_\w\b|\.\.\.|<=|>=|!=|==|\*\*|[-+*/^=<>|(),\[\]'])")
KNOWN = set("""exp log sqrt max min sum mean floor trunc sin cos tan tanh abs erf pi inf prod sign round prob alpha beta gamma eps delta
lambda weight bias value momentum scale other input target out self margin lambd negative_slope upper lower std var dot clamp sigmoid Phi
relu softplus norm numel lgamma atan2 sinh cosh asinh acosh log1p expm1 threshold power""".split())
JOINING = {"if", "else", "or", "and", "is"}
# Behind a formula: the sentence ends, or goes on with what the formula applies to. Anything else means that it was not read to its end.
END = re.compile(r"\s*([.:;]( |$)|$|,(?! (or|and)\b(?! with))|(along|over|for|without|in|where|elementwise|up|from|on|as)\b|(?<= )\()")
OPENING = re.compile(r"\b(?:Returns|Computes|Applies|Multiplies|Adds)(?: [^:.(]*:)? |: |output size is ")


def is_word(token):
    """Whether a token can stand in a formula."""
    name = token.rstrip("'").partition("_")[0]
    return not token[0].isalpha() or len(name) <= 2 and name not in ("of", "is", "to", "as", "in", "or", "by", "on", "an", "at", "it", "if", "be", "no", "so") \
        or name in KNOWN or token in KNOWN or token in JOINING


def balanced(tokens):
    """The longest beginning whose brackets match, without an operator at its end."""
    depth, best = 0, 0
    for at, token in enumerate(tokens, 1):
        depth += (token in ("(", "[")) - (token in (")", "]"))
        if depth < 0:
            break
        if depth == 0 and token not in "+-*/^=<>,|" and token not in JOINING or token == "|" and tokens[:at].count("|") % 2 == 0:
            best = at
    return best


def leading(text, names):
    """The tokens of the formula that a text begins with; none if it goes on in another way."""
    tokens, ends, at = [], [0], 0
    while match := TOKEN.match(text, at):
        if not (is_word(match[1]) or match[1] in names):
            break
        tokens.append(match[1])
        at = match.end()
        ends.append(at)
    size = balanced(tokens)
    return tokens[:size] if END.match(text, ends[size]) else []


def outside(tokens):
    """The tokens outside of all brackets."""
    depth, found = 0, []
    for token in tokens:
        depth -= token in (")", "]")
        found += [token] if depth == 0 else []
        depth += token in ("(", "[")
    return found


def is_formula(tokens):
    """Whether tokens say more than a name: an operation or a call. Lists, sizes in brackets and f() are no formulas."""
    pairs, top = list(zip(tokens, tokens[1:])), outside(tokens)
    if ("(", ")") in pairs or top == ["(", ")"] or "," in top and "if" not in top:
        return False
    operations = sum(t in ("+", "-", "*", "/", "^", "=", "<", ">", "<=", ">=", "|") for t in tokens)
    calls = any(a.isalpha() and b == "(" for a, b in pairs)
    return len(tokens) >= 3 and (operations > 0 or calls) and tokens[0] not in (")", ",", "=")


def find(text, names=()):
    """The tokens of a comment's formula; none without one."""
    for match in OPENING.finditer(text):
        tokens = leading(text[match.end():], names)
        if is_formula(tokens):
            return tokens
    return []


def operand(tokens, at):
    """The end of what an exponent is: a bracket with its contents, or a sign and a token, or a call."""
    end = at + (tokens[at] == "-")
    if tokens[end:end + 1] == ["("] or tokens[end + 1:end + 2] == ["("] and tokens[end].isalpha():
        depth = 0
        for k in range(end, len(tokens)):
            depth += (tokens[k] == "(") - (tokens[k] == ")")
            if depth == 0 and tokens[k] == ")":
                return k + 1
    return end + 1


SIGNS = {"*": " · ", "-": " − ", "+": " + ", "/": " / ", "=": " = ", "<=": " ≤ ", ">=": " ≥ ", "!=": " ≠ ", "==": " = ", ",": ", ",
         "<": " < ", ">": " > ", "or": " or ", "and": " and ", "is": " is ", "...": "…", "if": " if ", "else": " else ", "pi": "π", "alpha": "α", "beta": "β",
         "gamma": "γ", "eps": "ε", "sum": "Σ", "prod": "Π", "sqrt": "√", "lambda": "λ", "delta": "δ", "inf": "∞", "Phi": "Φ"}


def name(token):
    """A name with its index: y_i, sum_j."""
    head, _, index = token.partition("_")
    shown = html.escape(SIGNS.get(head, head))
    shown = shown if head in SIGNS or not head.isalpha() or len(head) > 2 else f"<i>{shown}</i>"
    index = index.strip("{}") if index.startswith("{") else index if len(index) <= 2 else ""
    if index:
        return f"{shown}<sub>{html.escape(index)}</sub>"
    return html.escape(token) if "_" in token else shown


def needs_space(before, token):
    """Between factors that stand side by side: x W."""
    return before and (before[-1].isalnum() or before in (")", "'")) and (token[0].isalnum() or token == "(" and before.isdigit())


def markup(tokens):
    """HTML of a formula."""
    out, at = [], 0
    while at < len(tokens):
        token, before = tokens[at], tokens[at - 1] if at else ""
        if token == "^" and at + 1 < len(tokens):
            end = operand(tokens, at + 1)
            inner = tokens[at + 1:end]
            out.append(f"<sup>{markup(inner[1:-1] if inner[0] == '(' else inner)}</sup>")
            at = end
            continue
        if token[0] == "_":
            out.append(f"<sub>{token[1:]}</sub>")
        elif token == "-" and (not before or before in "(,=^*/<>[" or before in JOINING):
            out.append("−")
        elif token in SIGNS or token[0].isalpha():
            out.append((" " if needs_space(before, token) and token not in SIGNS else "") + (SIGNS[token] if token in SIGNS else name(token)))
        else:
            out.append((" " if needs_space(before, token) else "") + html.escape(token))
        at += 1
    return "".join(out).replace("  ", " ").strip()
