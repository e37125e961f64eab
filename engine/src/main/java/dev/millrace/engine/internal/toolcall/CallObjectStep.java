package dev.millrace.engine.internal.toolcall;

import java.util.Set;

/**
 * Reads a call that is a JSON object with a name and arguments, in any order. Arguments may be an
 * object, a string that holds one, null, or missing. All of it may be in a member {@code function}.
 * An object with other members is no call.
 */
final class CallObjectStep implements CallStep {
  private static final Set<String> ARGUMENTS = Set.of("arguments", "parameters");
  private static final Set<String> KNOWN =
      Set.of("name", "arguments", "parameters", "function", "id", "type");

  private enum State {
    BEGIN,
    KEY_OR_END,
    KEY,
    IN_KEY,
    COLON,
    VALUE,
    IN_VALUE,
    IN_ARGUMENTS,
    IN_FUNCTION,
    AFTER_VALUE
  }

  private final boolean inFunction; // where there is no further one
  private final StringBuilder text = new StringBuilder(); // of a key, or of a value
  private State state = State.BEGIN;
  private JsonScanner scanner = new JsonScanner();
  private ArgumentsStep arguments = new ArgumentsStep();
  private CallStep function = arguments; // until there is one
  private String key = "";

  CallObjectStep() {
    this(false);
  }

  private CallObjectStep(boolean inFunction) {
    this.inFunction = inFunction;
  }

  /** Reads an object whose brace was read already. */
  static CallStep opened() {
    CallObjectStep step = new CallObjectStep();
    step.state = State.KEY_OR_END;
    return step;
  }

  @Override
  public Result accept(char c, CallDraft draft) {
    boolean blank = JsonScanner.isBlank(c);
    return switch (state) {
      case BEGIN -> go(c == '{', State.KEY_OR_END);
      case KEY_OR_END -> blank ? Result.MORE : c == '}' ? end(draft) : beginKey(c);
      case KEY -> blank ? Result.MORE : beginKey(c);
      case IN_KEY -> inKey(c);
      case COLON -> blank ? Result.MORE : go(c == ':', State.VALUE);
      case VALUE -> blank ? Result.MORE : beginValue(c, draft);
      case IN_VALUE -> inValue(c, draft);
      case IN_ARGUMENTS -> inside(arguments, c, draft);
      case IN_FUNCTION -> inside(function, c, draft);
      case AFTER_VALUE -> blank ? Result.MORE : c == '}' ? end(draft) : go(c == ',', State.KEY);
    };
  }

  private Result inside(CallStep step, char c, CallDraft draft) {
    Result result = step.accept(c, draft);
    return result == Result.DONE ? go(true, State.AFTER_VALUE) : result;
  }

  private Result go(boolean valid, State next) {
    state = next;
    return valid ? Result.MORE : Result.FAIL;
  }

  private Result end(CallDraft draft) {
    if (draft.name() == null) {
      return Result.FAIL;
    }
    if (draft.arguments.isEmpty()) {
      draft.arguments.append("{}");
    }
    return Result.DONE;
  }

  private Result beginKey(char c) {
    begin();
    return c == '"' ? inKey(c) : Result.FAIL;
  }

  private void begin() {
    scanner = new JsonScanner();
    text.setLength(0);
  }

  private Result inKey(char c) {
    state = State.IN_KEY;
    text.append(c);
    return switch (scanner.accept(c)) {
      case MORE -> Result.MORE;
      case DONE -> {
        key = JsonText.unquote(text.toString());
        yield go(KNOWN.contains(key) && !(inFunction && key.equals("function")), State.COLON);
      }
      default -> Result.FAIL;
    };
  }

  private Result beginValue(char c, CallDraft draft) {
    begin();
    if (key.equals("function")) {
      function = new CallObjectStep(true);
      state = State.IN_FUNCTION;
      return inside(function, c, draft);
    }
    if (ARGUMENTS.contains(key)) {
      if (!draft.arguments.isEmpty()) {
        return Result.FAIL; // twice
      }
      if (c == '{') {
        state = State.IN_ARGUMENTS;
        arguments = new ArgumentsStep();
        return arguments.accept(c, draft);
      }
    }
    state = State.IN_VALUE;
    return inValue(c, draft);
  }

  private Result inValue(char c, CallDraft draft) {
    JsonScanner.Result result = scanner.accept(c);
    if (result == JsonScanner.Result.MORE) {
      text.append(c);
      return Result.MORE;
    }
    if (result == JsonScanner.Result.FAIL) {
      return Result.FAIL;
    }
    if (result == JsonScanner.Result.DONE) {
      text.append(c);
    }
    if (!take(text.toString(), draft)) {
      return Result.FAIL;
    }
    state = State.AFTER_VALUE;
    return result == JsonScanner.Result.DONE ? Result.MORE : accept(c, draft);
  }

  private boolean take(String value, CallDraft draft) {
    boolean string = value.startsWith("\"");
    if (key.equals("name")) {
      return draft.name() == null && string && draft.setName(JsonText.unquote(value));
    }
    if (!ARGUMENTS.contains(key) || value.equals("null")) {
      return true;
    }
    String inner = string ? JsonText.unquote(value).strip() : "";
    if (!inner.startsWith("{") || JsonText.extent(inner) != JsonText.Extent.COMPLETE) {
      return false;
    }
    draft.arguments.append(JsonText.clean(inner));
    return true;
  }
}
