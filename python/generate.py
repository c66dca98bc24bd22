"""Write nrdl_learn/_methods.py and nrdl_learn/_dictionaries.py: a class a method, as the engine describes it.

The pages of all classes are written, too: reference.py.

Usage: python3 generate.py, in this folder, with Go.
"""

import collections
import json
import pathlib
import struct
import subprocess
import textwrap

import reference

FOLDER = pathlib.Path(__file__).resolve().parent
HEAD = '''"""{about}

Written by generate.py of what the program says of itself: do not change it.
"""

from __future__ import annotations

from {module} import {base}

__all__ = [
{names}]
'''
TYPES = {"number": "float", "integer": "int", "true|false": "bool", "choice": "str", "text": "str"}


def ask():
    """Ask an engine for its methods. It needs no NumPy, as no array is sent."""
    text = json.dumps({"verb": "methods", "arrays": []}).encode()
    done = subprocess.Popen(["go", "run", "./cmd/nrdl", "engine"], cwd=FOLDER.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    done.stdin.write(struct.pack("<I", len(text)) + text)
    done.stdin.flush()
    (length,) = struct.unpack("<I", done.stdout.read(4))
    answer = json.loads(done.stdout.read(length))
    done.stdin.close()
    done.wait()
    return answer["methods"], answer["dictionaries"]


def argument(path):
    name = path.replace(".", "_")
    return name + "_" if name == "lambda" else name

# What the classes for Python add to meanings.
RELATIVE = {("online", "coder.lambda"): ", where the samples of the fit have a root mean square length of 1"}


def limits_nothing(p):
    """Whether the default is a limit that small data do not reach: None then says what it means for them."""
    return "more than there are is all of them" in p.get("meaning", "") and p["default"] == "30"


def value(p):
    kind, text = p["type"], p["default"]
    if limits_nothing(p):
        return None
    if kind == "true|false":
        return text == "true"
    return {"number": float, "integer": int}.get(kind, str)(text)


def class_names(methods):
    """Names of the types in Go; of several methods of one type all but the first have a suffix."""
    of_type = collections.Counter(m["type"] for m in methods)
    names = []
    for m in methods:
        name = m["type"]
        if of_type[name] > 1 and m["name"] != name.lower():
            name += m["name"].rsplit("-", 1)[1].capitalize()
        names.append(name)
    assert len(set(names)) == len(names), names
    return names


def sentence(text):
    text = text.strip()
    word = text.split(" ")[0]
    if len(word) > 1 and word.isascii() and word.isalpha():  # and no symbol
        text = text[:1].upper() + text[1:]
    return text + ("" if text.endswith(".") else ".")


def parameters(m, more):
    lines = []
    for p in m["params"] or ():
        kind = TYPES[p["type"]] + " or None" * limits_nothing(p)
        if p.get("choices"):
            kind = "{" + ", ".join(repr(c) for c in p["choices"]) + "}"
        lines.append(f"{argument(p['name'])} : {kind}, default={value(p)!r}")
        about = (p.get("meaning") or "how it is done") + ", and None is 30" * limits_nothing(p)
        about = sentence(about + RELATIVE.get((m["name"], p["name"]), ""))
        if p.get("equation"):
            about += f" Equation: {p['equation']}."
        lines += ["    " + line for line in textwrap.wrap(about, 88)]
    return lines + more


PARAMS = [
    "params : dict, optional",
    "    Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another",
    "    coder has other parameters.",
]
INIT = [
    "dict_init : array-like of shape (n_components, n_features), optional",
    "    Atoms to start from; by default samples.",
    "code_init : array-like of shape (n_samples, n_components), optional",
    "    Codes to start from, where no atoms are given: the first atoms are the best ones for these codes by",
    "    least squares. With dict_init they are not used, as the first pass codes anew.",
    "callback : callable, optional",
    "    Called after each pass with a dict, whose keys are scikit-learn's: 'ii', the pass from 0; 'errors', the",
    "    objectives so far; 'current_cost', the last one; also 'self', 'n_iter' and 'residual'.",
]
POSITIVE = [
    "positive_code : bool, default=False",
    "    Ask for codes ≥ 0, as coder_positive does.",
    "positive_dict : bool, default=False",
    "    Ask for atoms ≥ 0.",
]
SEED = [
    "random_state : int, RandomState instance or None, default=0",
    "    Seed of the fit.",
    "verbose : int, default=0",
    "    Whether each pass is printed: its objective and residual.",
]
IMAGE = [
    "image_shape : tuple of int, optional",
    "    Height and width of the images that the samples are, flattened in C order, for methods",
    "    and coders that need images.",
]
FITTED = """
Attributes
----------
classes_ : ndarray of shape (n_classes,)
    The labels.
model_ : bytes
    The model file, which ``nrdl predict`` reads too.
n_features_in_ : int
    Number of features.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Names of the features, where X has names that are strings.
components_ : ndarray of shape (n_atoms, n_features)
    The atoms.
status_ : str
    Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
    is a ``ConvergenceWarning``.
n_iter_ : int
    Passes that were made.
residual_ : float
    What the stopping test compared in the last pass.
history_ : dict of str to ndarray of shape (n_iter_,)
    ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
seed_ : int
    Seed of the fit."""
FITTED_DICTIONARY = """
Attributes
----------
components_ : ndarray of shape (n_components, n_features)
    The atoms.
n_features_in_ : int
    Number of features.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Names of the features, where X has names that are strings.
status_ : str
    Why the fit ended, such as ``'complete'``.
n_iter_ : int
    Passes that were made.
residual_ : float
    What the stopping test compared in the last pass.
history_ : dict of str to ndarray of shape (n_iter_,)
    ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
seed_ : int
    Seed of the fit."""


def docstring(m, own, fitted):
    title = m["title"] if m["title"] != m["name"].upper() or "-" not in m["name"] else m["name"]
    lines = textwrap.wrap(f"{title}: {m['description']}.", 92) + [""]
    if m.get("formulation"):
        lines += ["The problem that it solves::", ""] + ["    " + x for x in m["formulation"].strip("\n").split("\n")] + [""]
    if m.get("limit"):
        lines += textwrap.wrap(sentence(m["limit"]), 92) + [""]
    lines += ["Parameters", "----------"] + own + fitted.split("\n")
    body = "\n".join(("    " + x).rstrip() for x in lines)
    return f'    """{body.strip()}\n    """\n'


def class_text(name, base, m, leading, own, fitted):
    fields = [(argument(p["name"]), p, value(p)) for p in m["params"] or ()]
    assert len({f[0] for f in fields}) == len(fields), name
    out = [f"class {name}({base}):\n", docstring(m, own, fitted), f"\n    _method = {m['name']!r}\n"]
    out.append("    _iterative = True\n" if m["iterative"] else "")
    out.append("    _parameters = (\n" + "".join(f"        ({a!r}, {p['name']!r}, {v!r}),\n" for a, p, v in fields) + "    )\n" if fields else "")
    signature = [f"        {a}: {TYPES[p['type']]}{' | None' * limits_nothing(p)} = {v!r},\n" for a, p, v in fields]
    signature += [f"        {x},\n" for x in leading[1]]
    first = "".join(f"        {x},\n" for x in leading[0])
    out.append("\n    def __init__(\n        self,\n" + first + ("        *,\n" + "".join(signature)) + "    ):\n")
    names = [x.split(":")[0] for x in leading[0]] + [f[0] for f in fields] + [x.split(":")[0] for x in leading[1]]
    out += [f"        self.{a} = {a}\n" for a in names]
    return "".join(out)


def write(path, about, module, base, classes):
    names = "".join(f'    "{name}",\n' for name in sorted(classes))
    text = HEAD.format(about=about, module=module, base=base, names=names)
    path.write_text(text + "".join("\n\n" + c for c in classes.values()), encoding="utf-8")


def main():
    methods, dictionaries = ask()
    classes = {}
    for m, name in zip(methods, class_names(methods)):
        after = ["image_shape: tuple[int, int] | None = None", "params: dict | None = None", "random_state: int | None = 0", "verbose: int = 0"]
        own = parameters(m, IMAGE + PARAMS + SEED)
        classes[name] = class_text(name, "Method", m, ([], after), own, FITTED)
    write(FOLDER / "nrdl_learn" / "_methods.py", "The methods, as classifiers of scikit-learn.", "nrdl_learn._base", "Method", classes)
    classes = {}
    for m in dictionaries:
        name = {"KSVD": "KSVDDictionary", "Online": "OnlineDictionary"}[m["type"]]
        own = ["n_components : int or None, default=None", "    K, number of atoms; None is 10, or as many as the samples have directions."] + parameters(m, INIT + POSITIVE * (m["type"] == "Online") + PARAMS + SEED)
        positive = ["positive_code: bool = False", "positive_dict: bool = False"] * (m["type"] == "Online")
        after = ["dict_init: object = None", "code_init: object = None", "callback: object = None", *positive, "params: dict | None = None", "random_state: int | None = 0", "verbose: int = 0"]
        base = {"Online": "OnlineLearner"}.get(m["type"], "Dictionary")
        classes[name] = class_text(name, base, m, (["n_components: int | None = None"], after), own, FITTED_DICTIONARY)
    write(FOLDER / "nrdl_learn" / "_dictionaries.py", "The learners of dictionaries, as transformers of scikit-learn.", "nrdl_learn._dictionary", "Dictionary, OnlineLearner", classes)
    reference.main()


if __name__ == "__main__":
    main()
