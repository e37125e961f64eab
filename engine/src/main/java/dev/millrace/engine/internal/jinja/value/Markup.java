package dev.millrace.engine.internal.jinja.value;

/**
 * A string that the filter {@code safe} or {@code escape} made; text added to it with {@code +} is
 * HTML-escaped, as in Python's markupsafe.
 */
public record Markup(String text) {
  public static Markup escape(Object value) {
    if (value instanceof Markup markup) {
      return markup;
    }
    String text = PyText.str(value);
    return new Markup(
        text.replace("&", "&amp;")
            .replace(">", "&gt;")
            .replace("<", "&lt;")
            .replace("'", "&#39;")
            .replace("\"", "&#34;"));
  }

  public Markup plus(Markup other) {
    return new Markup(text + other.text);
  }
}
