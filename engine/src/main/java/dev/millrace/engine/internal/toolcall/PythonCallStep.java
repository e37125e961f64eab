package dev.millrace.engine.internal.toolcall;

import java.util.Map;

/**
 * Reads a call in Python's notation: {@code name(key="text", other=1)}, with strings in either
 * quotes, and JSON or Python's words for other values. Llama writes {@code name.call(…)} for
 * built-in tools.
 */
final class PythonCallStep implements CallStep {
  private static final Map<String, String> WORDS =
      Map.of("True", "true", "False", "false", "None", "null");

  private enum State {
    NAME,
    KEY,
    VALUE,
    STRING,
    ESCAPE,
    PLAIN,
    AFTER_VALUE
  }

  private final String suffix;
  private final StringBuilder text = new StringBuilder();
  private State state = State.NAME;
  private String key = "";
  private char quote;
  private int depth; // of brackets in a value without quotes

  /** Reads a call whose name has a suffix before its parenthesis. */
  PythonCallStep(String suffix) {
    this.suffix = suffix;
  }

  @Override
  public Result accept(char c, CallDraft draft) {
    return switch (state) {
      case NAME -> inName(c, draft);
      case KEY -> inKey(c, draft);
      case VALUE -> beginValue(c);
      case STRING -> inString(c, draft);
      case ESCAPE -> escape(c);
      case PLAIN -> plain(c, draft);
      case AFTER_VALUE -> afterValue(c, draft);
    };
  }

  private Result go(State next) {
    state = next;
    text.setLength(0);
    return Result.MORE;
  }

  private Result inName(char c, CallDraft draft) {
    if (c != '(') {
      text.append(c);
      return c == '_' || c == '.' || c == '-' || Character.isLetterOrDigit(c)
          ? Result.MORE
          : Result.FAIL;
    }
    String name = text.toString();
    if (!name.endsWith(suffix)
        || !draft.setName(name.substring(0, name.length() - suffix.length()))) {
      return Result.FAIL;
    }
    draft.arguments.append('{');
    return go(State.KEY);
  }

  private Result inKey(char c, CallDraft draft) {
    if (c == '=' && !text.isEmpty()) {
      key = text.toString().strip();
      return go(State.VALUE);
    }
    if (c == ')' && text.toString().isBlank()) {
      draft.arguments.append('}');
      return Result.DONE;
    }
    text.append(c);
    boolean valid = c == ' ' || c == '_' || Character.isLetterOrDigit(c);
    return valid && text.length() <= 128 ? Result.MORE : Result.FAIL;
  }

  private Result beginValue(char c) {
    if (c == ' ') {
      return Result.MORE;
    }
    if (c == '"' || c == '\'') {
      quote = c;
      return go(State.STRING);
    }
    text.append(c);
    depth = c == '[' || c == '{' ? 1 : 0;
    state = State.PLAIN;
    return c == ',' || c == ')' ? Result.FAIL : Result.MORE;
  }

  private Result inString(char c, CallDraft draft) {
    if (c == quote) {
      return add(JsonText.quote(text.toString()), draft);
    }
    if (c == '\\') {
      state = State.ESCAPE;
    } else {
      text.append(c);
    }
    return Result.MORE;
  }

  private Result escape(char c) {
    switch (c) {
      case 'n' -> text.append('\n');
      case 't' -> text.append('\t');
      case 'r' -> text.append('\r');
      case '\\', '\'', '"' -> text.append(c);
      default -> text.append('\\').append(c);
    }
    state = State.STRING;
    return Result.MORE;
  }

  private Result plain(char c, CallDraft draft) {
    if (depth == 0 && (c == ',' || c == ')')) {
      String value = text.toString().strip();
      String json = WORDS.getOrDefault(value, value);
      if (JsonText.extent(json) != JsonText.Extent.COMPLETE) {
        return Result.FAIL;
      }
      add(json, draft);
      return afterValue(c, draft);
    }
    text.append(c);
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    return depth < 0 ? Result.FAIL : Result.MORE;
  }

  private Result add(String json, CallDraft draft) {
    draft.arguments.append(member(draft)).append(json);
    return go(State.AFTER_VALUE);
  }

  private String member(CallDraft draft) {
    return (draft.arguments.length() > 1 ? ", " : "") + JsonText.quote(key) + ": ";
  }

  private Result afterValue(char c, CallDraft draft) {
    return switch (c) {
      case ' ' -> Result.MORE;
      case ',' -> go(State.KEY);
      case ')' -> {
        draft.arguments.append('}');
        yield Result.DONE;
      }
      default -> Result.FAIL;
    };
  }
}
