"""Writes assembler that embeds FILE as the symbol SYMBOL. Without FILE, the text is empty.

    embed.py OUTPUT SYMBOL [FILE]
"""
import os
import sys

output, symbol, *files = sys.argv[1:]
body = f'.incbin "{os.path.abspath(files[0])}"' if files else '.asciz "no device code"'
with open(output, "w", encoding="utf-8") as out:
    out.write(f""".section .rodata
.globl {symbol}
.hidden {symbol}
.balign 64
{symbol}:
{body}
.byte 0
.section .note.GNU-stack,"",%progbits
""")
