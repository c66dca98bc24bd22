"""Write doc/python/: a page for each name of the package, from its docstrings, and a page that lists them.

Usage: python3 reference.py, in this folder; generate.py runs it, too. It reads the sources, and imports none.
"""

import ast
import pathlib
import re
import textwrap

FOLDER = pathlib.Path(__file__).resolve().parent
PACKAGE, SERVICE, PAGES = FOLDER / "nrdl_learn", FOLDER / "nrdl_service", FOLDER.parent / "doc" / "python"
GROUPS = {
    "Methods": ("_methods",),
    "Dictionaries and codes": ("_dictionaries", "_coders"),
    "Unknown, and photographs": ("_openset", "_models", "_faces"),
    "Comparing, tuning, learning step by step, pictures": ("_compare", "_tune", "_learn", "_base", "_plots"),
    "Engine and service": ("_engine", "nrdl_service"),
}
SKLEARN = {
    "TransformerMixin": "`fit_transform`", "ClassifierMixin": "`score`", "ClassNamePrefixFeaturesOutMixin": "`get_feature_names_out`",
    "BaseEstimator": "`get_params` and `set_params`",
}  # fmt: skip


def sources():
    """The public names with their modules and nodes, and all classes of the package."""
    public, classes, found = [], {}, {}
    for path in sorted([*PACKAGE.glob("*.py"), *SERVICE.glob("*.py")]):
        module = path.stem if path.parent == PACKAGE else SERVICE.name
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                found.setdefault(node.name, (module, node))
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, node)
            if isinstance(node, ast.Assign) and node.targets[0].id == "__all__" and module in ("__init__", "_methods", "_dictionaries"):
                public += [e.value for e in node.value.elts if isinstance(e, ast.Constant)]
    return {name: found[name] for name in sorted(public)}, classes


def line(bases, classes):
    """The classes that a class has its methods from, itself excepted, the nearest first; and those of scikit-learn."""
    ours, theirs = [], []
    for base in bases:
        name = base.id if isinstance(base, ast.Name) else base.attr
        if name in classes:
            more = line(classes[name].bases, classes)
            ours += [name, *more[0]]
            theirs += more[1]
        elif name in SKLEARN:
            theirs.append(name)
    return list(dict.fromkeys(ours)), list(dict.fromkeys(theirs))


def signature(function, name):
    arguments = ast.unparse(function.args)
    arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    arguments = re.sub(r": [A-Za-z_.]+(\[[^=]*?\])?( \| [A-Za-z_.]+(\[[^=]*?\])?)*(?= =|=|,|$)", "", arguments)
    whole = f"{name}({arguments.replace(' = ', '=')})"
    return whole if len(whole) < 100 else "\n".join(textwrap.wrap(whole, 96, subsequent_indent="    ", break_long_words=False))


def paragraphs(text):
    """reStructuredText as Markdown: literal blocks, and code."""
    out, lines, at = [], text.split("\n"), 0
    while at < len(lines):
        if lines[at].endswith("::"):
            block = []
            out.append(lines[at][:-1])
            at += 1
            while at < len(lines) and (not lines[at].strip() or lines[at].startswith("    ")):
                block.append(lines[at][4:])
                at += 1
            out += ["", "```text", *"\n".join(block).strip("\n").split("\n"), "```", ""]
            continue
        out.append(lines[at])
        at += 1
    return escaped("\n".join(out).strip())


def escaped(text):
    return "".join(part if i % 2 else re.sub(r"(?<!`)``([^`]+)``(?!`)", r"`\1`", part) for i, part in enumerate(re.split(r"(```text\n.*?\n```)", text, flags=re.DOTALL)))


def items(body):
    """The items of a section, each with its type, such as a shape, on one line."""
    out = []
    for part in re.split(r"\n(?=\S)", textwrap.dedent(body).strip("\n")):
        head, _, about = part.partition("\n")
        name, colon, kind = head.partition(" : ")
        text = paragraphs(textwrap.dedent(about))
        text = text if "\n\n" in text or "\n* " in text or "```" in text else " ".join(text.split())
        shown = f"`{name}` : {escaped(kind)}" if colon else f"`{head}`"
        out.append(f"- {shown}" + ("\n\n" + textwrap.indent(text, "  ") if text else ""))
    return "\n".join(out)


def document(node, level):
    """The docstring of a node, with headings of a level."""
    text = ast.get_docstring(node) or ""
    parts = re.split(r"(?:^|\n)([A-Z][a-z]+)\n-{3,}\n", text)
    out = [paragraphs(parts[0])]
    for title, body in zip(parts[1::2], parts[2::2]):
        example = "```python\n" + textwrap.dedent(body).strip().replace("  # doctest: +SKIP", "") + "\n```"
        out += ["#" * level + " " + title if level < 4 else f"**{title}**", example if title == "Examples" else items(body)]
    return [part for part in out if part]


def page(name, module, node, classes):
    out = [f"# {name}"]
    if isinstance(node, ast.FunctionDef):
        return "\n\n".join([*out, f"```python\nnrdl_learn.{signature(node, name)}\n```", *document(node, 2)]) + "\n"
    ours, theirs = line(node.bases, classes)
    functions = {}
    for each in [name, *ours]:
        for f in classes[each].body:
            if isinstance(f, ast.FunctionDef) and (ast.get_docstring(f) or f.name == "__init__"):
                functions.setdefault(f.name, f)
    about = document(node, 2)
    constructor = functions.get("__init__")
    out += about[:1]
    if constructor is not None and any(a.startswith("## Parameters") for a in about):
        out.append(f"```python\nnrdl_learn.{signature(constructor, name)}\n```")
    out += about[1:]
    shown = {f: n for f, n in functions.items() if not f.startswith("_")}
    properties = [f for f, n in shown.items() if any(ast.unparse(d) == "property" for d in n.decorator_list)]
    if shown or theirs:
        out.append("## Methods")
    for f, n in shown.items():
        if f in properties:
            out.append(f"### {f}")
        else:
            out.append(f"### {f}\n\n```python\n{signature(n, f)}\n```")
        out += document(n, 4)
    if theirs:
        out.append("Of scikit-learn: " + ", ".join(SKLEARN[t] for t in theirs) + ".")
    return "\n\n".join(out) + "\n"


def first_sentence(node):
    text = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
    return escaped(re.split(r"(?<=\.) (?=[A-Z])", text)[0])


def file_of(name, public):
    """The file of a name: some systems take engine.md for Engine.md."""
    return f"{name}-function.md" if any(n != name and n.lower() == name for n in public) else f"{name}.md"


def pages():
    """The content of each file of doc/python."""
    public, classes = sources()
    index = ["# Classes and functions of nrdl_learn", "Every name of the package, from its docstrings. [From Python](../python.md) is an introduction."]
    for title, modules in GROUPS.items():
        names = [n for n, (module, _) in public.items() if module in modules]
        index += [f"## {title}", "\n".join(f"- [{n}]({file_of(n, public)}): {first_sentence(public[n][1])}" for n in names)]
    out = {"README.md": "\n\n".join(index) + "\n"}
    for name, (module, node) in public.items():
        assert any(module in modules for modules in GROUPS.values()), module
        out[file_of(name, public)] = page(name, module, node, classes)
    return out


def main():
    PAGES.mkdir(exist_ok=True)
    written = pages()
    for old in PAGES.glob("*.md"):
        if old.name not in written:
            old.unlink()
    for name, text in written.items():
        (PAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
