package dev.millrace.http.route;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a list a client asks for.
 *
 * @param limit the most entries to return
 * @param after the last entry of the page before; null: the first page
 */
public record PageRequest(int limit, @Nullable EntityId after) {

  /** The most entries in one response. */
  public static final int MAX = 1000;

  private static final int DEFAULT_LIMIT = 100;
  private static final Pattern CURSOR =
      Pattern.compile("([0-9_]{1,128})\\.(\\d{1,4})\\.(\\d{1,6})");

  /** From a request's {@code limit} (default 100) and {@code cursor}. */
  public static PageRequest of(ApiRequest request) {
    return of(request, DEFAULT_LIMIT);
  }

  public static PageRequest of(ApiRequest request, int defaultLimit) {
    return new PageRequest(
        limit(request, defaultLimit), request.query("cursor").map(PageRequest::after).orElse(null));
  }

  /** The {@code limit} of a list that is not paged by ids. */
  public static int limit(ApiRequest request) {
    return limit(request, DEFAULT_LIMIT);
  }

  public static int limit(ApiRequest request, int defaultLimit) {
    return request.query("limit").map(PageRequest::limit).orElse(defaultLimit);
  }

  /** The cursor of the page that follows this entry. */
  public static String cursor(EntityId last) {
    String text = last.job().value() + "." + last.stage() + "." + last.task();
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Header fields with a link to the next page, for a page that ends with {@code last}. */
  public Map<String, String> nextPageHeaders(ApiRequest request, EntityId last) {
    return nextPageHeaders(request, cursor(last));
  }

  /** The same for a list that is not paged by ids. */
  public static Map<String, String> nextPageHeaders(ApiRequest request, String cursor) {
    return Map.of(
        "X-Next-Cursor", cursor, "Link", "<" + next(request.target(), cursor) + ">; rel=\"next\"");
  }

  private static String next(String target, String cursor) {
    int query = target.indexOf('?');
    List<String> pairs = new ArrayList<>();
    if (query >= 0) {
      for (String pair : target.substring(query + 1).split("&")) {
        if (!pair.isEmpty() && !pair.startsWith("cursor=")) {
          pairs.add(pair);
        }
      }
    }
    pairs.add("cursor=" + cursor);
    String path = query < 0 ? target : target.substring(0, query);
    return path + "?" + String.join("&", pairs).replace("<", "%3C").replace(">", "%3E");
  }

  private static int limit(String text) {
    if (!text.matches("\\d{1,4}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > MAX) {
      throw new Problem(Problem.Kind.INVALID, "request/query/limit must be 1 to " + MAX);
    }
    return Integer.parseInt(text);
  }

  private static EntityId after(String cursor) {
    try {
      Matcher parts =
          CURSOR.matcher(
              new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.US_ASCII));
      if (parts.matches()) {
        return new EntityId(
            new JobId(parts.group(1)),
            Integer.parseInt(parts.group(2)),
            Integer.parseInt(parts.group(3)));
      }
    } catch (IllegalArgumentException e) {
      // refused below
    }
    throw new Problem(
        Problem.Kind.INVALID,
        "request/query/cursor must be what the page before gave as its next cursor");
  }
}
