package dev.millrace.cli.command;

import dev.millrace.cli.args.Syntax;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text that {@code --help} prints, with the launcher as the user typed it. */
public final class HelpText {
  /** The launcher where a command or a placeholder for one follows. */
  private static final Pattern LAUNCHER = Pattern.compile("(?<![\\w./-])millrace(?= [a-zA-Z])");

  private HelpText() {}

  public static String of(Syntax syntax) {
    return withLauncher(syntax.help());
  }

  /** A text in which commands begin with "millrace". */
  public static String withLauncher(String text) {
    return LAUNCHER
        .matcher(text)
        .replaceAll(Matcher.quoteReplacement(SuggestedCommand.quote(LauncherName.MILLRACE)));
  }
}
