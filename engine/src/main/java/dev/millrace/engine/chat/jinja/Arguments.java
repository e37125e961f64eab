package dev.millrace.engine.chat.jinja;

import java.util.List;
import java.util.Map;

/** The arguments of a call, a filter or a test. */
record Arguments(List<Object> positional, Map<String, Object> named) {
  static final Arguments NONE = new Arguments(List.of(), Map.of());

  /** Refuses what the callee, whose parameters these names are, does not know. */
  void accept(String callee, String... names) {
    if (positional.size() > names.length) {
      throw new TemplateException(
          callee + " takes at most " + names.length + " arguments, not " + positional.size());
    }
    for (String name : named.keySet()) {
      int at = List.of(names).indexOf(name);
      if (at < 0) {
        throw new TemplateException(callee + " takes no argument '" + name + "'");
      }
      if (at < positional.size()) {
        throw new TemplateException(callee + " is given '" + name + "' twice");
      }
    }
  }

  boolean has(int index, String name) {
    return index < positional.size() || named.containsKey(name);
  }

  Object get(int index, String name, Object otherwise) {
    if (index < positional.size()) {
      return positional.get(index);
    }
    return named.getOrDefault(name, otherwise);
  }

  Object required(int index, String name) {
    if (!has(index, name)) {
      throw new TemplateException("the argument '" + name + "' is missing");
    }
    return get(index, name, None.NONE);
  }

  boolean flag(int index, String name) {
    return has(index, name) && Types.truth(get(index, name, false));
  }

  long integer(int index, String name, long otherwise) {
    return has(index, name)
        ? Types.integer(required(index, name), "argument '" + name + "'")
        : otherwise;
  }

  String text(int index, String name, String otherwise) {
    return has(index, name) ? Text.str(get(index, name, otherwise)) : otherwise;
  }

  /** These arguments without the first {@code n} positional ones. */
  Arguments after(int n) {
    return new Arguments(
        positional.subList(Math.min(n, positional.size()), positional.size()), named);
  }
}
