package dev.millrace.cli.documents;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Splits shell text into simple commands. It knows what documents use: quotes, comments, command
 * substitution, pipes, redirection, continued lines, and placeholders such as {@code <id>}.
 */
final class ShellText {
  private static final Pattern PLACEHOLDER = Pattern.compile("<[\\w-]+>");

  /** One simple command, and the line in which it begins. */
  record SimpleCommand(int line, List<String> words) {}

  private final String text;
  private final boolean inline;
  private final List<SimpleCommand> commands = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();
  private List<String> words = new ArrayList<>();
  private boolean quoted;
  private int line;
  private int firstLine;

  private ShellText(String text, int line, boolean inline) {
    this.text = text;
    this.line = line;
    this.inline = inline;
  }

  /**
   * @param inline whether the text stands in a sentence: there {@code a|b} is a choice
   */
  static List<SimpleCommand> split(String text, int line, boolean inline) {
    ShellText shell = new ShellText(text, line, inline);
    shell.read();
    return shell.commands;
  }

  private void read() {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '\\' -> i = escaped(i);
        case '\'', '"' -> i = quotation(i);
        case '#' -> i = comment(i);
        case '<' -> i = placeholder(i);
        case ' ', '\t' -> endWord();
        case '|' -> pipe(i);
        case '\n', ';', '&', '(', ')', '>' -> endCommand();
        default -> word.append(c);
      }
      if (c == '\n') {
        line++;
      }
    }
    endCommand();
  }

  private int escaped(int at) {
    if (at + 1 == text.length()) {
      return at;
    }
    if (text.charAt(at + 1) == '\n') {
      line++;
      endWord();
    } else {
      word.append(text.charAt(at + 1));
    }
    return at + 1;
  }

  private int quotation(int at) {
    char quote = text.charAt(at);
    int end = text.indexOf(quote, at + 1);
    if (end < 0) {
      word.append(quote); // an apostrophe
      return at;
    }
    String content = text.substring(at + 1, end);
    if (quote == '"' && content.contains("$(")) {
      commands.addAll(split(content.substring(content.indexOf("$(") + 2), line, inline));
    }
    line += (int) content.chars().filter(c -> c == '\n').count();
    word.append(content);
    quoted = true;
    return end;
  }

  private int comment(int at) {
    if (!word.isEmpty()) {
      word.append('#');
      return at;
    }
    int end = text.indexOf('\n', at);
    return (end < 0 ? text.length() : end) - 1;
  }

  private int placeholder(int at) {
    Matcher form = PLACEHOLDER.matcher(text).region(at, text.length());
    if (!form.lookingAt()) {
      endCommand();
      return at;
    }
    word.append(form.group());
    return form.end() - 1;
  }

  private void pipe(int at) {
    boolean spaced = at + 1 == text.length() || text.charAt(at + 1) == ' ';
    if (inline && !spaced) {
      word.append('|');
    } else {
      endCommand();
    }
  }

  private void endWord() {
    if (!word.isEmpty() || quoted) {
      if (words.isEmpty()) {
        firstLine = line;
      }
      words.add(word.toString());
    }
    word.setLength(0);
    quoted = false;
  }

  private void endCommand() {
    endWord();
    if (!words.isEmpty()) {
      commands.add(new SimpleCommand(firstLine, words));
      words = new ArrayList<>();
    }
  }
}
