package dev.millrace.engine.internal.jinja.value;

import dev.millrace.engine.error.ChatTemplateException;

/**
 * The value of a missing name, attribute or item: it prints as nothing, is false and empty; any
 * other use fails with {@link #why}.
 */
public record Undefined(String why) {
  private static final int LONGEST = 80;

  public static Undefined name(String name) {
    return new Undefined("'" + name + "' is undefined");
  }

  public static Undefined attribute(Object of, String name) {
    return new Undefined("'" + kind(of) + "' has no attribute " + shown(PyString.ofTemplate(name)));
  }

  public static Undefined element(Object of, Object key) {
    return new Undefined(kind(of) + " has no element " + shown(key));
  }

  public ChatTemplateException toException() {
    return new ChatTemplateException(why);
  }

  /** A key or name for a message; long or nested ones are replaced by their type. */
  private static String shown(Object key) {
    boolean brief =
        key instanceof Number || (key instanceof PyString text && text.length() <= LONGEST);
    return brief ? PyText.repr(key).text() : "of type " + PyTypes.typeName(key);
  }

  private static String kind(Object of) {
    return of == None.NONE ? "None" : PyTypes.typeName(of) + " object";
  }
}
