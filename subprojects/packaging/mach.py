"""Makes binaries for macOS findable, and the same in every folder (<mach-o/loader.h>)."""
import hashlib
import os
import re
import struct

from work import run

HEADER_BYTES, LC_DYSYMTAB, LC_UUID, LC_CODE_SIGNATURE = 32, 0x0B, 0x1B, 0x1D
INDIRECT_SYMBOL_LOCAL = 0x80000000
UUID_BYTES = 16


def load_command(data, wanted):
    """Returns where the body of the first load command of a kind begins, or None."""
    at = HEADER_BYTES
    for _ in range(*struct.unpack_from("<I", data, 16)):
        kind, size = struct.unpack_from("<2I", data, at)
        if kind == wanted:
            return at + 8
        at += size
    return None


def indirect_symbols(data):
    """Returns (place in the file, index) of each entry of the table of indirect symbols, and the
    range of indices of local symbols."""
    dysymtab = load_command(data, LC_DYSYMTAB)
    if dysymtab is None:
        return [], range(0)
    first, count = struct.unpack_from("<2I", data, dysymtab)
    table, entries = struct.unpack_from("<2I", data, dysymtab + 48)
    places = range(table, table + 4 * entries, 4)
    return [(place, *struct.unpack_from("<I", data, place)) for place in places], range(first, first + count)


def release_local_symbols(path):
    """Gives entries of local symbols the mark of a pointer to something local, so that the symbols
    can be stripped. zig's linker writes the number of the symbol instead. LLVM's strip then leaves
    an arbitrary number, on which the next tool may crash."""
    data = bytearray(path.read_bytes())
    entries, local = indirect_symbols(data)
    for place, index in entries:
        if index in local:
            struct.pack_into("<I", data, place, INDIRECT_SYMBOL_LOCAL)
    path.write_bytes(data)


def identify_by_contents(path):
    """Gives a binary a UUID that follows from its contents. That of the linker follows from debug
    information, which names folders of this machine. The signature must be made again."""
    data = bytearray(path.read_bytes())
    uuid, signature = load_command(data, LC_UUID), load_command(data, LC_CODE_SIGNATURE)
    end = struct.unpack_from("<I", data, signature)[0] if signature else len(data)
    data[uuid:uuid + UUID_BYTES] = bytes(UUID_BYTES)
    data[uuid:uuid + UUID_BYTES] = hashlib.sha256(data[:end]).digest()[:UUID_BYTES]
    path.write_bytes(data)


def find_by_rpath(path, staged, platform):
    """Makes a binary name the library by its run path, and signs it again. Meson takes zig's linker
    for one of ELF: it gives the library no such name, and the program a run path of ELF."""
    commands = run(["llvm-objdump", "--macho", "--private-headers", path])
    words = [word for old in re.findall(r"LC_RPATH\n.*\n +path (\S+)", commands) for word in ("-delete_rpath", old)]
    if path.suffix == ".dylib":
        words += ["-id", f"@rpath/{path.name}"]
    folder = os.path.relpath(staged / platform.folder, path.parent)
    # Debian has no link to this program on the path.
    tool_path = os.path.join(run(["llvm-config", "--bindir"]).strip(), "llvm-install-name-tool")
    run([tool_path, *words, "-change", platform.library, f"@rpath/{platform.library}", "-add_rpath",
         f"@loader_path/{folder}", path])
