package dev.millrace.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the commands that a message suggests, and splits them into words as a shell does. */
public final class SuggestedCommandFinder {
  /** In quotation marks, or to the end of the line or of what a terminal shows. */
  private static final Pattern COMMAND =
      Pattern.compile("\"(millrace [^\"]+)\"|(?:: | {2})(millrace [^\n\033#]+)");

  private SuggestedCommandFinder() {}

  /** The arguments of each command in the text. */
  public static List<String[]> in(String text) {
    List<String[]> commands = new ArrayList<>();
    Matcher matcher = COMMAND.matcher(text);
    while (matcher.find()) {
      String command = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
      List<String> words = words(command.strip());
      commands.add(words.subList(1, words.size()).toArray(String[]::new));
    }
    return commands;
  }

  private static List<String> words(String command) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < command.length(); i++) {
      char c = command.charAt(i);
      if (c == '\'') {
        quoted = !quoted;
      } else if (c == '\\' && !quoted) {
        word.append(command.charAt(++i));
      } else if (c == ' ' && !quoted) {
        words.add(word.toString());
        word.setLength(0);
      } else {
        word.append(c);
      }
    }
    words.add(word.toString());
    return words;
  }
}
