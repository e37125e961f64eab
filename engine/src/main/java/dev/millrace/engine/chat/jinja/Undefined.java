package dev.millrace.engine.chat.jinja;

/**
 * What a name, attribute or item that is not there evaluates to: prints as nothing, is false and
 * empty; anything else done with it fails with {@link #why}.
 */
record Undefined(String why) {
  private static final int LONGEST = 80;

  static Undefined name(String name) {
    return new Undefined("'" + name + "' is undefined");
  }

  static Undefined attribute(Object of, String name) {
    return new Undefined("'" + kind(of) + "' has no attribute " + shown(name));
  }

  static Undefined element(Object of, Object key) {
    return new Undefined(kind(of) + " has no element " + shown(key));
  }

  TemplateException fault() {
    return new TemplateException(why);
  }

  /** A key or name in a message; what is long or has parts is not spelled out. */
  private static String shown(Object key) {
    boolean brief =
        key instanceof Number || (key instanceof String text && text.length() <= LONGEST);
    return brief ? Text.repr(key) : "of type " + Types.name(key);
  }

  private static String kind(Object of) {
    return of == None.NONE ? "None" : Types.name(of) + " object";
  }
}
