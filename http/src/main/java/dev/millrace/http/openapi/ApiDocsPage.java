package dev.millrace.http.openapi;

import dev.millrace.core.internal.hash.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The web page that shows the OpenAPI document. It is self-contained and loads the document from
 * its own server.
 */
public final class ApiDocsPage {
  private static final String RESOURCE = "docs.html";

  private final byte[] bytes;
  private final String policy;

  private ApiDocsPage(byte[] bytes) {
    this.bytes = bytes;
    String text = new String(bytes, StandardCharsets.UTF_8);
    this.policy =
        "default-src 'none'; style-src "
            + hash(text, "style")
            + "; script-src "
            + hash(text, "script")
            + "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
            + " frame-ancestors 'none'";
  }

  public static ApiDocsPage load() {
    try (InputStream in = ApiDocsPage.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException(RESOURCE + " is missing from the class path");
      }
      return new ApiDocsPage(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** HTML in UTF-8. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /**
   * The {@code Content-Security-Policy} to send with it, which allows only the page's own style and
   * script, by their hashes.
   */
  public String contentSecurityPolicy() {
    return policy;
  }

  private static String hash(String page, String tag) {
    int from = page.indexOf("<" + tag + ">") + tag.length() + 2;
    byte[] hash = Sha256.of(page.substring(from, page.indexOf("</" + tag + ">", from)));
    return "'sha256-" + Base64.getEncoder().encodeToString(hash) + "'";
  }
}
