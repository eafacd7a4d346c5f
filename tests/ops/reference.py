"""Writes op tables (README.md describes a row) from sources that share no code with Percale: ONNX's
reference evaluator, and closed forms in numpy where the evaluator lacks an op or is wrong. Needs
numpy, onnx and ml_dtypes.

    python tests/ops/reference.py [family ...]
"""
import sys

from families.activations import activation, composite, optimizer, transformer
from families.choices import blocks, cumulate, select, sequence_rows, topk, unpool
from families.attending import attention, detect, einsum, fused_attention, fused_attention_grad, fused_rotary
from families.elementwise import elementwise, logic
from families.embeddings import embedding, row_sparse
from families.functions import bitwise, piecewise, taper, trigonometric
from families.indices import generate, index, index_nd
from families.networks import network
from families.norms import lp_pool, norm_body, reduce_body, shard_batch
from families.pictures import resize
from families.products import product
from families.quantized import quantize
from families.recurrent import recurrent
from families.reductions import argextreme, debug, linalg, reduce
from families.rows import Table
from families.sampling import sampling
from families.shapes import layout, pad, shape
from families.signals import signal
from families.types import cast, small

FAMILIES = {f.__name__: f for f in (
    elementwise,
    activation,
    composite,
    transformer,
    optimizer,
    logic,
    cast,
    reduce,
    shape,
    layout,
    pad,
    index,
    index_nd,
    argextreme,
    generate,
    recurrent,
    resize,
    small,
    linalg,
    debug,
    trigonometric,
    bitwise,
    piecewise,
    taper,
    reduce_body,
    norm_body,
    lp_pool,
    topk,
    select,
    blocks,
    sequence_rows,
    cumulate,
    unpool,
    attention,
    fused_attention,
    fused_attention_grad,
    fused_rotary,
    einsum,
    detect,
    quantize,
    sampling,
    signal,
    embedding,
    row_sparse,
    shard_batch,
    network,
    product,
)}



def main(names):
    for name in names or FAMILIES:
        table = Table(name)
        FAMILIES[name](table)
        table.write()


if __name__ == "__main__":
    main(sys.argv[1:])
