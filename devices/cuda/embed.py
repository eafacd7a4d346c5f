"""Writes assembler that embeds files, each as a symbol. A symbol without a file gets a placeholder
text.

    embed.py OUTPUT SYMBOL... -- FILE...
"""
import os
import sys

HEAD = """.section .rodata
"""
ENTRY = """.globl {symbol}
.hidden {symbol}
.balign 64
{symbol}:
{body}
.byte 0
"""
TAIL = """.section .note.GNU-stack,"",%progbits
"""

output, *rest = sys.argv[1:]
cut = rest.index("--")
symbols, files = rest[:cut], rest[cut + 1:]
with open(output, "w", encoding="utf-8") as out:
    out.write(HEAD)
    for i, symbol in enumerate(symbols):
        body = f'.incbin "{os.path.abspath(files[i])}"' if i < len(files) else '.asciz "no device code"'
        out.write(ENTRY.format(symbol=symbol, body=body))
    out.write(TAIL)
