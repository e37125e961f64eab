package dev.millrace.cli;

/**
 * Gives this JVM the Vector API without the warning that {@code --add-modules} prints for an
 * incubator module: loads the module after the start, as the JDK does with its own management agent
 * (ADR 23). The jar's manifest exports the package of the method that does it.
 */
final class VectorModule {
  /** Set by the launcher for commands that compute, on JDKs where this is known to work. */
  private static final String ASKED = "millrace.vector.load";

  private VectorModule() {}

  /** Without the module the engine computes with plain loops, and warns; so this never fails. */
  static void loadIfAsked() {
    if (!Boolean.getBoolean(ASKED)) {
      return;
    }
    try {
      Class.forName("jdk.internal.module.Modules")
          .getMethod("loadModule", String.class)
          .invoke(null, "jdk.incubator.vector");
    } catch (ReflectiveOperationException e) {
      System.getLogger("dev.millrace.cli")
          .log(System.Logger.Level.DEBUG, "cannot load the Vector API", e);
    }
  }
}
