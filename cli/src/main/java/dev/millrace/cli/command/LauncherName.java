package dev.millrace.cli.command;

/** The name under which the user started the launcher, for commands that messages suggest. */
public final class LauncherName {
  /** As the launcher was typed, such as {@code ./millrace}. */
  public static final String MILLRACE = System.getProperty("millrace.command", "millrace");

  private LauncherName() {}
}
