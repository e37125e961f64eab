package dev.millrace.engine.internal.jinja.value;

/**
 * A string that the filter {@code safe} or {@code escape} made; text added to it with {@code +} is
 * HTML-escaped, as in Python's markupsafe.
 */
public record Markup(PyString text) {
  public static Markup escape(Object value) {
    if (value instanceof Markup markup) {
      return markup;
    }
    PyString text = PyText.str(value);
    PyString.Builder out = new PyString.Builder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.text().charAt(i);
      out.append(
          switch (c) {
            case '&' -> "&amp;";
            case '>' -> "&gt;";
            case '<' -> "&lt;";
            case '\'' -> "&#39;";
            case '"' -> "&#34;";
            default -> String.valueOf(c);
          },
          text,
          i);
    }
    return new Markup(out.build());
  }

  public Markup plus(Markup other) {
    return new Markup(new PyString.Builder().append(text).append(other.text).build());
  }
}
