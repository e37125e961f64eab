package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyCallable;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.Tuple;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The methods of Python's strings. */
public final class StringMethods {
  private final RenderBudget budget;

  public StringMethods(RenderBudget budget) {
    this.budget = budget;
  }

  /** The method, bound to its string; null if strings have none of that name. */
  @Nullable PyCallable method(PyString text, String name) {
    budget.chargeRead(text);
    return switch (name) {
      case "strip" -> args -> strip(text, args, true, true);
      case "lstrip" -> args -> strip(text, args, true, false);
      case "rstrip" -> args -> strip(text, args, false, true);
      case "split" -> args -> StringSplitter.split(text, args, budget);
      case "rsplit" -> args -> StringSplitter.rsplit(text, args, budget);
      case "splitlines" -> args -> StringSplitter.splitLines(text, args.flag(0, "keepends"));
      case "partition" -> args -> StringSplitter.partition(text, args, false);
      case "rpartition" -> args -> StringSplitter.partition(text, args, true);
      case "startswith" -> args -> affix(args, affix -> text.text().startsWith(affix));
      case "endswith" -> args -> affix(args, affix -> text.text().endsWith(affix));
      case "removeprefix" -> args -> removePrefix(text, string(args, 0).text());
      case "removesuffix" -> args -> removeSuffix(text, string(args, 0).text());
      case "replace" ->
          args ->
              replace(text, string(args, 0).text(), string(args, 1), args.integer(2, "count", -1));
      case "join" -> args -> join(text, args.required(0, "iterable"));
      case "format" -> args -> BraceFormat.format(text, args, budget);
      default -> {
        PyCallable query = query(text.text(), name);
        yield query != null ? query : shape(text, name);
      }
    };
  }

  private @Nullable PyCallable query(String text, String name) {
    return switch (name) {
      case "find" -> args -> find(text, args, false);
      case "rfind" -> args -> find(text, args, true);
      case "index" -> args -> found(find(text, args, false));
      case "rindex" -> args -> found(find(text, args, true));
      case "count" -> args -> count(text, string(args, 0).text());
      case "isdigit", "isdecimal", "isnumeric" -> _ -> every(text, Character::isDigit);
      case "isalpha" -> _ -> every(text, Character::isLetter);
      case "isalnum" -> _ -> every(text, Character::isLetterOrDigit);
      case "isspace" -> _ -> every(text, Whitespace::isSpace);
      case "islower" -> _ -> LetterCase.isLower(text);
      case "isupper" -> _ -> LetterCase.isUpper(text);
      default -> null;
    };
  }

  private @Nullable PyCallable shape(PyString text, String name) {
    return switch (name) {
      case "upper" -> _ -> LetterCase.upper(text);
      case "lower", "casefold" -> _ -> LetterCase.lower(text);
      case "title" -> _ -> LetterCase.title(text);
      case "capitalize" -> _ -> LetterCase.capitalize(text);
      case "swapcase" -> _ -> LetterCase.swap(text);
      case "center" -> args -> padded(text, args, '^');
      case "ljust" -> args -> padded(text, args, '<');
      case "rjust" -> args -> padded(text, args, '>');
      case "zfill" -> args -> zeros(text, args.integer(0, "width", 0));
      case "encode",
          "expandtabs",
          "translate",
          "maketrans",
          "format_map",
          "istitle",
          "isidentifier",
          "isprintable",
          "isascii" ->
          _ -> {
            throw new ChatTemplateException(
                "the method '" + name + "' of strings is not supported");
          };
      default -> null;
    };
  }

  private static PyString string(PyArguments args, int index) {
    return PyTypes.string(args.required(index, "argument " + (index + 1)), "a method of a string");
  }

  private static PyString strip(PyString text, PyArguments args, boolean left, boolean right) {
    Object chars = args.get(0, "chars", None.NONE);
    if (chars != None.NONE) {
      return Whitespace.stripChars(text, PyTypes.text(chars, "strip"), left, right);
    }
    PyString rest = left ? Whitespace.stripLeft(text) : text;
    return right ? Whitespace.stripRight(rest) : rest;
  }

