package dev.millrace.engine.api;

import dev.millrace.engine.error.EngineException;
import java.util.OptionalInt;

/**
 * Which arithmetic computes: the scalar oracle, or vectors. Both give the same bits. Chosen once,
 * at start.
 */
public enum KernelType {
  /** Plain loops: slow, and the definition of what is right. */
  SCALAR,

  /** The Vector API, at the width of the processor, or the one that {@code millrace.vector.bits} asks for. */
  VECTOR;

  /** The flag without which a JVM has no Vector API. */
  public static final String FLAG = "--add-modules jdk.incubator.vector";

  private static final boolean VECTORS =
      ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

  /**
   * The width that {@code millrace.vector.bits} asks for.
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

  /** Vectors where the JVM has the Vector API, else the oracle. */
  public static KernelType best() {
    return VECTORS ? VECTOR : SCALAR;
  }
}
