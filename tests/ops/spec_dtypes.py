"""Writes spec_dtypes.json: the element types that the ONNX specification allows for the operands of
an op, for the ops of the tiers A and T and for the existing ones of B and C. Needs onnx.

    python tests/ops/spec_dtypes.py > tests/ops/spec_dtypes.json

Strings and complex numbers are left out: none of these ops needs them to train or serve a network.
"""
import json

import onnx

OPSET = 26
OPS = """
Add Sub Mul Div Neg Abs Sqrt Exp Log Pow Max Min Sum Mean Relu LeakyRelu Sigmoid Tanh Clip HardSigmoid HardSwish Softmax LogSoftmax
MatMul Gemm Conv ConvTranspose MaxPool AveragePool GlobalAveragePool GlobalMaxPool BatchNormalization Dropout Flatten Reshape
Transpose Concat Split Slice Squeeze Unsqueeze Identity Cast Gather ReduceMean ReduceSum ReduceMax Where Expand Pad Resize
SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss
Constant ConstantOfShape Shape Size Equal Greater Less Not And Or ArgMax ArgMin Range Floor Ceil OneHot
LayerNormalization RMSNormalization Erf Gelu Swish Reciprocal Sin Cos Trilu Tile Attention RotaryEmbedding CumSum GatherElements
GatherND ScatterElements ScatterND Einsum Round Sign GreaterOrEqual LessOrEqual Xor Mod EyeLike IsNaN IsInf CastLike
InstanceNormalization GroupNormalization MeanVarianceNormalization LpNormalization TopK ReduceMin ReduceProd ReduceL1 ReduceL2
ReduceSumSquare ReduceLogSum ReduceLogSumExp Elu Selu Softplus Softsign PRelu Mish Celu ThresholdedRelu Shrink DepthToSpace
SpaceToDepth LRN Hardmax Acos Acosh Asin Asinh Atan Atanh Cosh Sinh Tan
MaxUnpool Compress NonZero Unique ReverseSequence BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor GlobalLpPool LpPool Det TensorScatter
CumProd CenterCropPad Col2Im BlackmanWindow HammingWindow HannWindow
NonMaxSuppression QuantizeLinear DequantizeLinear DynamicQuantizeLinear MatMulInteger ConvInteger QLinearMatMul QLinearConv
GridSample AffineGrid RoiAlign MaxRoiPool DFT STFT MelWeightMatrix
LSTM GRU RNN
""".split()
# The ops of tier A that have a gradient.
GRADIENTS = OPS[:OPS.index("Constant")]
NAMES = {"float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "bool", "float4e2m1": "f4e2m1",
         "float8e4m3fn": "f8e4m3fn", "float8e4m3fnuz": "f8e4m3fnuz", "float8e5m2": "f8e5m2", "float8e5m2fnuz": "f8e5m2fnuz",
         "float8e8m0": "f8e8m0", **{f"{u}int{b}": f"{u or 'i'}{b}" for u in ("", "u") for b in (2, 4, 8, 16, 32, 64)}}

lines = []
for op in OPS:
    schema = onnx.defs.get_schema(op, OPSET)
    types = []
    for constraint in schema.type_constraints:
        allowed = [t[len("tensor("):-1] for t in constraint.allowed_type_strs if t.startswith("tensor(")]
        dtypes = sorted(NAMES[t] for t in allowed if t != "string" and not t.startswith("complex"))
        entry = {"name": constraint.type_param_str, "dtypes": dtypes}
        for key, formals in (("inputs", schema.inputs), ("outputs", schema.outputs)):
            entry[key] = [i for i, f in enumerate(formals) if f.type_str == constraint.type_param_str]
        types.append(entry)
    lines.append(json.dumps({"op": op, "since": schema.since_version, "gradient": op in GRADIENTS, "types": types},
                            separators=(",", ":")))
print("[\n" + ",\n".join(lines) + "\n]")
