package dev.millrace.cli.command;

import java.util.Objects;

/** Which Millrace this is. */
public final class Version {
  private Version() {}

  /** The jar knows; classes outside of a jar have none. */
  public static String number() {
    return Objects.requireNonNullElse(
        Version.class.getPackage().getImplementationVersion(), "(unpackaged)");
  }
}
