package dev.millrace.cli.command;

import java.util.Objects;

/** The version of this program. */
public final class Version {
  private Version() {}

  /** The version in the jar's manifest; classes outside of a jar have none. */
  public static String number() {
    return Objects.requireNonNullElse(
        Version.class.getPackage().getImplementationVersion(), "(unpackaged)");
  }
}
