"""Parts that pages share: what a comment says, tables of parameters and options, members."""
import dataclasses
import re

from . import comments, markup


def example(lines):
    return markup.code(lines)


def block(part, text):
    if part.kind == "code":
        return markup.code([line[4:] for line in part.lines], "text")
    if part.kind == "list":
        items = re.split(r"\s*(?:^|\n)\s*- ", "\n".join(part.lines))
        return "<ul>" + "".join(f"<li>{text.inline(' '.join(i.split()))}</li>" for i in items if i.strip()) + "</ul>"
    return text.paragraph(part.text)


def commented(said, text, names=()):
    """What a comment says, in Markdown blocks: summary, formula, the rest, shapes, errors, examples."""
    comment = comments.read(said)
    if not comment.summary:
        return []
    summary = comment.summary[0].upper() + comment.summary[1:]
    formulas = [markup.formula_of(s, names) for s in (comment.summary, *comment.shapes)]
    out = [text.paragraph(summary), next(filter(None, formulas), "")]
    out += [block(b, text) for b in comment.rest]
    out += [text.listed("Shapes", comment.shapes, "box shapes"), text.listed("Errors", [e.removeprefix("Errors: ") for e in comment.errors], "box errors")]
    out += [example(e) for e in comment.examples]
    return [o for o in out if o]


def note(said, text):
    """A comment as the text of a table's cell."""
    comment = comments.read(said)
    sentences = [comment.summary, *(b.text for b in comment.rest), *comment.shapes, *comment.errors]
    return text.inline(" ".join(s for s in sentences if s))


# ---------------------------------------------------------------- parameters

def mentioned(name, said):
    """The sentence of a comment that tells of a parameter in backquotes."""
    comment = comments.read(said)
    every = [*(s for b in comment.rest for s in comments.sentences(b.text)), *comment.errors]
    return next((s for s in every if re.search(rf"`{re.escape(name)}\b", s)), "")


def parameter_table(members, said, text):
    """A table of the parameters of functions that share a comment; '' without any."""
    rows = {}
    for p in (p for m in members for p in m.parameters if p.name):
        rows.setdefault(p.name, ([], [], p.name))
        for found, new in zip(rows[p.name], (p.type, p.default)):
            if new and new not in found:
                found.append(new)
    if not rows:
        return ""
    cells = [[f"<code>{name}</code>", "<br>or ".join(text.type(t) for t in types), ", ".join(map(markup.code_span, defaults)),
              text.inline(mentioned(name, said))] for name, (types, defaults, _) in rows.items()]
    return markup.table(*markup.without_empty(["parameter", "type", "default", "description"], cells), "options")


# ---------------------------------------------------------------- options

def substituted(text, given):
    for name, value in given.items():
        text = re.sub(rf"\b{re.escape(name)}\b", value, text)
    return text


def with_arguments(m, given):
    """A member of a template with the template's arguments."""
    parameters = [dataclasses.replace(p, type=substituted(p.type, given), default=substituted(p.default, given)) for p in m.parameters]
    return dataclasses.replace(m, type=substituted(m.type, given), parameters=parameters)


def default_of(option, constructors):
    """An option's default: behind it, or in a constructor; 'required' if every constructor asks for it."""
    if option.default:
        return option.default
    asked = [p for c in constructors for p in c.parameters if p.name == option.name]
    return next((p.default for p in asked if p.default), "required" if asked else "")


def option_rows(c, given, catalog, text):
    lineage = catalog.lineage(c)
    constructors = [m for k in lineage for m in k.members if m.kind == "function" and m.name == k.name]
    kinds = {m.name: m for k in lineage for m in k.members if m.kind == "typedef"}
    rows = []
    for option in (m for k in lineage for m in k.members if m.kind == "variable" and not m.name.endswith("_")):
        default = substituted(default_of(option, constructors), given)
        alias = kinds.get(option.type)
        more = alias.text if alias else ""
        kind = alias.type if alias and not alias.text else option.type
        says = note(option.text, text) + (f" ({note(more, text).rstrip('.')})" if more and more != option.text else "")
        shown = default if default == "required" else markup.code_span(default)
        rows.append([f"<code>{option.name}</code>", text.type(substituted(kind, given)), shown, says])
    return rows


def option_table(path, catalog, text):
    """The options of a class that a name leads to; '' if it has none."""
    c, given = catalog.resolved(path)
    rows = option_rows(c, given, catalog, text) if c else []
    return markup.table(*markup.without_empty(["option", "type", "default", "description"], rows), "options") if rows else ""


# ---------------------------------------------------------------- members

def together(members):
    """Members in runs that share a comment: [(comment, [member])]."""
    runs = []
    for m in members:
        if runs and runs[-1][0] == m.text and m.kind != "variable":
            runs[-1][1].append(m)
        else:
            runs.append((m.text, [m]))
    return runs


def declarations(members):
    return markup.code([line for m in members for line in markup.declaration(m)])


def data_table(members, text):
    rows = [[f"<code>{m.name}</code>", text.type(m.type), markup.code_span(m.default), note(m.text, text)] for m in members]
    return markup.table(*markup.without_empty(["name", "type", "default", "description"], rows), "options") if rows else ""


def value_table(m, text):
    if not any(said for _, said in m.values):
        return f"<p>{', '.join(markup.code_span(name) for name, _ in m.values)}</p>" if m.values else ""
    rows = [[markup.code_span(name), note(said, text)] for name, said in m.values]
    return markup.table(["value", "description"], rows, "options")
