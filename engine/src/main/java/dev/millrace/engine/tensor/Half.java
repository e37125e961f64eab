package dev.millrace.engine.tensor;

/** 16-bit floats of model files: scales and weights, which are finite. */
final class Half {
  /**
   * Where the exponent of a half lands in a float when its bits are shifted there: 2^(127 - 15).
   */
  static final float SHIFTED = 0x1p112f;

  private Half() {}

  /**
   * The one formula of all kernels: exact for every finite half, subnormal ones included; what is
   * not finite becomes a number of about 10^5.
   */
  static float toFloat(short half) {
    return Float.intBitsToFloat((half << 13) & 0x8fffe000) * SHIFTED;
  }
}
