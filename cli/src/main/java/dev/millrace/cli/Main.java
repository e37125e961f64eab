package dev.millrace.cli;

import java.util.Objects;

/** Where every command starts. */
public final class Main {
  private static final String USAGE = "usage: millrace [--version] COMMAND [ARGUMENT...]";

  private Main() {}

  public static void main(String[] args) {
    System.exit(run(args));
  }

  /** Runs one command and returns its exit status. */
  static int run(String... args) {
    return switch (args.length == 0 ? "" : args[0]) {
      case "--version" -> {
        System.out.println("millrace " + version());
        yield 0;
      }
      case AotTraining.ARGUMENT -> AotTraining.run();
      default -> {
        System.err.println(USAGE);
        yield 1;
      }
    };
  }

  /** The jar knows its version; classes outside of a jar have none. */
  private static String version() {
    return Objects.requireNonNullElse(
        Main.class.getPackage().getImplementationVersion(), "(unpackaged)");
  }
}
