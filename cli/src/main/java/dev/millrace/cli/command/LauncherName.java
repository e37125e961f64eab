package dev.millrace.cli.command;

/** How the user calls us: a command that we suggest should work as it stands. */
public final class LauncherName {
  /** As the launcher was typed, such as {@code ./millrace}. */
  public static final String MILLRACE = System.getProperty("millrace.command", "millrace");

  private LauncherName() {}
}
