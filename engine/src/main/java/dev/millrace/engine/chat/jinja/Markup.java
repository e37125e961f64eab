package dev.millrace.engine.chat.jinja;

/**
 * Text that {@code safe} or {@code escape} made: a string, but what is added to it by {@code +} is
 * HTML-escaped, as in Python's markupsafe.
 */
record Markup(String text) {
  static Markup escape(Object value) {
    if (value instanceof Markup markup) {
      return markup;
    }
    String text = Text.str(value);
    return new Markup(
        text.replace("&", "&amp;")
            .replace(">", "&gt;")
            .replace("<", "&lt;")
            .replace("'", "&#39;")
            .replace("\"", "&#34;"));
  }

  Markup plus(Markup other) {
    return new Markup(text + other.text);
  }
}
