package dev.millrace.engine.internal.toolcall;

/**
 * Reads arguments as Qwen3-Coder writes them: {@code <parameter=K>V</parameter>} for each, up to
 * {@code </function>}. A newline on each side of a value is not part of it.
 */
final class TagArgumentsStep implements CallStep {
  static final String OPEN = "<parameter=";
  static final String CLOSE = "</parameter>";
  static final String END = "</function>";
  private static final int MAX_KEY = 256;

  private enum State {
    BETWEEN,
    KEY,
    VALUE
  }

  private final StringBuilder text = new StringBuilder(); // of a tag, a key or a value
  private State state = State.BETWEEN;
  private String key = "";

  /** Whether a value cannot be written as it is: the parser would take a part of it for its end. */
  static boolean endsWithin(String value) {
    return value.contains(CLOSE);
  }

  @Override
  public Result accept(char c, CallDraft draft) {
    if (draft.arguments.isEmpty()) {
      draft.arguments.append('{');
    }
    return switch (state) {
      case BETWEEN -> between(c, draft);
      case KEY -> inKey(c);
      case VALUE -> inValue(c, draft);
    };
  }

  private Result between(char c, CallDraft draft) {
    if (text.isEmpty() && JsonScanner.isBlank(c)) {
      return Result.MORE;
    }
    String tag = text.append(c).toString();
    if (tag.equals(END)) {
      draft.arguments.append('}');
      return Result.DONE;
    }
    if (tag.equals(OPEN)) {
      return go(State.KEY);
    }
    return OPEN.startsWith(tag) || END.startsWith(tag) ? Result.MORE : Result.FAIL;
  }

  private Result go(State next) {
    state = next;
    text.setLength(0);
    return Result.MORE;
  }

  private Result inKey(char c) {
    if (c == '>' && !text.isEmpty()) {
      key = text.toString();
      return go(State.VALUE);
    }
    text.append(c);
    return c < ' ' || c == '<' || c == '>' || text.length() > MAX_KEY ? Result.FAIL : Result.MORE;
  }

  private Result inValue(char c, CallDraft draft) {
    text.append(c);
    ArgumentType type = draft.types().of(key);
    if (c == '>' && text.length() >= CLOSE.length() && ends()) {
      String value = value(text.length() - CLOSE.length());
      if (!type.isOpen(value)) {
        draft.arguments.append(member(draft)).append(type.toJson(value));
        return go(State.BETWEEN);
      }
    }
    return Result.MORE;
  }

  private boolean ends() {
    return text.indexOf(CLOSE, text.length() - CLOSE.length()) >= 0;
  }

  private String member(CallDraft draft) {
    return (draft.arguments.length() > 1 ? ", " : "") + JsonText.quote(key) + ": ";
  }

  /** The value that ends there, without the newlines around it. */
  private String value(int end) {
    int from = end > 0 && text.charAt(0) == '\n' ? 1 : 0;
    int to = end > from && text.charAt(end - 1) == '\n' ? end - 1 : end;
    return text.substring(from, to);
  }
}
