package dev.millrace.server.http.hooks;

import java.time.Duration;
import java.time.InstantSource;

/**
 * How receivers are told.
 *
 * @param secret the key of the signatures; without one (empty) nothing is signed
 * @param patience how a receiver that fails is tried again
 * @param timeout of one request, from the first packet to the last
 * @param atOnce requests under way at most
 * @param perHost of these, to one host and port
 */
public record HookSettings(
    AllowList allow,
    String secret,
    Patience patience,
    Duration timeout,
    int atOnce,
    int perHost,
    InstantSource clock) {

  /**
   * Waits after a failure: the first, then twice as long each time.
   *
   * @param inAll how long after its first failure an event is given up
   */
  public record Patience(Duration first, Duration longest, Duration inAll) {
    public static final Patience USUAL =
        new Patience(Duration.ofSeconds(5), Duration.ofHours(1), Duration.ofHours(24));

    public Patience {
      if (first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
        throw new IllegalArgumentException(
            "waits must be longer than 0 and grow, got " + first + " to " + longest);
      }
    }

    /** How long to wait after that many failures, from 1. */
    Duration after(int failures) {
      Duration wait = first;
      for (int i = 1; i < failures && wait.compareTo(longest) < 0; i++) {
        wait = wait.multipliedBy(2);
      }
      return wait.compareTo(longest) < 0 ? wait : longest;
    }
  }

  public HookSettings {
    if (atOnce < 1 || perHost < 1) {
      throw new IllegalArgumentException(
          "at least 1 request at once, got " + atOnce + " and " + perHost + " per host");
    }
  }

  /** 10 s for a request, 256 at once, 4 to a host. */
  public static HookSettings of(AllowList allow, String secret) {
    return new HookSettings(
        allow, secret, Patience.USUAL, Duration.ofSeconds(10), 256, 4, InstantSource.system());
  }

  public HookSettings withClock(InstantSource other) {
    return new HookSettings(allow, secret, patience, timeout, atOnce, perHost, other);
  }

  public HookSettings withTimeout(Duration other) {
    return new HookSettings(allow, secret, patience, other, atOnce, perHost, clock);
  }

  /** The secret is not for logs. */
  @Override
  public String toString() {
    return "HookSettings[timeout=" + timeout + ", atOnce=" + atOnce + ", perHost=" + perHost + "]";
  }
}
