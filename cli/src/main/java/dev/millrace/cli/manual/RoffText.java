package dev.millrace.cli.manual;

/** Text for man pages: nothing in it is taken for a request, and dashes stay what users type. */
final class RoffText {
  private RoffText() {}

  static String escaped(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints().forEach(it -> append(out, it));
    return out.toString();
  }

  private static void append(StringBuilder out, int character) {
    boolean lineStarts = out.isEmpty() || out.charAt(out.length() - 1) == '\n';
    switch (character) {
      case '\\' -> out.append("\\e");
      case '-' -> out.append("\\-");
      case '~' -> out.append("\\(ti");
      case '^' -> out.append("\\(ha");
      case '`' -> out.append("\\(ga");
      case '\'' -> out.append("\\(aq");
      case '"' -> out.append("\\(dq");
      case '.' -> out.append(lineStarts ? "\\&." : ".");
      default -> {
        if (character < 128) {
          out.append((char) character);
        } else {
          out.append("\\[u%04X]".formatted(character));
        }
      }
    }
  }
}