  private static boolean affix(PyArguments args, Predicate<String> has) {
    Object affix = args.required(0, "prefix or suffix");
    if (affix instanceof Tuple several) {
      return several.stream()
          .anyMatch(one -> has.test(PyTypes.text(one, "startswith or endswith")));
    }
    return has.test(PyTypes.text(affix, "startswith or endswith"));
  }

  private static PyString removePrefix(PyString text, String prefix) {
    return text.text().startsWith(prefix) ? text.substring(prefix.length()) : text;
  }

  private static PyString removeSuffix(PyString text, String suffix) {
    return text.text().endsWith(suffix) ? text.substring(0, text.length() - suffix.length()) : text;
  }

  public PyString replace(PyString string, String old, PyString with, long count) {
    String text = string.text();
    long most = count < 0 ? Long.MAX_VALUE : count;
    budget.chargeSearch(text.length(), old.length());
    PyString.Builder out = new PyString.Builder();
    int from = 0;
    for (long n = 0; n < most; n++) {
      int at =
          old.isEmpty()
              ? (n == 0 ? 0 : text.offsetByCodePoints(from, from < text.length() ? 1 : 0))
              : text.indexOf(old, from);
      if (at < 0 || (old.isEmpty() && n > 0 && from == text.length())) {
        break;
      }
      budget.chargeAppend(out.length(), (at - from) + with.length());
      out.append(string, from, at).append(with);
      from = at + old.length();
    }
    budget.chargeAppend(out.length(), text.length() - from);
    return out.append(string, from, text.length()).build();
  }

  private PyString join(PyString between, Object items) {
    PyString.Builder out = new PyString.Builder();
    List<Object> list = PyTypes.list(items, budget);
    for (int i = 0; i < list.size(); i++) {
      PyString item = PyTypes.string(list.get(i), "item " + i + " of join");
      budget.chargeAppend(out.length(), item.length() + between.length());
      out.append(i == 0 ? PyString.EMPTY : between).append(item);
    }
    return out.build();
  }

  private long find(String text, PyArguments args, boolean last) {
    int[] window = window(text, args);
    String wanted = string(args, 0).text();
    budget.chargeSearch(text.length(), wanted.length());
    int at =
        last
            ? text.lastIndexOf(wanted, window[1] - wanted.length())
            : text.indexOf(wanted, window[0]);
    boolean inside = at >= window[0] && at + wanted.length() <= window[1];
    return inside ? text.codePointCount(0, at) : -1;
  }

  /**
   * The part of the text, in chars, between the optional arguments start and end, which count code
   * points.
   */
  private static int[] window(String text, PyArguments args) {
    SliceIndexes within =
        SliceIndexes.of(
            text.codePointCount(0, text.length()),
            args.get(1, "start", None.NONE),
            args.get(2, "end", None.NONE),
            None.NONE);
    int from = text.offsetByCodePoints(0, within.from());
    return new int[] {from, text.offsetByCodePoints(from, within.count())};
  }

  private static long found(long index) {
    if (index < 0) {
      throw new ChatTemplateException("substring not found");
    }
    return index;
  }

  private long count(String text, String wanted) {
    budget.chargeSearch(text.length(), wanted.length());
    if (wanted.isEmpty()) {
      return text.codePointCount(0, text.length()) + 1L;
    }
    long n = 0;
    for (int at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length())) {
      n++;
    }
    return n;
  }

  private static boolean every(String text, IntPredicate test) {
    return !text.isEmpty() && text.codePoints().allMatch(test);
  }

  private PyString padded(PyString text, PyArguments args, char align) {
    PyString fill = args.string(1, "fillchar", " ");
    if (PyTypes.length(fill) != 1) {
      throw new ChatTemplateException("The fill character must be exactly one character long");
    }
    return TextPadding.pad(text, args.integer(0, "width", 0), fill, align, budget);
  }

  private PyString zeros(PyString text, long width) {
    int sign = text.text().startsWith("-") || text.text().startsWith("+") ? 1 : 0;
    PyString zero = PyString.ofTemplate("0");
    return new PyString.Builder()
        .append(text, 0, sign)
        .append(TextPadding.pad(text.substring(sign), width - sign, zero, '>', budget))
        .build();
  }
}
