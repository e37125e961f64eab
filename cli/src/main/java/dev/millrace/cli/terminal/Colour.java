package dev.millrace.cli.terminal;

/** The colours of words on a terminal. */
public enum Colour {
  NONE(""),
  BOLD("\033[1m"),
  GREY("\033[90m"),
  RED("\033[31m"),
  GREEN("\033[32m"),
  YELLOW("\033[33m"),
  BLUE("\033[34m");

  private final String code;

  Colour(String code) {
    this.code = code;
  }

  public String of(String text) {
    return this == NONE || text.isEmpty() ? text : code + text + "\033[0m";
  }
}
