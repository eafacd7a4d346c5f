"""check_schema.py FLATC TODAY OLD...: checks that today's schema reads what each older one wrote.

flatc --conform detects fields whose type, id or default changed, but not removed fields; these are
detected here. As a check of the check itself, a schema without a field must be refused."""
import os
import re
import subprocess
import sys
import tempfile

FIELD = re.compile(r"^\s*(\w+)\s*:\s*([^;(]+?)\s*\(\s*id\s*:\s*(\d+)[^;]*;", re.M)
TABLE = re.compile(r"^table\s+(\w+)\s*\{(.*?)^\}", re.M | re.S)


def fields(text):
    """Returns {(table, field): (type with default, id)} of a schema."""
    return {(table, name): (kind, number)
            for table, body in TABLE.findall(text) for name, kind, number in FIELD.findall(body)}


def problems(flatc, today, old):
    """Returns what today's schema (two paths) lacks or has changed."""
    with open(today, encoding="utf-8") as a, open(old, encoding="utf-8") as b:
        now, before = fields(a.read()), fields(b.read())
    found = [f"{table}.{name}: was {kind} (id: {number}), is {now.get((table, name), 'gone')}"
             for (table, name), (kind, number) in before.items() if now.get((table, name)) != (kind, number)]
    result = subprocess.run([flatc, "--conform", old, today], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        found.append((result.stdout + result.stderr).strip())
    return found, len(before)


def main(flatc, today, olds):
    failed = False
    for old in olds:
        found, count = problems(flatc, today, old)
        print("\n".join(found) or f"{os.path.basename(old)}: {count} fields as they were")
        failed |= bool(found) or count == 0
        with open(old, encoding="utf-8") as handle:
            text = handle.read()
        for pattern, replacement in ((r"^.*\(id: 1\);.*\n", ""), (r": \[long\] \(id: 2\)", ": [int] (id: 2)")):
            with tempfile.TemporaryDirectory() as folder:
                changed = os.path.join(folder, "graph.fbs")
                with open(changed, "w", encoding="utf-8") as handle:
                    handle.write(re.sub(pattern, replacement, text, count=1, flags=re.M))
                if not problems(flatc, changed, old)[0]:
                    print(f"a schema changed by {pattern!r} was not refused")
                    failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
