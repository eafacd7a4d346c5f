package org.percale;

/** The type of a tensor's elements; the numbers are those of ONNX. */
public enum DType {
  /** IEEE single precision. */
  F32(1, 32),
  /** Unsigned 8-bit integer. */
  U8(2, 8),
  /** Signed 8-bit integer. */
  I8(3, 8),
  /** Unsigned 16-bit integer. */
  U16(4, 16),
  /** Signed 16-bit integer. */
  I16(5, 16),
  /** Signed 32-bit integer. */
  I32(6, 32),
  /** Signed 64-bit integer. */
  I64(7, 64),
  /** Text; no tensor has this type. */
  STRING(8, 0),
  /** Boolean, stored as one byte with value 0 or 1. */
  BOOL(9, 8),
  /** IEEE half precision. */
  F16(10, 16),
  /** IEEE double precision. */
  F64(11, 64),
  /** Unsigned 32-bit integer. */
  U32(12, 32),
  /** Unsigned 64-bit integer. */
  U64(13, 64),
  /** Complex number of two {@link #F32}. */
  COMPLEX64(14, 64),
  /** Complex number of two {@link #F64}. */
  COMPLEX128(15, 128),
  /** bfloat16: the upper half of an {@link #F32}. */
  BF16(16, 16),
  /** 8-bit float with 4 exponent bits, 3 mantissa bits and no infinity. */
  F8E4M3FN(17, 8),
  /** {@link #F8E4M3FN} without negative zero. */
  F8E4M3FNUZ(18, 8),
  /** 8-bit float with 5 exponent bits and 2 mantissa bits. */
  F8E5M2(19, 8),
  /** {@link #F8E5M2} without infinity and negative zero. */
  F8E5M2FNUZ(20, 8),
  /** Unsigned 4-bit integer, two per byte. */
  U4(21, 4),
  /** Signed 4-bit integer, two per byte. */
  I4(22, 4),
  /** 4-bit float with 2 exponent bits and 1 mantissa bit, two per byte. */
  F4E2M1(23, 4),
  /** 8-bit power of two. */
  F8E8M0(24, 8),
  /** Unsigned 2-bit integer, four per byte. */
  U2(25, 2),
  /** Signed 2-bit integer, four per byte. */
  I2(26, 2);

  private final int number;
  private final int bits;

  DType(int number, int bits) {
    this.number = number;
    this.bits = bits;
  }

  int number() {
    return number;
  }

  /** Returns the number of bytes of this many elements. */
  long bytes(long elements) {
    return (Math.multiplyExact(elements, (long) bits) + 7) / 8;
  }

  /** Returns the type with this number, or null for an unknown type. */
  static DType of(int number) {
    for (DType dtype : values()) {
      if (dtype.number == number) return dtype;
    }
    return null;
  }
}
