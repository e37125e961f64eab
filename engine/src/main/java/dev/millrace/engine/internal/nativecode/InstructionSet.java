package dev.millrace.engine.internal.nativecode;

import dev.millrace.engine.error.EngineException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The instruction sets that native kernels are compiled for, the best first. */
public enum InstructionSet {
  /** 512 bits and the dot product of bytes. */
  AVX512(4, 64, true),

  /** 256 bits and the dot product of bytes. Not tested on a processor yet, so only on request. */
  AVXVNNI(2, 32, false),

  /** 256 bits. */
  AVX2(1, 32, true);

  /** The system property that chooses an instruction set, or none. */
  public static final String PROPERTY = "millrace.native";

  private static final String OFF = "off";

  /** The bit for it in what the library says of the processor. */
  private final int bit;

  /** Products of bytes in an instruction of {@link NativeKernels#peak}. */
  final int products;

  private final boolean usual;

  InstructionSet(int bit, int products, boolean usual) {
    this.bit = bit;
    this.products = products;
    this.usual = usual;
  }

  /** As in the names of functions, and for people. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether {@link #PROPERTY} forbids native kernels. */
  static boolean areOff() {
    return OFF.equals(System.getProperty(PROPERTY));
  }

  /**
   * The best set of a processor, or the one that {@link #PROPERTY} asks for.
   *
   * @param processor the bits that the library found
   * @return null if the processor has none of them
   * @throws EngineException if the property has no known value, or asks for what is not there
   */
  static @Nullable InstructionSet choose(int processor) {
    String asked = System.getProperty(PROPERTY);
    for (InstructionSet set : values()) {
      if ((processor & set.bit) != 0
          && (asked == null ? set.usual : asked.equals(set.toString()))) {
        return set;
      }
    }
    if (asked == null) {
      return null;
    }
    throw new EngineException(
        PROPERTY
            + " is \""
            + asked
            + "\": it must be off, or an instruction set that this processor has, of avx512,"
            + " avxvnni and avx2");
  }
}
