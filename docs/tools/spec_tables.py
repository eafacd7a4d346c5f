"""Compares the tables of c_api/SPEC.md with the program's own tables, or writes them.

    python3 spec_tables.py PERCALE c_api/SPEC.md [--write]

A table stands between two marks:

    <!-- keys of spec: epochs seed -->    these keys of the topic `percale list spec`
    <!-- keys of spec.weights -->         all keys of the object `weights`
    <!-- names of losses -->              the entries of a topic, with the names of their keys
    <!-- keys of losses -->               the keys of all entries of the topic
    <!-- end -->

Every key and every entry must stand in a table, and no key twice. The names of layers must stand in
the text.
"""
import re
import sys

sys.dont_write_bytecode = True

from key_tables import HEAD, ask_json, key_table, marked, row, table

TOPICS = ("spec", "losses", "metrics", "optimizers", "schedules")
MARK = re.compile(r"(<!-- (keys|names) of ([\w.]+)(?::\s+([\w\s]+?))?\s*-->\n)(.*?)(<!-- end -->\n)", re.S)


def objects(keys, path):
    """Yields the path and the keys of each object within."""
    yield path, keys
    for key in keys:
        if "keys" in key:
            yield from objects(key["keys"], f"{path}.{key['name']}")


def names_of(keys):
    return ", ".join(f"`{key['name']}`" for key in keys)


def entries_table(entries):
    """The entries of a topic. Keys that all of them take stand in the table of keys alone."""
    common = set.intersection(*({key["name"] for key in entry["keys"]} for entry in entries))
    return table(("`name`", "keys of its own", "meaning"),
                 ((f"`{entry['name']}`", names_of(key for key in entry["keys"] if key["name"] not in common), marked(entry["doc"]))
                  for entry in entries))


def default_by_name(defaults):
    """{entry: default} as text: "0.001; `sgd` 0.01"."""
    values = list(defaults.values())
    usual = max(values, key=values.count)
    return "; ".join([usual] + [f"`{name}` {value}" for name, value in defaults.items() if value != usual])


def entry_key_table(entries):
    """The keys of all entries of a topic, each once."""
    rows = {}
    for entry in entries:
        for key in entry["keys"]:
            name, values, default, doc = row(key)
            rows.setdefault((name, values, doc), {})[entry["name"]] = default
    lines = []
    for (name, values, doc), defaults in rows.items():
        of = "all" if len(defaults) == len(entries) else ", ".join(f"`{entry}`" for entry in defaults)
        lines.append((name, of, values, default_by_name(defaults), doc))
    return table((HEAD[0], "of", *HEAD[1:]), lines)


class Tables:
    """The lists of the program, and the parts of them that no table has shown yet."""

    def __init__(self, lists):
        self.lists = lists
        self.objects = dict(objects(lists["spec"], "spec"))
        self.unseen = {("names", topic) for topic in TOPICS if topic != "spec"}
        self.unseen |= {("keys", topic) for topic in TOPICS if topic != "spec" and any(entry["keys"] for entry in lists[topic])}
        self.unseen |= {("keys", path) for path in self.objects if path != "spec"}
        # The keys of the SPEC itself are counted one by one.
        self.left = {key["name"] for key in lists["spec"]}

    def show(self, kind, path):
        if kind == "keys" and path in self.objects:
            # objects with the same keys are shown once
            self.unseen -= {("keys", other) for other, keys in self.objects.items() if keys == self.objects[path]}
        elif path not in self.lists:
            raise SystemExit(f"there is no list '{path}'")
        self.unseen.discard((kind, path))

    def some_keys(self, names):
        by_name = {key["name"]: key for key in self.lists["spec"]}
        for name in names:
            if name not in self.left:
                raise SystemExit(f"SPEC has no key '{name}', or a table above shows it")
            self.left.remove(name)
        return key_table(by_name[name] for name in names)

    def text(self, kind, path, names):
        self.show(kind, path)
        if names:
            return self.some_keys(names.split())
        if kind == "names":
            return entries_table(self.lists[path])
        return key_table(self.objects[path]) if path in self.objects else entry_key_table(self.lists[path])

    def missing(self):
        """Returns what no table has shown."""
        return sorted(self.left) + sorted(f"{kind} of {path}" for kind, path in self.unseen)


def filled(text, lists):
    """Returns the document with these lists, and what its tables do not show."""
    tables = Tables(lists)
    out = MARK.sub(lambda found: found[1] + tables.text(found[2], found[3], found[4]) + found[6], text)
    return out, tables.missing() + [layer["name"] for layer in lists.get("layers", ()) if layer["name"] not in text]


def main(percale, path, *flags):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    wanted, missing = filled(text, {topic: ask_json(percale, "list", topic) for topic in (*TOPICS, "layers")})
    if missing:
        print(f"{path} has no table for: {', '.join(missing)}; add it to a mark")
        return 1
    if text == wanted:
        return 0
    if "--write" in flags:
        with open(path, "w", encoding="utf-8") as file:
            file.write(wanted)
        return 0
    print(f"the tables of {path} are not those of the program: python3 docs/tools/spec_tables.py BUILD/bindings/cli/percale c_api/SPEC.md --write")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
