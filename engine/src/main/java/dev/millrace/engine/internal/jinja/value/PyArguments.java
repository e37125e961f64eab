package dev.millrace.engine.internal.jinja.value;

import dev.millrace.engine.error.ChatTemplateException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The arguments of a call, a filter or a test. */
public record PyArguments(List<Object> positional, Map<String, Object> named) {
  public static final PyArguments NONE = new PyArguments(List.of(), Map.of());

  /** Rejects arguments that the callee, which has these parameters, does not know. */
  public void requireOnly(String callee, String... names) {
    if (positional.size() > names.length) {
      throw new ChatTemplateException(
          callee + " takes at most " + names.length + " arguments, not " + positional.size());
    }
    for (String name : named.keySet()) {
      int at = List.of(names).indexOf(name);
      if (at < 0) {
        throw new ChatTemplateException(callee + " takes no argument '" + name + "'");
      }
      if (at < positional.size()) {
        throw new ChatTemplateException(callee + " is given '" + name + "' twice");
      }
    }
  }

  boolean has(int index, String name) {
    return index < positional.size() || named.containsKey(name);
  }

  public Object get(int index, String name, Object otherwise) {
    if (index < positional.size()) {
      return positional.get(index);
    }
    return named.getOrDefault(name, otherwise);
  }

  public Object required(int index, String name) {
    if (!has(index, name)) {
      throw new ChatTemplateException("the argument '" + name + "' is missing");
    }
    return get(index, name, None.NONE);
  }

  public boolean flag(int index, String name) {
    return has(index, name) && PyTypes.isTruthy(get(index, name, false));
  }

  public long integer(int index, String name, long otherwise) {
    return has(index, name)
        ? PyTypes.integer(required(index, name), "argument '" + name + "'")
        : otherwise;
  }

  public PyString string(int index, String name, String otherwise) {
    return has(index, name)
        ? PyText.str(get(index, name, None.NONE))
        : PyString.ofTemplate(otherwise);
  }

  /**
   * The named arguments as a dict. A message can name some of them by {@code **}, so none of the
   * names counts as written by the template.
   */
  public Map<Object, Object> namedAsDict() {
    Map<Object, Object> dict = new LinkedHashMap<>();
    named.forEach((name, value) -> dict.put(PyString.ofMessage(name), value));
    return dict;
  }

  /** These arguments without the first {@code n} positional ones. */
  public PyArguments dropFirst(int n) {
    return new PyArguments(
        positional.subList(Math.min(n, positional.size()), positional.size()), named);
  }
}
