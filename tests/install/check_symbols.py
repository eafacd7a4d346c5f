"""Checks that header, symbols.txt and library have the same symbols with the same versions, and
that the library uses no function that could end its host's process, or reach a network."""
import glob
import os
import re
import subprocess
import sys

FORBIDDEN = {"abort", "exit", "_exit", "_Exit", "quick_exit", "__assert_fail", "__assert_perror_fail"}
NETWORK = {"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "send", "sendto", "sendmsg", "sendmmsg", "recv",
           "recvfrom", "recvmsg", "recvmmsg", "getaddrinfo", "gethostbyname"}


def listed(path):
    """Returns {symbol: version} of symbols.txt."""
    with open(path, encoding="utf-8") as lines:
        return dict(line.split() for line in lines if line.split("#")[0].split())


def declared(path):
    """Returns {symbol: version after \\since} of the header and its parts. A declaration without a
    comment belongs to the one above it. The version is '' if a comment does not give one."""
    text = ""
    for part in [path, *sorted(glob.glob(os.path.join(os.path.dirname(path), "percale", "*.h")))]:
        with open(part, encoding="utf-8") as header:
            text += header.read()
    found, version = {}, ""
    pattern = re.compile(r"(?:/\*\*((?:(?!\*/).)*)\*/\s*)?\bPERCALE_API\b[^;(]*?\b(percale_\w+)\s*\(", re.S)
    for comment, name in pattern.findall(text):
        if comment:
            since = re.search(r"\\since\s+(\d+\.\d+)", comment)
            version = since.group(1) if since else ""
        found[name] = version
    return found


def exported(library):
    """Returns {symbol: version} of the library's definitions, and the names that it leaves
    undefined."""
    nm = subprocess.run(["nm", "-D", library], check=True, capture_output=True, text=True).stdout
    defined, undefined = {}, set()
    for line in nm.splitlines():
        *_, kind, name = line.split()
        if kind in "Uw":
            undefined.add(name.split("@")[0])
        elif kind != "A":  # A: a version node
            symbol, _, version = name.partition("@@")
            defined[symbol] = version.removeprefix("PERCALE_")
    return defined, undefined


def compare(left_name, left, right_name, right):
    problems = [f"{name}: in {left_name}, not in {right_name}" for name in sorted(left.keys() - right.keys())]
    problems += [f"{name}: in {right_name}, not in {left_name}" for name in sorted(right.keys() - left.keys())]
    problems += [f"{name}: {left[name] or 'no version'} in {left_name}, {right[name] or 'no version'} in {right_name}"
                 for name in sorted(left.keys() & right.keys()) if left[name] != right[name]]
    return problems


def main(header, symbols, library):
    wanted = listed(symbols)
    defined, undefined = exported(library)
    problems = compare("symbols.txt", wanted, "the header", declared(header))
    problems += compare("symbols.txt", wanted, "the library", defined)
    problems += [f"{name}: undefined in the library, so it can end the host" for name in sorted(undefined & FORBIDDEN)]
    problems += [f"{name}: undefined in the library, which reaches no network" for name in sorted(undefined & NETWORK)]
    print("\n".join(problems) if problems else f"{len(wanted)} symbols agree")
    return 1 if problems or not wanted else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
