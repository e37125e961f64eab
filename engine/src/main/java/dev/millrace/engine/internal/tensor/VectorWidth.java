package dev.millrace.engine.internal.tensor;

import dev.millrace.engine.api.KernelType;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The vector width of this process: {@code millrace.vector.bits}, or what the CPU prefers. The
 * species are constants, because only then do kernels compile to plain instructions. Loaded by
 * vector kernels alone: the Vector API may be absent.
 */
public final class VectorWidth {
  /** 128, 256 or 512. */
  public static final int BITS = bits();

  private static final VectorShape SHAPE = VectorShape.forBitSize(BITS);

  public static final VectorSpecies<Float> FLOATS = VectorSpecies.of(float.class, SHAPE);
  public static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, SHAPE);
  public static final VectorSpecies<Short> SHORTS = VectorSpecies.of(short.class, SHAPE);

  /**
   * As many 16-bit numbers as {@link #FLOATS} has lanes; at 128 bits more, because there is no
   * smaller shape: the rest is not used.
   */
  public static final VectorSpecies<Short> HALVES =
      VectorSpecies.of(short.class, VectorShape.forBitSize(Math.max(64, BITS / 2)));

  /** As many bytes as {@link #FLOATS} has lanes, or more: the rest is not used. */
  public static final VectorSpecies<Byte> QUARTERS =
      VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, BITS / 4)));

  /** How many floats a vector holds: 4, 8 or 16. */
  public static final int COUNT = BITS / 32;

  private VectorWidth() {}

  private static int bits() {
    int preferred = FloatVector.SPECIES_PREFERRED.vectorBitSize();
    return KernelType.vectorBits().orElse(Math.clamp(preferred, 128, 512));
  }
}
