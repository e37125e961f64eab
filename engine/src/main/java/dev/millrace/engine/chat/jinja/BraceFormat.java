package dev.millrace.engine.chat.jinja;

/**
 * Python's {@code text.format(...)}: {@code {}}, {@code {0}}, {@code {name}}, each with a
 * conversion and a format spec; attributes and items are refused.
 */
final class BraceFormat {
  private final String text;
  private final Arguments args;
  private final Budget budget;
  private final StringBuilder out = new StringBuilder();
  private int automatic;

  private BraceFormat(String text, Arguments args, Budget budget) {
    this.text = text;
    this.args = args;
    this.budget = budget;
  }

  static String format(String text, Arguments args, Budget budget) {
    return new BraceFormat(text, args, budget).run();
  }

  private String run() {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '{' && c != '}') {
        out.append(c);
      } else if (i + 1 < text.length() && text.charAt(i + 1) == c) {
        out.append(c);
        i++;
      } else {
        int end = text.indexOf('}', i);
        if (c == '}' || end < 0) {
          throw new TemplateException("Single '" + c + "' encountered in format string");
        }
        field(text.substring(i + 1, end));
        i = end;
      }
    }
    budget.text(out.length());
    return out.toString();
  }

  private void field(String field) {
    int colon = field.indexOf(':');
    String spec = colon < 0 ? "" : field.substring(colon + 1);
    String name = colon < 0 ? field : field.substring(0, colon);
    int bang = name.indexOf('!');
    Object value = value(bang < 0 ? name : name.substring(0, bang));
    if (bang >= 0) {
      value = name.endsWith("!r") ? Text.repr(value) : Text.str(value);
    }
    String shown = spec.isEmpty() ? Text.str(value) : FormatSpec.parse(spec).apply(value, budget);
    budget.grow(out.length(), shown.length());
    out.append(shown);
  }

  private Object value(String name) {
    if (name.isEmpty() || name.matches("\\d{1,9}")) {
      int index = name.isEmpty() ? automatic++ : Integer.parseInt(name);
      if (index >= args.positional().size()) {
        throw new TemplateException(
            "Replacement index " + index + " out of range for positional args tuple");
      }
      return args.positional().get(index);
    }
    Object value = args.named().get(name);
    if (value == null) {
      throw new TemplateException(
          "the format field '" + name + "' is not among the arguments, or not supported");
    }
    return value;
  }
}
