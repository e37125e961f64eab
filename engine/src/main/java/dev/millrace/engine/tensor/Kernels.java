package dev.millrace.engine.tensor;

/**
 * Which arithmetic computes: the scalar oracle, or vectors. Both give the same bits. Chosen once,
 * at start.
 */
public enum Kernels {
  /** Plain loops: slow, and the definition of what is right. */
  SCALAR,

  /** The Vector API, at the width that {@link Lanes} says. */
  VECTOR;

  /** The flag without which a JVM has no Vector API. */
  public static final String FLAG = "--add-modules jdk.incubator.vector";

  private static final boolean VECTORS =
      ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

  /** Vectors where the JVM has the Vector API, else the oracle. */
  public static Kernels best() {
    return VECTORS ? VECTOR : SCALAR;
  }
}
