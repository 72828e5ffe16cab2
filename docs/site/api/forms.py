"""The documentation of a function's forms, and names that lack documentation.

In headers, one comment stands before all forms of a function: overloads, name_(), name_out(), name_outf(). In ops/ and in the .inc files
of Tensor it is the comment of all functions up to the next comment or empty line: "Returns the larger (smaller) of two." A comment
behind a declaration (///<) is of this one alone.
"""
import re


def base(name):
    """What the names of a function's forms share."""
    return re.sub(r"(_outf|_out|_)$", "", name) or name


def adjacent(before, behind, lines):
    """Whether nothing but declarations stands between two functions."""
    between = lines[before.end:behind.line - 1]
    return before.line <= behind.line and all(x.strip() and not x.lstrip().startswith(("//", "#")) for x in between)


def of_all(member, comment):
    """Whether a comment above belongs to all functions of a run: by the file, or since it says Return, not Returns."""
    return member.file.startswith("ops/") or member.file.endswith(".inc") or (comment or "").startswith("Return ")


def share(members, lines):
    """Gives the functions of one scope and file, in order, the comment above them."""
    comment, last = None, None
    for m in (x for x in members if x.kind == "function"):
        kin = last and adjacent(last, m, lines) and (base(m.name) == base(last.name) or of_all(m, comment))
        if m.text and not m.own:
            comment = m.text
        elif not kin:
            comment = None
        elif not m.text:
            m.text = comment or ""
        last = m


def share_all(classes, free, text):
    """Does so in all scopes, and gives classes of one line, which a macro makes, one comment; text: {file: its text}."""
    scopes, lines = {}, {}
    for m in [*free, *(m for c in classes for m in c.members)]:
        scopes.setdefault((m.scope, m.file), []).append(m)
    for (_, file), members in scopes.items():
        share(members, text[file].split("\n"))
    for c in (c for c in classes if c.text):
        lines[c.file, c.line] = c.text
    for c in classes:
        c.text = c.text or lines.get((c.file, c.line), "")


def needs_none(member):
    """Members whose names say all: destructors, default constructors, conversions, private data of a union."""
    name = member.scope.rpartition("::")[2].partition("<")[0]
    constructor = member.name == name and not member.parameters
    inherited = member.overrides or "override" in member.words_behind
    return constructor or inherited or member.words_behind.endswith(("= default", "= delete")) or \
        member.name.startswith(("~", "operator ")) or (member.kind == "variable" and member.name.endswith("_"))


def undocumented(classes, free, checked):
    """'header: name' of public names without documentation; checked(path): whether a name must have one."""
    documented = {c.path.partition("<")[0] for c in classes if c.text}
    found = []
    for c in (c for c in classes if checked(c.path) and "<" not in c.path):
        found += [] if c.path in documented else [(c.file, c.path)]
        found += [(m.file, m.path) for m in c.members if not m.text and m.line != c.line and not needs_none(m)]
    found += [(m.file, m.path) for m in free if not m.text and checked(m.path) and not m.type.startswith("ModuleHolder<")]
    return sorted({f"{file}: {name}" for file, name in found})
