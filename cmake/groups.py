#!/usr/bin/env python3
"""Puts sources together that may be compiled as one.

    groups.py LIST FOLDER LINES

LIST names a source a line: what it is compiled with, a tab, the path, a tab, and how a group includes it. Writes into FOLDER a
file for each group, and prints its path and its sources, with commas between. Sources of a group lie in one folder, are compiled alike, and mean
the same together as apart: no name that is local to one of them (of an unnamed namespace, static, a constant, an alias, a
macro) stands in one behind it, what they open by `using namespace` is equal, and headers that one does not include
declare nothing that it takes from elsewhere. Headers come before all sources, so that none is read after a local name. A
group has at most LINES lines; a longer source, or one without company, stays as it is.
"""
import functools
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
INCLUDE = re.compile(r"^#include (<[^>\n]*>|\"[^\"\n]*\")", re.M)
SPACE = "namespace "
TOKENS = re.compile(r"[A-Za-z_]\w*|\.\.\.|->|::|[^\s\w]|\d[\w.']*")
OPEN, CLOSE = "({[", ")}]"


def plain(text):
    """The text without comments, and with empty strings."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\''
    return re.sub(pattern, lambda m: " " if m.group(0)[0] == "/" else '""', text, flags=re.S)


def end_of(tokens, i):
    """Behind the bracket that closes the one at i."""
    depth = 0
    while i < len(tokens):
        depth += (tokens[i] in OPEN) - (tokens[i] in CLOSE)
        i += 1
        if depth == 0:
            break
    return i


def is_macro(tokens):
    """Whether a call of a macro begins here: TEST(A, b), __attribute__((weak))."""
    return tokens[1:2] == ["("] and (tokens[0].isupper() or tokens[0] in ("__attribute__", "alignas"))


def without_template(tokens):
    """A declaration without template<...>, attributes and macros before it."""
    while tokens:
        if tokens[0] == "template":
            depth, i = 0, 1
            while i < len(tokens):
                depth += (tokens[i] == "<") - (tokens[i] == ">")
                i += 1
                if depth == 0:
                    break
        elif tokens[:2] == ["[", "["]:
            i = end_of(tokens, 0)
        elif is_macro(tokens) and end_of(tokens, 1) < len(tokens):
            i = end_of(tokens, 1)
        else:
            break
        tokens = tokens[i:]
    return tokens


def is_word(token):
    return re.match(r"[A-Za-z_]", token) is not None


def declared(head, body):
    """The names that a declaration at the level of a namespace gives: what stands before its braces, and in them."""
    head = without_template(head)
    if not head or head[0] in ("friend", "static_assert", "extern"):
        return []
    if head[0] == "using":
        return [] if head[1:2] == ["namespace"] else [head[1] if "=" in head else head[-1]]
    if head[0] == "typedef":
        return [head[-1]]
    kinds = [k for k in ("struct", "class", "union", "enum") if k in head[:2]]
    if kinds:
        names = [t for t in head[1:] if is_word(t) and t not in ("struct", "class", "final", "alignas")]
        if kinds[0] == "enum" and head[1:2] != ["class"]:
            names = names[:1] + [t for p, t in zip(["{", *body], body) if is_word(t) and p in "{,"]
        else:
            names = names[:1]
        return names
    if "operator" in head:
        return ["operator"]
    if is_macro(head):  # TEST(A, b) makes a name of both; others have theirs from the first argument
        return head[2:3] if head[0] in ("TAPER_MODULE", "RANK_PROGRAM") else ["".join(head[:5])]
    depth = 0
    for i, token in enumerate(head):
        depth += (token == "<") - (token == ">")
        if depth == 0 and token in "(=[":
            return [head[i - 1]] if i and is_word(head[i - 1]) else []
    return [head[-1]] if is_word(head[-1]) else []


def local_names(tokens, unnamed=False, inside=""):
    """What is declared at the level of a namespace and (but in unnamed ones) has no linkage, each with its alias or None,
    and the namespaces: by names like ::taper::nn."""
    found, i = {}, 0
    while i < len(tokens):
        if tokens[i] == "namespace" or tokens[i:i + 2] == ["inline", "namespace"]:
            j = i
            while tokens[j] not in ("{", ";"):
                j += 1
            if tokens[j] == "{":
                end, space = end_of(tokens, j), inside
                for part in tokens[i + 1:j]:
                    if is_word(part) and part != "namespace":
                        space += "::" + part
                        found[SPACE + space] = None
                found.update(local_names(tokens[j + 1:end - 1], unnamed or j == i + 1, space))
                i = end
            else:  # an alias
                found[inside + "::" + tokens[i + 1]] = " ".join(tokens[i:j])
                i = j + 1
            continue
        head, body, j = [], [], i
        while j < len(tokens) and tokens[j] not in ("{", ";"):
            k = end_of(tokens, j) if tokens[j] in OPEN else j + 1
            head += tokens[j:k]
            j = k
        if j < len(tokens) and tokens[j] == "{":
            k = end_of(tokens, j)
            body = tokens[j + 1:k - 1]
            j = k
        else:
            j += 1
        own = without_template(head)
        if unnamed or is_macro(own) or own[:1] in (["using"], ["typedef"]) or {"static", "const", "constexpr"} & set(own[:2]):
            alias = " ".join(own) if own[:1] == ["using"] else None
            found.update((inside + "::" + name, alias) for name in declared(head, body))
        i = j
    return found


def bare(text):
    """The plain text without lines of the preprocessor."""
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\[\s\S])*", "", text, flags=re.M)


def last(name):
    return name.rsplit("::", 1)[-1]


def header_path(name, folder):
    """The file of an #include <...> or "..." of this project, or None."""
    if name.startswith("<taper/"):
        return os.path.join(ROOT, name[len("<taper/"):-1])
    places = [os.path.join(place, name[1:-1]) for place in (folder, os.path.join(ROOT, "tests"))]
    return next((p for p in places if name[0] == '"' and os.path.exists(p)), None)


