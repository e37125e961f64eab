package dev.millrace.engine.internal.jinja.parse;

/**
 * A token of a template's source. The text of a string is unescaped; that of an operator or a name
 * is as written.
 */
record JinjaToken(Kind kind, String text, int line) {
  enum Kind {
    DATA,
    BLOCK_BEGIN,
    BLOCK_END,
    PRINT_BEGIN,
    PRINT_END,
    NAME,
    STRING,
    INTEGER,
    FLOAT,
    OPERATOR,
    END
  }

  boolean is(Kind kind, String text) {
    return this.kind == kind && this.text.equals(text);
  }

  /** The token for an error message. */
  String shown() {
    return switch (kind) {
      case BLOCK_END, PRINT_END -> "the end of the tag";
      case END -> "the end of the template";
      case DATA, BLOCK_BEGIN, PRINT_BEGIN -> "text";
      default -> "'" + text + "'";
    };
  }
}
