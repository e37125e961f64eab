package dev.millrace.http.limits;

import java.time.Duration;

/**
 * The limits on what one client, and all clients together, may ask of the server.
 *
 * @param maxConnections open connections; further ones wait to be accepted
 */
public record HttpLimits(
    Sizes sizes, Rate rate, int maxConnections, Timeouts timeouts, Concurrency concurrency) {

  /** Connections beside those that streams and long polls of HTTP/1 may take. */
  private static final int OTHER_CONNECTIONS = 2_000;

  public static final HttpLimits DEFAULT =
      new HttpLimits(
          new Sizes(1 << 20, 64 << 20, 16 << 10),
          new Rate(0, 100),
          20_000,
          new Timeouts(Duration.ofMinutes(2), Duration.ofSeconds(30), Duration.ofSeconds(30)),
          Concurrency.DEFAULT);

  public HttpLimits {
    if (maxConnections < 1) {
      throw new IllegalArgumentException("maxConnections must be at least 1");
    }
  }

  /**
   * How large a request may be, in bytes.
   *
   * @param maxBody the body of a request that makes or changes one thing
   * @param maxBulkBody the body of a request that may hold many: pipelines and tasks
   * @param maxHeaders the header fields
   */
  public record Sizes(int maxBody, int maxBulkBody, int maxHeaders) {
    public Sizes {
      if (maxBody < 1 || maxBulkBody < maxBody || maxHeaders < 1024) {
        throw new IllegalArgumentException(
            "limits need 1 <= maxBody <= maxBulkBody and at least 1024 bytes of header fields");
      }
    }
  }

  /**
   * How often one key may ask, or one address where there are no keys.
   *
   * @param perSecond requests per second in the long run; 0: no limit
   * @param burst requests at once before {@code perSecond} counts
   */
  public record Rate(double perSecond, int burst) {
    public Rate {
      if (!(perSecond >= 0) || perSecond > 0 && burst < 1) {
        throw new IllegalArgumentException(
            "limits need a rate of at least 0 and a burst of at least 1");
      }
    }
  }

  /**
   * How long the server waits for a client.
   *
   * @param idle how long a connection may stay open without a request
   * @param request how long a request without a body may take to arrive; see {@link #request(int)}
   * @param write how long a client may leave a response unread
   */
  public record Timeouts(Duration idle, Duration request, Duration write) {

    /** The slowest transfer of a body that is accepted, in bytes per second. */
    private static final int MIN_RATE = 8 << 10;

    /** The same beyond {@link #LARGE}: a large body must not hold its memory for long. */
    private static final int MIN_LARGE_RATE = 256 << 10;

    private static final int LARGE = 1 << 20;

    public Timeouts {
      if (!isPositive(idle) || !isPositive(request) || !isPositive(write)) {
        throw new IllegalArgumentException("limits need timeouts above zero");
      }
    }

    private static boolean isPositive(Duration time) {
      return time.compareTo(Duration.ZERO) > 0;
    }

    /**
     * How long a request with a body of that many bytes may take to arrive: one second more for
     * each 8 KiB up to a MiB, and for each 256 KiB beyond.
     */
    public Duration request(int bodyBytes) {
      double seconds =
          (double) Math.min(bodyBytes, LARGE) / MIN_RATE
              + (double) Math.max(0, bodyBytes - LARGE) / MIN_LARGE_RATE;
      return request.plusNanos((long) (seconds * 1e9));
    }
  }

  /**
   * How many requests may be under way at once.
   *
   * @param requests of any kind: over HTTP/2, one connection has many
   * @param streams responses that are sent as events, of every API
   * @param longPolls requests that wait for a task
   */
  public record Concurrency(Cap requests, Cap streams, Cap longPolls) {
    public static final Concurrency DEFAULT = of(new Cap(2_000, 8_000), new Cap(5_000, 10_000));

    /** As many requests as that, and 1,000 others of each key, 10,000 of all. */
    public static Concurrency of(Cap streams, Cap longPolls) {
      return new Concurrency(
          new Cap(1_000 + streams.perKey + longPolls.perKey, 10_000 + streams.all + longPolls.all),
          streams,
          longPolls);
    }
  }

  /**
   * The most of something at once.
   *
   * @param perKey of one key; without keys, {@code all} alone counts
   */
  public record Cap(int perKey, int all) {
    public Cap {
      if (perKey < 1 || perKey > all) {
        throw new IllegalArgumentException(
            "limits need 1 <= perKey <= all, got " + perKey + " and " + all);
      }
    }
  }

  public HttpLimits withRate(double perSecond, int burst) {
    return new HttpLimits(sizes, new Rate(perSecond, burst), maxConnections, timeouts, concurrency);
  }

  public HttpLimits withBodies(int single, int bulk) {
    return new HttpLimits(
        new Sizes(single, bulk, sizes.maxHeaders), rate, maxConnections, timeouts, concurrency);
  }

  public HttpLimits withConnections(int max) {
    return new HttpLimits(sizes, rate, max, timeouts, concurrency);
  }

  public HttpLimits withTimeouts(Duration idle, Duration request, Duration write) {
    return new HttpLimits(
        sizes, rate, maxConnections, new Timeouts(idle, request, write), concurrency);
  }

  /** With connections enough for all of them over HTTP/1. */
  public HttpLimits withConcurrency(Concurrency most) {
    int needed =
        Math.addExact(Math.addExact(most.streams.all, most.longPolls.all), OTHER_CONNECTIONS);
    return new HttpLimits(sizes, rate, Math.max(maxConnections, needed), timeouts, most);
  }
}