@functools.lru_cache(maxsize=None)
def names_of_header(path):
    """What a header declares in its namespaces, and what it includes."""
    if not os.path.exists(path):
        return frozenset(), ()
    with open(path) as f:
        text = f.read()
    # (An .inc may be a part of a class.)
    inner = (header_path(h, os.path.dirname(path)) for h in INCLUDE.findall(text) if not h.endswith('.inc>'))
    return frozenset(local_names(TOKENS.findall(bare(plain(text))), True)), tuple(p for p in inner if p)


def names_of_headers(paths):
    """What these headers declare, and those that they include."""
    seen, left, names = set(), list(paths), set()
    while left:
        path = left.pop()
        if path not in seen:
            seen.add(path)
            declared_here, inner = names_of_header(path)
            names |= declared_here
            left += inner
    return names


class Source:
    def __init__(self, line):
        self.kind, self.path, self.include = line.rstrip("\n").split("\t")
        with open(self.path) as f:
            text = f.read()
        self.lines = text.count("\n")
        self.headers = self.read_headers(text)
        whole = plain(text)
        code = bare(whole)
        opens = tuple(sorted(re.findall(r"^using namespace [\w:]+", code, re.M)))
        found = local_names(TOKENS.findall(code))
        self.names = {last(n): alias for n, alias in found.items() if not n.startswith(SPACE)}
        self.names.update((m, None) for m in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", whole, re.M))
        tokens = TOKENS.findall(whole)
        included = (header_path(h, os.path.dirname(self.path)) for h in INCLUDE.findall(text))
        self.public = names_of_headers(p for p in included if p) | {n for n in found if n.startswith(SPACE)}
        # What a declaration in a namespace that is open here could change: local names and what stands before ::, and what is
        # called, but for taper itself, whose overloads are one interface.
        spaces = {n[len(SPACE):] for n in found if n.startswith(SPACE)} | {"::torch::taper::" + s.split()[-1] for s in opens} | {"::torch::taper"}
        asked = {n for n, alias in self.names.items() if not alias} | set(re.findall(r"(?<![\w:])(\w+)::", whole))
        calls = set(re.findall(r"(?<![\w.:>])(\w+)\(", whole))
        self.asked = {s + "::" + n for s in spaces for n in (asked if s in ("::torch", "::torch::taper") else asked | calls)}
        self.words = {t for before, t in zip([""] + tokens, tokens) if is_word(t) and before not in (".", "->", "::")}
        self.key = (os.path.dirname(self.path), self.kind, opens)
        # A pragma may reach to the end of the file, and a header may be read as macros before it say.
        self.apart = "operator" in self.names or re.search(
            r"^[ \t]*#[ \t]*pragma|^#define[^\0]*^#include <|^#include \"[^\n]*\.cpp\"", text, re.M) is not None

    def read_headers(self, text):
        """The headers that it includes in any case, as a file elsewhere includes them."""
        found = re.findall(r"^#include (<[^>.]*>|<[^>]*\.h(?:pp)?>|\"[^\"]*\.h\")", re.split(r"^[ \t]*#[ \t]*if", text, flags=re.M)[0], re.M)
        folder = os.path.dirname(self.path)
        beside = os.path.dirname(self.include[1:-1])
        ends = self.include[0] + self.include[-1]
        return [ends[0] + beside + "/" + h[1:-1] + ends[1] if h[0] == '"' and os.path.exists(os.path.join(folder, h[1:-1])) else h
                for h in found]

    def follows(self, other):
        """Whether it means the same behind the other one."""
        for name, alias in other.names.items():
            if name in self.names:
                if alias is None or alias != self.names[name]:
                    return False
            elif name in self.words and not re.match(r"using (:: )?testing ::", alias or ""):
                return False
        return True


def fits(source, group):
    """Whether it means the same behind the group, and headers of others declare nothing that one takes from elsewhere."""
    public = source.public.union(*(o.public for o in group))
    return all(source.follows(o) for o in group) and not any(
        n in o.asked or n.replace(SPACE, "") in o.asked for o in [source, *group] for n in public - o.public)


def groups_of(sources, lines):
    """Lists of sources; each goes to the first group that it fits into."""
    alike = {}
    for s in sources:
        if not s.apart and s.lines <= lines:
            alike.setdefault(s.key, []).append(s)
    groups = []
    for among in alike.values():
        first = len(groups)
        # Those whose names stand in most others go last.
        for s in sorted(among, key=lambda s: sum(not o.follows(s) for o in among)):
            for g in groups[first:]:
                if sum(o.lines for o in g) + s.lines <= lines and fits(s, g):
                    g.append(s)
                    break
            else:
                groups.append([s])
    return [g for g in groups if len(g) > 1]


def text_of(group):
    headers = dict.fromkeys(h for s in group for h in s.headers)
    return "".join("#include %s\n" % i for i in [*headers, *(s.include for s in group)])


def main():
    listed, folder, lines = sys.argv[1:]
    with open(listed) as f:
        sources = [Source(line) for line in f]
    os.makedirs(folder, exist_ok=True)
    written = set()
    for group in groups_of(sources, int(lines)):
        place = re.sub("^taper/", "", os.path.dirname(group[0].include[1:-1])).replace("/", ".")
        name = next(n for n in ("%s.%d.cpp" % (place, i) for i in range(len(sources))) if n not in written)
        written.add(name)
        path, text = os.path.join(folder, name), text_of(group)
        if not os.path.exists(path) or open(path).read() != text:
            with open(path, "w") as f:
                f.write(text)
        print(",".join([path, *(s.path for s in group)]))
    for name in set(os.listdir(folder)) - written:
        os.remove(os.path.join(folder, name))


if __name__ == "__main__":
    main()
