package dev.millrace.http.monitoring;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.transport.Gzip;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Content that never changes while the server runs. It is compressed once, and a client that has it
 * gets a 304 (RFC 9110, 13.1.2).
 */
public final class StaticContent {
  private final ApiResponse whole;
  private final ApiResponse unchanged;
  private final String tag;

  /**
   * @param headers header fields of every response with it
   */
  public StaticContent(String mediaType, byte[] body, Map<String, String> headers) {
    // Weak, because the compressed body has the same tag.
    tag = "W/\"" + Sha256.hex(Sha256.digest().digest(body)).substring(0, 32) + "\"";
    Map<String, String> all = new HashMap<>(headers);
    all.put("ETag", tag);
    all.put("Cache-Control", "no-cache"); // store it, and ask whether it has changed
    whole = new ApiResponse.Content(200, all, mediaType, body.clone(), Gzip.packTightly(body));
    unchanged = new ApiResponse.Content(304, all, mediaType, new byte[0]);
  }

  /** The content, or that the client has it. */
  public ApiResponse respond(ApiRequest request) {
    return request.header("If-None-Match").filter(this::matches).isPresent() ? unchanged : whole;
  }

  private boolean matches(String tags) {
    return List.of(tags.split(",")).stream()
        .map(String::strip)
        .anyMatch(each -> each.equals("*") || opaque(each).equals(opaque(tag)));
  }

  private static String opaque(String each) {
    return each.startsWith("W/") ? each.substring(2) : each;
  }
}
