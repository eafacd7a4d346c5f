package org.percale;

/** The type of a tensor's elements; the numbers are those of ONNX. */
public enum DType {
  /** Elements of 32 bits. */
  F32(1, 32),
  /** Elements of 8 bits. */
  U8(2, 8),
  /** Elements of 8 bits. */
  I8(3, 8),
  /** Elements of 16 bits. */
  U16(4, 16),
  /** Elements of 16 bits. */
  I16(5, 16),
  /** Elements of 32 bits. */
  I32(6, 32),
  /** Elements of 64 bits. */
  I64(7, 64),
  /** Texts. */
  STRING(8, 0),
  /** Elements of 8 bits. */
  BOOL(9, 8),
  /** Elements of 16 bits. */
  F16(10, 16),
  /** Elements of 64 bits. */
  F64(11, 64),
  /** Elements of 32 bits. */
  U32(12, 32),
  /** Elements of 64 bits. */
  U64(13, 64),
  /** Elements of 64 bits. */
  COMPLEX64(14, 64),
  /** Elements of 128 bits. */
  COMPLEX128(15, 128),
  /** Elements of 16 bits. */
  BF16(16, 16),
  /** Elements of 8 bits. */
  F8E4M3FN(17, 8),
  /** Elements of 8 bits. */
  F8E4M3FNUZ(18, 8),
  /** Elements of 8 bits. */
  F8E5M2(19, 8),
  /** Elements of 8 bits. */
  F8E5M2FNUZ(20, 8),
  /** Elements of 4 bits. */
  U4(21, 4),
  /** Elements of 4 bits. */
  I4(22, 4),
  /** Elements of 4 bits. */
  F4E2M1(23, 4),
  /** Elements of 8 bits. */
  F8E8M0(24, 8),
  /** Elements of 2 bits. */
  U2(25, 2),
  /** Elements of 2 bits. */
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

  /** The bytes of that many elements. */
  long bytes(long elements) {
    return (Math.multiplyExact(elements, (long) bits) + 7) / 8;
  }

  /** The type of a number; null for one that says "not known". */
  static DType of(int number) {
    for (DType dtype : values()) {
      if (dtype.number == number) return dtype;
    }
    return null;
  }
}
