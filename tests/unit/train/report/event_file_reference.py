"""Prints the event file that event_file_test.cc expects, as hexadecimal. Built with struct and a
CRC by its definition.

    python tests/unit/train/report/event_file_reference.py
"""
import struct


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17 & 0xffffffff) + 0xa282ead8) & 0xffffffff)


def record(data):
    size = struct.pack("<Q", len(data))
    return size + masked(size) + data + masked(data)


def scalar(tag, value):
    inner = b"\x0a" + bytes([len(tag)]) + tag + b"\x15" + struct.pack("<f", value)
    return b"\x0a" + bytes([len(inner)]) + inner


def event(wall, rest):
    return record(b"\x09" + struct.pack("<d", wall) + rest)


def summary(step, scalars):
    body = b"".join(scalars)
    return b"\x10" + step + b"\x2a" + bytes([len(body)]) + body


out = event(1000.5, b"\x1a\x0dbrain.Event:2")
out += event(1001.0, summary(b"\x01", [scalar(b"loss", 2.5), scalar(b"learning_rate", 0.01)]))
out += event(1002.5, summary(b"\xac\x02", [scalar(b"loss", -1.0), scalar(b"learning_rate", 0.005), scalar(b"accuracy", 0.75)]))
text = out.hex()
for at in range(0, len(text), 100):
    print(f'    "{text[at:at + 100]}"')
