package dev.millrace.engine.internal.toolcall;

/**
 * Checks one JSON value, character by character. The only leniency: control characters within
 * strings, which {@link #spelling} escapes.
 */
final class JsonScanner {
  /** What a character does to the value. */
  enum Result {
    /** The value goes on. */
    MORE,
    /** The value is complete with this character. */
    DONE,
    /** The value, a number, was complete before this character. */
    DONE_BEFORE,
    /** This is not JSON. */
    FAIL
  }

  private enum State {
    VALUE,
    VALUE_OR_END,
    KEY,
    KEY_OR_END,
    COLON,
    AFTER_VALUE,
    STRING,
    ESCAPE,
    UNICODE,
    MINUS,
    ZERO,
    INTEGER,
    POINT,
    FRACTION,
    EXPONENT,
    EXPONENT_SIGN,
    EXPONENT_DIGITS,
    WORD,
    COMPLETE
  }

  private static final int MAX_DEPTH = 200;

  private final StringBuilder open = new StringBuilder();
  private State state = State.VALUE;
  private boolean key; // whether the string is the name of a member
  private int digits; // of a \\u escape
  private String word = "";
  private int read; // characters of the word
  private boolean escape; // whether the last character must be escaped

  Result accept(char c) {
    escape = state == State.STRING && c < ' ';
    if (isNumber() && !isNumberPart(c)) {
      endValue();
      if (state == State.COMPLETE) {
        return Result.DONE_BEFORE;
      }
    }
    boolean valid =
        switch (state) {
          case VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, AFTER_VALUE ->
              isBlank(c) || structure(c);
          case STRING, ESCAPE, UNICODE -> string(c);
          case WORD -> word(c);
          case COMPLETE -> false;
          default -> number(c);
        };
    return !valid ? Result.FAIL : state == State.COMPLETE ? Result.DONE : Result.MORE;
  }

  /** The last character as it is to be written. */
  String spelling(char c) {
    return escape ? JsonText.escape(c) : String.valueOf(c);
  }

  /** Whether the value would be complete if the text ended here. */
  boolean isComplete() {
    return state == State.COMPLETE || open.isEmpty() && isNumber();
  }

  static boolean isBlank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }

  private boolean structure(char c) {
    return switch (state) {
      case KEY, KEY_OR_END -> c == '"' ? beginString(true) : c == '}' && mayClose() && close('{');
      case COLON -> c == ':' && go(State.VALUE);
      case AFTER_VALUE ->
          switch (c) {
            case ',' -> go(inObject() ? State.KEY : State.VALUE);
            case '}' -> inObject() && close('{');
            case ']' -> !inObject() && close('[');
            default -> false;
          };
      default -> c == ']' ? mayClose() && close('[') : beginValue(c);
    };
  }

  private boolean mayClose() {
    return state == State.KEY_OR_END || state == State.VALUE_OR_END;
  }

  private boolean beginValue(char c) {
    return switch (c) {
      case '{' -> open(c, State.KEY_OR_END);
      case '[' -> open(c, State.VALUE_OR_END);
      case '"' -> beginString(false);
      case 't' -> beginWord("true");
      case 'f' -> beginWord("false");
      case 'n' -> beginWord("null");
      case '-' -> go(State.MINUS);
      case '0' -> go(State.ZERO);
      default -> c >= '1' && c <= '9' && go(State.INTEGER);
    };
  }

  private boolean go(State next) {
    state = next;
    return true;
  }

  private boolean open(char bracket, State next) {
    if (open.length() == MAX_DEPTH) {
      return false;
    }
    open.append(bracket);
    return go(next);
  }

  private boolean close(char bracket) {
    if (open.charAt(open.length() - 1) != bracket) {
      return false;
    }
    open.setLength(open.length() - 1);
    endValue();
    return true;
  }

  private void endValue() {
    state = open.isEmpty() ? State.COMPLETE : State.AFTER_VALUE;
  }

  private boolean inObject() {
    return open.charAt(open.length() - 1) == '{';
  }

  private boolean beginString(boolean isKey) {
    key = isKey;
    return go(State.STRING);
  }

  private boolean string(char c) {
    return switch (state) {
      case STRING -> {
        if (c == '"') {
          if (key) {
            state = State.COLON;
          } else {
            endValue();
          }
        } else if (c == '\\') {
          state = State.ESCAPE;
        }
        yield true;
      }
      case ESCAPE -> {
        digits = 0;
        state = c == 'u' ? State.UNICODE : State.STRING;
        yield c == 'u' || "\"\\/bfnrt".indexOf(c) >= 0;
      }
      default -> {
        state = ++digits == 4 ? State.STRING : State.UNICODE;
        yield Character.digit(c, 16) >= 0 && c < 0x80;
      }
    };
  }

  private boolean beginWord(String expected) {
    word = expected;
    read = 1;
    return go(State.WORD);
  }

  private boolean word(char c) {
    if (word.charAt(read++) != c) {
      return false;
    }
    if (read == word.length()) {
      endValue();
    }
    return true;
  }

  /** Whether a number may be complete here. */
  private boolean isNumber() {
    return switch (state) {
      case ZERO, INTEGER, FRACTION, EXPONENT_DIGITS -> true;
      default -> false;
    };
  }

  private static boolean isNumberPart(char c) {
    return isDigit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private boolean number(char c) {
    boolean exponent = c == 'e' || c == 'E';
    return switch (state) {
      case MINUS -> isDigit(c) && go(c == '0' ? State.ZERO : State.INTEGER);
      case ZERO -> c == '.' ? go(State.POINT) : exponent && go(State.EXPONENT);
      case INTEGER -> isDigit(c) || (c == '.' ? go(State.POINT) : exponent && go(State.EXPONENT));
      case POINT -> isDigit(c) && go(State.FRACTION);
      case FRACTION -> isDigit(c) || exponent && go(State.EXPONENT);
      case EXPONENT ->
          isDigit(c)
              ? go(State.EXPONENT_DIGITS)
              : (c == '+' || c == '-') && go(State.EXPONENT_SIGN);
      case EXPONENT_SIGN -> isDigit(c) && go(State.EXPONENT_DIGITS);
      default -> isDigit(c);
    };
  }
}
