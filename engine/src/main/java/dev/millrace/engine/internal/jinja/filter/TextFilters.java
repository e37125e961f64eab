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
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.Tuple;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The filters from text to text. */
final class TextFilters {
  private static final Pattern WORD = Pattern.compile("\\w+", Pattern.UNICODE_CHARACTER_CLASS);
  private static final long LEEWAY = 5;

  private final RenderBudget budget;
  private final StringMethods strings;

  TextFilters(RenderBudget budget) {
    this.budget = budget;
    this.strings = new StringMethods(budget);
  }

  Object apply(String name, Object value, PyArguments args) {
    String text = PyText.str(value);
    return switch (name) {
      case "upper" -> text.toUpperCase(Locale.ROOT);
      case "lower" -> text.toLowerCase(Locale.ROOT);
      case "title" -> LetterCase.titleWords(text);
      case "capitalize" -> LetterCase.capitalize(text);
      case "trim" -> trim(text, args);
      case "replace" -> replace(text, args);
      case "indent" -> indent(value, args);
      case "center" -> TextPadding.pad(text, args.integer(0, "width", 80), " ", '^', budget);
      case "format" -> format(text, args);
      case "truncate" -> truncate(text, args);
      default -> WORD.matcher(text).results().count();
    };
  }

  private static String trim(String text, PyArguments args) {
    args.requireOnly("trim", "chars");
    Object chars = args.get(0, "chars", None.NONE);
    return chars == None.NONE
        ? Whitespace.stripLeft(Whitespace.stripRight(text))
        : Whitespace.stripChars(text, PyTypes.text(chars, "trim"), true, true);
  }

  private String replace(String text, PyArguments args) {
    args.requireOnly("replace", "old", "new", "count");
    long count = args.get(2, "count", None.NONE) == None.NONE ? -1 : args.integer(2, "count", -1);
    return strings.replace(
        text, PyText.str(args.required(0, "old")), PyText.str(args.required(1, "new")), count);
  }

  private String indent(Object value, PyArguments args) {
    args.requireOnly("indent", "width", "first", "blank");
    String text = PyTypes.text(value, "indent");
    Object width = args.get(0, "width", 4L);
    String by =
        PyTypes.isText(width)
            ? PyText.str(width)
            : TextPadding.pad("", PyTypes.integer(width, "indent"), " ", '<', budget);
    List<Object> lines = StringSplitter.splitLines(text + "\n", false);
    StringBuilder out = new StringBuilder(args.flag(1, "first") ? by : "");
    for (int i = 0; i < lines.size(); i++) {
      String line = (String) lines.get(i);
      boolean indented = i > 0 && (args.flag(2, "blank") || !line.isEmpty());
      budget.chargeAppend(out.length(), by.length() + line.length() + 1);
      out.append(i > 0 ? "\n" : "").append(indented ? by : "").append(line);
    }
    return out.toString();
  }

  private String format(String text, PyArguments args) {
    if (!args.positional().isEmpty() && !args.named().isEmpty()) {
      throw new ChatTemplateException("format takes positional or named values, not both");
    }
    Object values =
        args.named().isEmpty() ? new Tuple(args.positional()) : Map.copyOf(args.named());
    return PercentFormat.format(text, values, budget);
  }

  private static String truncate(String text, PyArguments args) {
    args.requireOnly("truncate", "length", "killwords", "end", "leeway");
    long length = args.integer(0, "length", 255);
    String end = args.text(2, "end", "...");
    long keep = length - PyTypes.length(end);
    if (keep < 0) {
      throw new ChatTemplateException("truncate to less than the length of its end mark");
    }
    if (PyTypes.length(text) <= length + args.integer(3, "leeway", LEEWAY)) {
      return text;
    }
    String kept = text.substring(0, text.offsetByCodePoints(0, (int) keep));
    int blank = args.flag(1, "killwords") ? -1 : kept.lastIndexOf(' ');
    return (blank < 0 ? kept : kept.substring(0, blank)) + end;
  }
}
