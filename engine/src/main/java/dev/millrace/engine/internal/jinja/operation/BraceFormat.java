package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.RenderBudget;

/**
 * Python's {@code text.format(...)}: {@code {}}, {@code {0}}, {@code {name}}, each with a
 * conversion and a format spec; attributes and items are rejected.
 */
final class BraceFormat {
  private final PyString string;
  private final String text;
  private final PyArguments args;
  private final RenderBudget budget;
  private final PyString.Builder out = new PyString.Builder();
  private int automatic;

  private BraceFormat(PyString string, PyArguments args, RenderBudget budget) {
    this.string = string;
    this.text = string.text();
    this.args = args;
    this.budget = budget;
  }

  static PyString format(PyString text, PyArguments args, RenderBudget budget) {
    return new BraceFormat(text, args, budget).run();
  }

  private PyString run() {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '{' && c != '}') {
        out.append(string, i, i + 1);
      } else if (i + 1 < text.length() && text.charAt(i + 1) == c) {
        out.append(string, i, i + 1);
        i++;
      } else {
        int end = text.indexOf('}', i);
        if (c == '}' || end < 0) {
          throw new ChatTemplateException("Single '" + c + "' encountered in format string");
        }
        field(text.substring(i + 1, end));
        i = end;
      }
    }
    budget.chargeText(out.length());
    return out.build();
  }

  private void field(String field) {
    int colon = field.indexOf(':');
    String spec = colon < 0 ? "" : field.substring(colon + 1);
    String name = colon < 0 ? field : field.substring(0, colon);
    int bang = name.indexOf('!');
    Object value = value(bang < 0 ? name : name.substring(0, bang));
    if (bang >= 0) {
      value = name.endsWith("!r") ? PyText.repr(value) : PyText.str(value);
    }
    PyString shown =
        spec.isEmpty() ? PyText.str(value) : FormatSpec.parse(spec).apply(value, budget);
    budget.chargeAppend(out.length(), shown.length());
    out.append(shown);
  }

  private Object value(String name) {
    if (name.isEmpty() || name.matches("\\d{1,9}")) {
      int index = name.isEmpty() ? automatic++ : Integer.parseInt(name);
      if (index >= args.positional().size()) {
        throw new ChatTemplateException(
            "Replacement index " + index + " out of range for positional args tuple");
      }
      return args.positional().get(index);
    }
    Object value = args.named().get(name);
    if (value == null) {
      throw new ChatTemplateException(
          "the format field '" + name + "' is not among the arguments, or not supported");
    }
    return value;
  }
}
