"""Write what is generated of the clients: openapi.json as the service sends it, go/methods.go,
../python/nrdl_service/_operations.py, and by npm typescript/src/schema.ts.

Usage: python3 generate.py, in this folder, with Go; npm ci before, in typescript.
"""

import json
import keyword
import pathlib
import re
import subprocess
import tempfile
import textwrap
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parent
INITIALS = {"id": "ID", "url": "URL", "fpir": "FPIR", "fmr": "FMR", "fnir": "FNIR"}


def ask():
    """Ask a service for its description, with no version of the program."""
    with tempfile.TemporaryDirectory() as folder:
        program = folder + "/nrdl"
        subprocess.run(["go", "build", "-o", program, "./cmd/nrdl"], cwd=FOLDER.parent, check=True)
        service = subprocess.Popen([program, "serve", folder + "/data", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
        try:
            address = re.search(r"http://\S+", service.stderr.readline()).group()
            # A connection that is closed looks like that of a proxy, but the description is for anybody.
            with urllib.request.urlopen(address + "/openapi.json") as answer:
                api = json.load(answer)
        finally:
            service.terminate()
            service.wait()
            service.stderr.close()
    api["info"]["version"] = "1"
    return api


def operations(api):
    """All operations, by their names."""
    found = {}
    for path, item in api["paths"].items():
        for method, o in item.items():
            ok = o["responses"].get("200", {}).get("content", {})
            kind = next(iter(ok), None)
            body = o.get("requestBody", {}).get("content", {})
            found[o["operationId"]] = {
                "path": path, "method": method.upper(), "about": o["summary"] + ".\n\n" + o["description"], "answer": kind,
                "schema": ok.get(kind, {}).get("schema", {}),
                "in": [p["name"] for p in o.get("parameters", ()) if p["in"] == "path"],
                "query": [p for p in o.get("parameters", ()) if p["in"] == "query"],
                "once": any(p["name"] == "Idempotency-Key" for p in o.get("parameters", ())),
                "form": body.get("multipart/form-data", {}).get("schema"), "json": body.get("application/json", {}).get("schema"),
            }  # fmt: skip
    return dict(sorted(found.items()))


def words(name):
    return re.findall(r"[A-Za-z0-9]+", name)


def camel(name):
    parts = [INITIALS.get(w, w[0].upper() + w[1:]) for w in words(name)]
    return "".join(parts)


def ref(schema):
    return camel(schema["$ref"].rsplit("/", 1)[1])


def kind_of(schema):
    """Type of a schema, and whether it may be null."""
    kind = schema.get("type")
    if isinstance(kind, list):
        return next(k for k in kind if k != "null"), True
    return kind, False


def go_type(schema, required=True):
    if "$ref" in schema:
        return ref(schema) if required else "*" + ref(schema)
    kind, null = kind_of(schema)
    if kind == "array":
        return "[]" + go_type(schema["items"])
    if kind == "string" and schema.get("contentEncoding") == "base64":
        return "[]byte"
    if kind == "object" and "additionalProperties" in schema:
        return "map[string]" + go_type(schema["additionalProperties"])
    if kind is None:
        return "json.RawMessage"
    known = {"string": "string", "integer": "int", "number": "float64", "boolean": "bool"}
    name = "time.Time" if schema.get("format") == "date-time" else known[kind]
    pointer = null or not required and kind in ("integer", "number") or not required and name == "time.Time"
    return "*" + name if pointer else name


def comment(text, indent=""):
    lines = []
    for part in text.split("\n\n"):
        lines += textwrap.wrap(part, 100 - len(indent))
    return "".join(f"{indent}// {line}\n" for line in lines)


def about(schema):
    text = schema.get("description", "")
    values = schema.get("enum") or schema.get("items", {}).get("enum")
    if values:
        text = "; ".join(filter(None, [text, "one of " + ", ".join(map(str, values))]))
    return f" // {text}" if text else ""


def go_fields(schema):
    required, lines = schema.get("required", ()), []
    for name, p in schema.get("properties", {}).items():
        omit = "" if name in required else ",omitempty"
        lines.append(f'{camel(name)} {go_type(p, name in required)} `json:"{name}{omit}"`{about(p)}')
    return "\n".join(lines)


STRUCTS = {}  # of forms and queries, by their fields


def go_struct(name, about, fields):
    """A struct, or another name for one with the same fields."""
    text = "\n".join(fields)
    first = STRUCTS.setdefault(text, name)
    body = f"= {first}" if first != name else f"struct {{\n{text}\n}}"
    return f"\n// {name} {about}.\ntype {name} {body}\n"


def go_method(name, o):
    title, arguments, given = camel(name), ["ctx context.Context"], ""
    arguments += [f"{p} string" for p in o["in"]]
    body = query = "nil"
    if o["form"]:
        body, fields = "form", []
        for field, p in o["form"]["properties"].items():
            several = p.get("type") == "array"
            kind = "[]File" if several else "File" if field in o["form"].get("required", ()) else "*File"
            if p.get("format") != "binary" and not several:
                kind = "string"
            fields.append(f'{camel(field)} {kind} `form:"{field}"`{about(p.get("items", p))}')
        arguments.append(f"form {title}Form")
        given += go_struct(title + "Form", f"is the form of {title}", fields)
    elif o["json"]:
        body = "body"
        arguments.append(f"body {ref(o['json'])}")
    if o["query"]:
        query = "query"
        fields = [
            f'{camel(p["name"])} {go_type(p["schema"], False)} `query:"{p["name"]}"`{about({**p["schema"], "description": p.get("description", "")})}'
            for p in o["query"]
        ]
        arguments.append(f"query {title}Query")
        given += go_struct(title + "Query", f"are the optional parameters of {title}", fields)
    call = f'request{{"{o["method"]}", path("{o["path"]}"{"".join(", " + p for p in o["in"])}), {query}, {body}}}'
    if o["answer"] == "application/json":
        answer, do = f"(*{ref(o['schema'])}, error)", f"return ask[{ref(o['schema'])}](ctx, c, {call})"
    elif o["answer"]:
        answer, do = "(io.ReadCloser, error)", f"return c.open(ctx, {call})"
    else:
        answer, do = "error", f"return c.tell(ctx, {call})"
    head = comment(f"{title} is {o['method']} {o['path']}. {o['about']}")
    return f"{given}\n{head}func (c *Client) {title}({', '.join(arguments)}) {answer} {{\n{do}\n}}\n"


def write_go(api):
    text = "// Code generated by generate.py of openapi.json. DO NOT EDIT.\n\npackage client\n\n"
    text += 'import (\n"context"\n"encoding/json"\n"io"\n"time"\n)\n'
    pages = ""
    for name, schema in sorted(api["components"]["schemas"].items()):
        if name.startswith("Page") and list(schema["properties"]) == ["items", "next"]:
            pages += f"{camel(name)} = Page[{ref(schema['properties']['items']['items'])}]\n"
            page = dict(schema["properties"], items={"type": "array", "items": {"$ref": "/T"}})
            continue
        head = comment(f"{camel(name)} is the schema {name}. " + schema.get("description", ""))
        text += f"\n{head}type {camel(name)} struct {{\n{go_fields(schema)}\n}}\n"
    text += f"\n// A Page is a part of a list.\ntype Page[T any] struct {{\n{go_fields(dict(schema, required=['items'], properties=page))}\n}}\n"
    text += f"\n// Pages of the lists of the service.\ntype (\n{pages})\n"
    text += "".join(go_method(name, o) for name, o in operations(api).items())
    path = FOLDER / "go" / "methods.go"
    path.write_text(text, encoding="utf-8")
    subprocess.run(["go", "tool", "gofumpt", "-w", path], cwd=FOLDER, check=True)


def python_type(schema):
    if "$ref" in schema:
        return "dict"
    kind, _ = kind_of(schema)
    if kind == "array":
        return "list of " + python_type(schema["items"])
    if schema.get("format") == "date-time":
        return "datetime"
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict", None: "object"}[kind]


def python_method(api, name, o):
    fields = []  # name, type, description, required, where
    if o["form"]:
        for field, p in o["form"]["properties"].items():
            image = "bytes, path or file"
            text = p.get("type") == "string" and p.get("format") != "binary"
            kind = "str" if text else image
            if p.get("type") == "array":
                kind = "list of " + image
            fields.append((field, kind, p.get("items", p).get("description", ""), field in o["form"].get("required", ()), "text" if text else "form"))
    if o["json"]:
        schema = api["components"]["schemas"][o["json"]["$ref"].rsplit("/", 1)[1]]
        for field, p in schema["properties"].items():
            fields.append((field, python_type(p), about(p)[4:], field in schema.get("required", ()), "body"))
    for p in o["query"]:
        s = {**p["schema"], "description": p.get("description", "")}
        kind = "bool" if s.get("enum") == ["true"] else python_type(s)
        fields.append((p["name"], kind, "" if kind == "bool" and s.get("enum") and not s["description"] else about(s)[4:].replace("; one of true", ""), False, "query"))
    if o["once"]:
        fields.append(("idempotency_key", "str", "Sent again with it within a day, the request is answered as before", False, "once"))
    fields.sort(key=lambda f: not f[3])

    def argument(field):
        return field + "_" if keyword.iskeyword(field) else field

    arguments = ["self", *o["in"], *(argument(f[0]) for f in fields if f[3])]
    if any(not f[3] for f in fields):
        arguments += ["*", *(argument(f[0]) + "=None" for f in fields if not f[3])]
    method = argument(name.replace("-", "_"))
    doc = [o["about"].split("\n\n")[0], "", o["about"].split("\n\n")[1]]
    if o["in"] or fields:
        doc += ["", "Parameters", "----------"]
        doc += [f"{p} : str" if p != "collection" else "collection : str\n    Id." for p in o["in"]]
        for field, kind, text, required, _ in fields:
            doc.append(f"{argument(field)} : {kind}" + ("" if required else ", optional"))
            doc += textwrap.wrap(text, 90, initial_indent="    ", subsequent_indent="    ")
    returned = {"application/json": "dict", "image/png": "bytes", "text/plain": "bytes"}.get(o["answer"], "file")
    if o["answer"]:
        doc += ["", "Returns", "-------", returned]
    parts = [f'"{o["method"]}", "{o["path"]}", ({", ".join(o["in"])}{"," * (len(o["in"]) == 1)})']
    for where in ("query", "body", "form", "text"):
        chosen = [f for f in fields if f[4] == where]
        if chosen:
            parts.append(f"{where}={{{', '.join(chr(34) + f[0] + chr(34) + ': ' + argument(f[0]) for f in chosen)}}}")
    if o["once"]:
        parts.append("once=idempotency_key")
    if returned == "file" and o["answer"]:
        parts.append("stream=True")
    text = textwrap.indent("\n".join(doc), " " * 8).strip()
    return f'\n    def {method}({", ".join(arguments)}):\n        """{text}\n        """\n        return self.request({", ".join(parts)})\n'


def write_python(api):
    text = '"""The operations of the service.\n\nWritten by client/generate.py of client/openapi.json: do not change it.\n"""\n\n\nclass Operations:\n    """A method for each operation of the service."""\n'
    text += "".join(python_method(api, name, o) for name, o in operations(api).items())
    (FOLDER.parent / "python" / "nrdl_service" / "_operations.py").write_text(text, encoding="utf-8")


def write_typescript():
    folder = FOLDER / "typescript"
    if not (folder / "node_modules").is_dir():
        print("client/typescript/src/schema.ts is left as it is: it is generated where npm ci was run in client/typescript")
        return
    subprocess.run(["npm", "run", "--silent", "generate"], cwd=folder, check=True)


if __name__ == "__main__":
    description = ask()
    (FOLDER / "openapi.json").write_text(json.dumps(description, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    write_go(description)
    write_python(description)
    write_typescript()
