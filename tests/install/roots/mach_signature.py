"""Reads the signature of a binary for macOS. A Mac with an arm64 processor runs no binary whose
hashes do not fit; the format is in XNU's osfmt/kern/cs_blobs.h and in <mach-o/loader.h>."""
import hashlib
import struct

import mach

CODE_DIRECTORY, SHA256 = 0xFADE0C02, 2


def signature_of(data):
    """Returns the bytes of the signature, or b"" if there is none."""
    at = mach.load_command(data, mach.LC_CODE_SIGNATURE)
    begin, length = struct.unpack_from("<2I", data, at) if at else (0, 0)
    return data[begin:begin + length]


def wrong_pages(path):
    """Returns (pages, those whose hash differs from the signature) of a 64-bit Mach-O file."""
    data = path.read_bytes()
    signature = signature_of(data)
    pages = wrong = 0
    for i in range(struct.unpack_from(">I", signature, 8)[0] if signature else 0):
        blob = signature[struct.unpack_from(">I", signature, 16 + 8 * i)[0]:]
        if struct.unpack_from(">I", blob)[0] != CODE_DIRECTORY:
            continue
        hashes, count, end = struct.unpack_from(">I", blob, 16)[0], *struct.unpack_from(">2I", blob, 28)
        length, kind, _, page_bits = struct.unpack_from(">4B", blob, 36)
        if kind != SHA256:
            raise ValueError(f"{path.name}: the signature has hashes of kind {kind}, wanted SHA-256")
        pages += count
        for page in range(count):
            code = data[page << page_bits:min(page + 1 << page_bits, end)]
            wrong += hashlib.sha256(code).digest() != blob[hashes + page * length:hashes + (page + 1) * length]
    return pages, wrong
