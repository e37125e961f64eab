package dev.millrace.engine.api;

import dev.millrace.engine.error.EngineException;
import java.util.OptionalInt;

/**
 * How the arithmetic is computed: in plain loops, with vectors or by native code. All give the same
 * bits. Chosen once, at the start.
 */
public enum KernelType {
  /** Plain loops: slow, and the reference for correct results. */
  SCALAR,

  /**
   * The Vector API, at the processor's preferred width or the width of {@code
   * millrace.vector.bits}.
   */
  VECTOR,

  /**
   * Kernels in C for the formats that have some, vectors for everything else. An engine takes {@link
   * #VECTOR} where they cannot be loaded or fail their test: {@code Engine.kernels} tells.
   */
  NATIVE;

  /** The option that gives a JVM the Vector API. */
  public static final String FLAG = "--add-modules jdk.incubator.vector";

  private static final boolean VECTORS = hasVectorApi();

  /**
   * The width that {@code millrace.vector.bits} sets.
   *
   * @throws EngineException if it is none of 128, 256 and 512
   */
  public static OptionalInt vectorBits() {
    String asked = System.getProperty("millrace.vector.bits");
    return switch (asked) {
      case null -> OptionalInt.empty();
      case "128", "256", "512" -> OptionalInt.of(Integer.parseInt(asked));
      default ->
          throw new EngineException(
              "millrace.vector.bits is \"" + asked + "\": it must be 128, 256 or 512");
    };
  }

  /** {@link #NATIVE} if the JVM has the Vector API, else {@link #SCALAR}. */
  public static KernelType best() {
    return VECTORS ? NATIVE : SCALAR;
  }

  /** Asks for a class, as the module may be in a layer above the boot layer. */
  private static boolean hasVectorApi() {
    try {
      Class.forName("jdk.incubator.vector.VectorSpecies", false, KernelType.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
