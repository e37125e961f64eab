package dev.millrace.core.job;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * An address that gets an HTTP request on events of a job. The server that sends decides whether
 * the address is allowed.
 *
 * @param events which events are sent
 */
public record Webhook(String url, Set<Event> events) {

  /** An event that can be sent. */
  public enum Event {
    COMPLETED,
    FAILED,
    ABORTED,
    /** A stage waits for approval. */
    WAITING;

    /** As documents write it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The longest address. */
  public static final int MAX_URL = 2_000;

  public Webhook {
    events = Set.copyOf(events.isEmpty() ? EnumSet.allOf(Event.class) : events);
    URI uri = parse(url);
    boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!http || uri.getHost() == null || uri.getRawUserInfo() != null || url.length() > MAX_URL) {
      throw new IllegalArgumentException(
          "webhook: \"url\" must be http://… or https://… with a host, without a user, at most "
              + MAX_URL
              + " characters");
    }
  }

  private static URI parse(String url) {
    try {
      return new URI(url);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("webhook: \"url\" is not an address: " + e.getReason());
    }
  }
}
