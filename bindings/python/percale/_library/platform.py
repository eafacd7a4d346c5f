"""Says what a library was built for, for the message about one that the system refuses to load.

core/file/library_platform does the same for plug-ins.
"""
import mmap

# By the processor's number in ELF, PE and Mach-O files.
_ELF = {0x3E: "x86-64", 0xB7: "arm64", 0x03: "x86 of 32 bits", 0x28: "arm of 32 bits", 0xF3: "RISC-V"}
_PE = {0x8664: "x86-64", 0xAA64: "arm64", 0x014C: "x86 of 32 bits"}
_MACH_O = {0x01000007: "x86-64", 0x0100000C: "arm64"}


def _number(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


def _named(system, processors, number):
    return f"{system} on {processors.get(number, 'another processor')}"


def _c_library(data):
    # The names of needed libraries are texts with a NUL before and after each.
    if data.find(b"\0libc.so.6\0") >= 0:
        return " with glibc"
    return " with musl" if data.find(b"\0libc.so\0") >= 0 or data.find(b"\0libc.musl-") >= 0 else ""


def platform_of(path):
    """Returns such as "Linux on arm64 with musl"; "" for a file that is no library or program, or
    cannot be read.
    """
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data[:4] == b"\x7fELF":
                return _named("Linux", _ELF, _number(data, 18, 2)) + _c_library(data)
            if data[:4] == b"\xcf\xfa\xed\xfe":
                return _named("macOS", _MACH_O, _number(data, 4, 4))
            header = _number(data, 0x3C, 4)
            if data[:2] == b"MZ" and data[header:header + 4] == b"PE\0\0":
                return _named("Windows", _PE, _number(data, header + 4, 2))
    except (OSError, ValueError):  # such as an empty file
        pass
    return ""


def other_platform(path, own):
    """Returns "it is for ..., and this process runs on ..." if a library is for another platform
    than the program `own`, else "".
    """
    found, wanted = platform_of(path), platform_of(own)
    # A file that names no C library does not differ by it.
    if not found or not wanted or found.startswith(wanted) or wanted.startswith(found):
        return ""
    return f"it is for {found}, and this process runs on {wanted}"
