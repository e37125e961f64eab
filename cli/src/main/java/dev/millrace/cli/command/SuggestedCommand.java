package dev.millrace.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A command that a message suggests. It can be typed as it is printed, in the directory and the
 * shell of the command that printed it: it names the launcher and the place as the user did, and
 * quotes what a shell would change. Messages take every such command from here.
 */
public final class SuggestedCommand {
  /** Stands for the user's prompt. */
  public static final String PROMPT = "your prompt";

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./=:@%+,-]+");

  /** A directory with such a name would be taken for an id or an option. */
  private static final Pattern NOT_A_PLACE = Pattern.compile("-.*|[0-9a-fA-F_-]+");

  private final List<String> words;

  private SuggestedCommand(List<String> words) {
    this.words = List.copyOf(words);
  }

  /** A command of ours and its arguments. */
  public static SuggestedCommand of(String command, Object... arguments) {
    return new SuggestedCommand(List.of(LauncherName.MILLRACE, command)).with(arguments);
  }

  /** The same with more arguments. */
  public SuggestedCommand with(Object... arguments) {
    List<String> all = new ArrayList<>(words);
    for (Object argument : arguments) {
      all.add(argument.toString());
    }
    return new SuggestedCommand(all);
  }

  /** The same on a workspace or a server, as the user named it. */
  public SuggestedCommand on(String place) {
    String name = NOT_A_PLACE.matcher(place).matches() ? "./" + place : place;
    return words.get(1).equals("serve") ? with("--workspace", name) : with(name);
  }

  /** The command in quotation marks, and what it does: for the middle of a sentence. */
  public String to(String effect) {
    return quoted() + " " + effect;
  }

  /** The command in quotation marks. */
  public String quoted() {
    return "\"" + this + "\"";
  }

  /** The command as one types it. */
  @Override
  public String toString() {
    return String.join(" ", words.stream().map(SuggestedCommand::quote).toList());
  }

  /** A word as a shell takes it for itself. */
  public static String quote(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
