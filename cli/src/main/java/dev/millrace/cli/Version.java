package dev.millrace.cli;

import java.util.Objects;

/** Which Millrace this is. */
final class Version {
  private Version() {}

  /** The jar knows; classes outside of a jar have none. */
  static String number() {
    return Objects.requireNonNullElse(
        Version.class.getPackage().getImplementationVersion(), "(unpackaged)");
  }
}
