"""Execute notebooks and write them as Markdown with their pictures, as `doc/` has them.

Usage: python3 notebooks.py [--check] FILE.ipynb …

The code cells of a notebook run in their order, in one namespace. What they print, the value of
a last expression and each figure come after their cell; the metadata of the cell has the words for
a reader who does not see its figures, "alt": a list. --check writes no file, and fails where
the text of a notebook is not that of its Markdown file: pictures differ between versions of
Matplotlib.
"""

import ast
import contextlib
import io
import json
import pathlib
import sys
import warnings

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


def execute(code, namespace):
    """Run the code of a cell, and return what it prints."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
            if value is not None:
                print(value)
    return printed.getvalue()


def render(path, save):
    """Return the Markdown of a notebook. Figures are saved beside it if `save` is set."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts, namespace, figures = [], {"__name__": "__main__"}, 0
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        printed = execute(text, namespace)
        if printed:
            parts.append(f"```text\n{printed.rstrip()}\n```")
        for number, alt in zip(pyplot.get_fignums(), cell["metadata"].get("alt", []), strict=True):
            figures += 1
            name = f"{path.stem}-{figures}.png"
            if save:
                pyplot.figure(number).savefig(path.with_name(name), dpi=80, bbox_inches="tight", metadata={"Software": None})
            parts.append(f"![{alt}]({name})")
        pyplot.close("all")
    return "\n\n".join(parts) + "\n"


def main(arguments):
    check = "--check" in arguments
    stale = []
    for name in arguments:
        if name.startswith("--"):
            continue
        path = pathlib.Path(name)
        text, to = render(path, not check), path.with_suffix(".md")
        if not check:
            to.write_text(text, encoding="utf-8")
        elif not to.exists() or to.read_text(encoding="utf-8") != text:
            stale.append(f"{to}: run python/notebooks.py {path}")
            print(text)
    return "\n".join(stale)


if __name__ == "__main__":
    warnings.simplefilter("ignore", FutureWarning)
    sys.exit(main(sys.argv[1:]) or 0)
