package dev.millrace.engine.internal.jinja.filter;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.operation.LetterCase;
import dev.millrace.engine.internal.jinja.operation.PercentFormat;
import dev.millrace.engine.internal.jinja.operation.StringMethods;
import dev.millrace.engine.internal.jinja.operation.StringSplitter;
import dev.millrace.engine.internal.jinja.operation.TextPadding;
import dev.millrace.engine.internal.jinja.operation.Whitespace;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.Tuple;
import java.util.List;
import java.util.regex.Pattern;

/** The filters from text to text. */
final class TextFilters {
  private static final Pattern WORD = Pattern.compile("\\w+", Pattern.UNICODE_CHARACTER_CLASS);
  private static final PyString BLANK = PyString.ofTemplate(" ");
  private static final long LEEWAY = 5;

  private final RenderBudget budget;
  private final StringMethods strings;

  TextFilters(RenderBudget budget) {
    this.budget = budget;
    this.strings = new StringMethods(budget);
  }

  Object apply(String name, Object value, PyArguments args) {
    PyString text = PyText.str(value);
    return switch (name) {
      case "upper" -> LetterCase.upper(text);
      case "lower" -> LetterCase.lower(text);
      case "title" -> LetterCase.titleWords(text);
      case "capitalize" -> LetterCase.capitalize(text);
      case "trim" -> trim(text, args);
      case "replace" -> replace(text, args);
      case "indent" -> indent(value, args);
      case "center" -> TextPadding.pad(text, args.integer(0, "width", 80), BLANK, '^', budget);
      case "format" -> format(text, args);
      case "truncate" -> truncate(text, args);
      default -> WORD.matcher(text.text()).results().count();
    };
  }

  private static PyString trim(PyString text, PyArguments args) {
    args.requireOnly("trim", "chars");
    Object chars = args.get(0, "chars", None.NONE);
    return chars == None.NONE
        ? Whitespace.strip(text)
        : Whitespace.stripChars(text, PyTypes.text(chars, "trim"), true, true);
  }

  private PyString replace(PyString text, PyArguments args) {
    args.requireOnly("replace", "old", "new", "count");
    long count = args.get(2, "count", None.NONE) == None.NONE ? -1 : args.integer(2, "count", -1);
    return strings.replace(
        text,
        PyText.str(args.required(0, "old")).text(),
        PyText.str(args.required(1, "new")),
        count);
  }

  private PyString indent(Object value, PyArguments args) {
    args.requireOnly("indent", "width", "first", "blank");
    PyString text = PyTypes.string(value, "indent");
    Object width = args.get(0, "width", 4L);
    PyString by =
        PyTypes.isText(width)
            ? PyText.str(width)
            : TextPadding.pad(PyString.EMPTY, PyTypes.integer(width, "indent"), BLANK, '<', budget);
    PyString ended = new PyString.Builder().append(text).append("\n").build();
    List<PyString> lines = StringSplitter.splitLines(ended, false);
    PyString.Builder out = new PyString.Builder();
    out.append(args.flag(1, "first") ? by : PyString.EMPTY);
    for (int i = 0; i < lines.size(); i++) {
      PyString line = lines.get(i);
      boolean indented = i > 0 && (args.flag(2, "blank") || !line.isEmpty());
      budget.chargeAppend(out.length(), by.length() + line.length() + 1);
      out.append(i > 0 ? "\n" : "").append(indented ? by : PyString.EMPTY).append(line);
    }
    return out.build();
  }

  private PyString format(PyString text, PyArguments args) {
    if (!args.positional().isEmpty() && !args.named().isEmpty()) {
      throw new ChatTemplateException("format takes positional or named values, not both");
    }
    Object values = args.named().isEmpty() ? new Tuple(args.positional()) : args.namedAsDict();
    return PercentFormat.format(text, values, budget);
  }

  private static PyString truncate(PyString text, PyArguments args) {
    args.requireOnly("truncate", "length", "killwords", "end", "leeway");
    long length = args.integer(0, "length", 255);
    PyString end = args.string(2, "end", "...");
    long keep = length - PyTypes.length(end);
    if (keep < 0) {
      throw new ChatTemplateException("truncate to less than the length of its end mark");
    }
    if (PyTypes.length(text) <= length + args.integer(3, "leeway", LEEWAY)) {
      return text;
    }
    PyString kept = text.substring(0, text.text().offsetByCodePoints(0, (int) keep));
    int blank = args.flag(1, "killwords") ? -1 : kept.text().lastIndexOf(' ');
    return new PyString.Builder()
        .append(blank < 0 ? kept : kept.substring(0, blank))
        .append(end)
        .build();
  }
}
