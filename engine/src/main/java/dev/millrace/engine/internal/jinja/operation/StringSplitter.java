package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.Tuple;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Python's ways to split a string into a list. */
public final class StringSplitter {
  private StringSplitter() {}

  static List<Object> split(PyString string, PyArguments args, RenderBudget budget) {
    args.requireOnly("split()", "sep", "maxsplit");
    Object separator = args.get(0, "sep", None.NONE);
    long most = most(args);
    String text = string.text();
    budget.chargeText(text.length());
    if (separator == None.NONE) {
      budget.chargeItems(2L * text.length()); // at worst, every second character is a word
      return words(string, most);
    }
    String by = separator(separator);
    budget.chargeSearch(text.length(), by.length());
    List<Object> parts = new ArrayList<>();
    int from = 0;
    for (int at = text.indexOf(by); at >= 0 && parts.size() < most; at = text.indexOf(by, from)) {
      parts.add(string.substring(from, at));
      from = at + by.length();
    }
    parts.add(string.substring(from));
    budget.chargeItems((long) PyTypes.STEPS_PER_STRING * parts.size());
    return parts;
  }

  static List<Object> rsplit(PyString string, PyArguments args, RenderBudget budget) {
    args.requireOnly("rsplit()", "sep", "maxsplit");
    Object separator = args.get(0, "sep", None.NONE);
    long most = most(args);
    String text = string.text();
    budget.chargeText(text.length());
    if (separator == None.NONE) {
      budget.chargeItems(2L * text.length());
      return wordsFromRight(string, most);
    }
    String by = separator(separator);
    budget.chargeSearch(text.length(), by.length());
    List<Object> parts = new ArrayList<>();
    int to = text.length();
    for (int at = text.lastIndexOf(by);
        at >= 0 && parts.size() < most;
        at = text.lastIndexOf(by, to - by.length())) {
      parts.add(string.substring(at + by.length(), to));
      to = at;
      if (to < by.length()) {
        break;
      }
    }
    parts.add(string.substring(0, to));
    budget.chargeItems((long) PyTypes.STEPS_PER_STRING * parts.size());
    Collections.reverse(parts);
    return parts;
  }

  private static long most(PyArguments args) {
    long most = args.integer(1, "maxsplit", -1);
    return most < 0 ? Long.MAX_VALUE : most;
  }

  private static String separator(Object separator) {
    String by = PyTypes.text(separator, "split()");
    if (by.isEmpty()) {
      throw new ChatTemplateException("empty separator");
    }
    return by;
  }

  private static List<Object> words(PyString string, long most) {
    String text = string.text();
    List<Object> words = new ArrayList<>();
    for (int at = run(text, 0, true); at < text.length(); ) {
      if (words.size() == most) {
        words.add(string.substring(at)); // white space at its end stays, as in Python
        break;
      }
      int end = run(text, at, false);
      words.add(string.substring(at, end));
      at = run(text, end, true);
    }
    return words;
  }

  private static List<Object> wordsFromRight(PyString string, long most) {
    String text = string.text();
    List<Object> words = new ArrayList<>();
    for (int at = runBack(text, text.length(), true); at > 0; ) {
      if (words.size() == most) {
        words.add(string.substring(0, at));
        break;
      }
      int start = runBack(text, at, false);
      words.add(string.substring(start, at));
      at = runBack(text, start, true);
    }
    Collections.reverse(words);
    return words;
  }

  /** The end of the run of white space, or of other characters, that begins at {@code from}. */
  private static int run(String text, int from, boolean space) {
    int i = from;
    while (i < text.length() && Whitespace.isSpace(text.charAt(i)) == space) {
      i++;
    }
    return i;
  }

  private static int runBack(String text, int to, boolean space) {
    int i = to;
    while (i > 0 && Whitespace.isSpace(text.charAt(i - 1)) == space) {
      i--;
    }
    return i;
  }

  public static List<PyString> splitLines(PyString string, boolean keepEnds) {
    String text = string.text();
    List<PyString> lines = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ("\n\r\u000b\f\u001c\u001d\u001e\u0085\u2028\u2029".indexOf(c) >= 0) {
        int end = c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n' ? i + 2 : i + 1;
        lines.add(string.substring(from, keepEnds ? end : i));
        from = end;
        i = end - 1;
      }
    }
    if (from < text.length()) {
      lines.add(string.substring(from));
    }
    return lines;
  }

  static Tuple partition(PyString string, PyArguments args, boolean last) {
    args.requireOnly("partition()", "sep");
    String by = separator(args.required(0, "sep"));
    int at = last ? string.text().lastIndexOf(by) : string.text().indexOf(by);
    if (at < 0) {
      return last
          ? Tuple.of(PyString.EMPTY, PyString.EMPTY, string)
          : Tuple.of(string, PyString.EMPTY, PyString.EMPTY);
    }
    int end = at + by.length();
    return Tuple.of(string.substring(0, at), string.substring(at, end), string.substring(end));
  }
}
