package dev.millrace.engine.internal.tensor;

/** Conversion of the 16-bit floats in model files: scales and weights, which are finite. */
public final class HalfFloat {
  /**
   * Where the exponent of a half lands in a float when its bits are shifted there: 2^(127 - 15).
   */
  public static final float SHIFTED = 0x1p112f;

  private HalfFloat() {}

  /**
   * The one formula of all kernels: exact for every finite half, subnormal ones included; what is
   * not finite becomes a number of about 10^5.
   */
  public static float toFloat(short half) {
    return Float.intBitsToFloat((half << 13) & 0x8fffe000) * SHIFTED;
  }
}
