package dev.millrace.http.limits;

import java.time.Duration;

/**
 * How much one client, and all of them together, may ask of the listener.
 *
 * @param maxBody bytes of a body that makes or changes one thing
 * @param maxBulkBody bytes of a body that may hold many: pipelines and tasks
 * @param maxHeaders bytes of a request's header fields
 * @param rate requests a second that a key, or an address where there are no keys, may go on with;
 *     0: no limit
 * @param burst requests at once before {@code rate} counts
 * @param maxConnections connections at a time; more wait to be accepted
 * @param idle how long a connection may be open without a request
 * @param slowest how long a request may take to arrive, and a second more for each 8 KiB of body up
 *     to a MiB, and for each 256 KiB beyond it
 * @param stall how long a client may leave an answer unread before it is cut off
 */
public record HttpLimits(
    int maxBody,
    int maxBulkBody,
    int maxHeaders,
    double rate,
    int burst,
    int maxConnections,
    Duration idleTimeout,
    Duration slowest,
    Duration writeTimeout) {

  /** Slower bodies than this, in bytes a second, are given up. */
  private static final int MIN_RATE = 8 << 10;

  /** The same beyond {@link #LARGE}: what takes much memory must not take it for long. */
  private static final int MIN_LARGE_RATE = 256 << 10;

  private static final int LARGE = 1 << 20;

  public static final HttpLimits DEFAULT =
      new HttpLimits(
          1 << 20,
          64 << 20,
          16 << 10,
          0,
          100,
          20_000,
          Duration.ofMinutes(2),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30));

  public HttpLimits {
    if (maxBody < 1 || maxBulkBody < maxBody || maxHeaders < 1024) {
      throw new IllegalArgumentException(
          "limits need 1 <= maxBody <= maxBulkBody and at least 1024 bytes of header fields");
    }
    if (!(rate >= 0) || rate > 0 && burst < 1 || maxConnections < 1) {
      throw new IllegalArgumentException(
          "limits need a rate of 0 or more, a burst and a number of connections of 1 or more");
    }
    if (!positive(idleTimeout) || !positive(slowest) || !positive(writeTimeout)) {
      throw new IllegalArgumentException("limits need times above zero");
    }
  }

  /** How long a request may take to arrive that has so many bytes of body. */
  public Duration slowest(int body) {
    double seconds =
        (double) Math.min(body, LARGE) / MIN_RATE
            + (double) Math.max(0, body - LARGE) / MIN_LARGE_RATE;
    return slowest.plusNanos((long) (seconds * 1e9));
  }

  private static boolean positive(Duration time) {
    return time.compareTo(Duration.ZERO) > 0;
  }

  public HttpLimits withRate(double perSecond, int atOnce) {
    return new HttpLimits(
        maxBody,
        maxBulkBody,
        maxHeaders,
        perSecond,
        atOnce,
        maxConnections,
        idleTimeout,
        slowest,
        writeTimeout);
  }

  public HttpLimits withBodies(int single, int bulk) {
    return new HttpLimits(
        single, bulk, maxHeaders, rate, burst, maxConnections, idleTimeout, slowest, writeTimeout);
  }

  public HttpLimits withConnections(int most) {
    return new HttpLimits(
        maxBody, maxBulkBody, maxHeaders, rate, burst, most, idleTimeout, slowest, writeTimeout);
  }

  public HttpLimits withTimes(Duration newIdle, Duration newSlowest, Duration newStall) {
    return new HttpLimits(
        maxBody,
        maxBulkBody,
        maxHeaders,
        rate,
        burst,
        maxConnections,
        newIdle,
        newSlowest,
        newStall);
  }
}
