"""Reads and writes .npy files with the standard library alone, for tests that run without NumPy."""
import ast
import struct

# The letter of each element type in the module struct.
CODES = {"f4": "f", "f8": "d", "u1": "B", "i8": "q"}


def npy_bytes(descr, shape, data, fortran_order=False, version=1):
    """Returns the bytes of a .npy file with the elements `data`, in bytes. `descr` is NumPy's name
    of their type, such as "<f4"."""
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran_order}, 'shape': {tuple(shape)}, }}"
    width = 2 if version == 1 else 4  # bytes of the header's size
    header += " " * (-(9 + width + len(header)) % 64) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(header).to_bytes(width, "little") + header.encode() + data


def npy_of(kind, shape, values):
    """Returns the bytes of a .npy file with these numbers. `kind` is a key of CODES."""
    descr = "|u1" if kind == "u1" else "<" + kind
    return npy_bytes(descr, shape, struct.pack(f"<{len(values)}{CODES[kind]}", *values))


def write_npy(path, kind, shape, values):
    """Writes a .npy file with these numbers. `kind` is a key of CODES."""
    with open(path, "wb") as file:
        file.write(npy_of(kind, shape, values))


def read_npy(path):
    """Returns (shape, values) of a .npy file of version 1 whose type is a key of CODES."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError(f"{path} begins with {data[:8]!r}, which is no .npy file of version 1")
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10:begin].decode())
    code = CODES[header["descr"][1:]]
    return header["shape"], [value for value, in struct.iter_unpack("<" + code, data[begin:])]
