package dev.millrace.cli;

/** How the user calls us: a command that we suggest should work as it stands. */
final class Called {
  /** As the launcher was typed, such as {@code ./millrace}. */
  static final String MILLRACE = System.getProperty("millrace.command", "millrace");

  private Called() {}
}
