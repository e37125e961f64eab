package dev.millrace.http.page;

import java.nio.charset.StandardCharsets;

/**
 * The HTML of the page, with the import map in the place of its marker.
 *
 * @param html the document
 * @param contentSecurityPolicy lets it run its own modules and talk to its own server, nothing else
 */
record PageDocument(String html, String contentSecurityPolicy) {
  static final String FILE = "index.html";
  static final String MARKER = "<!-- import map -->";

  static PageDocument load(ImportMap imports) {
    String html = new String(PageFiles.own().read(FILE), StandardCharsets.UTF_8);
    int at = html.indexOf(MARKER);
    if (at < 0 || html.indexOf(MARKER, at + 1) >= 0) {
      throw new IllegalStateException(FILE + " must have " + MARKER + " once, before its scripts");
    }
    return new PageDocument(html.replace(MARKER, imports.element()), policy(imports));
  }

  private static String policy(ImportMap imports) {
    return "default-src 'none'; script-src 'self' "
        + imports.hash()
        + "; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none';"
        + " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script';"
        + " trusted-types lit-html";
  }

  byte[] bytes() {
    return html.getBytes(StandardCharsets.UTF_8);
  }
}
