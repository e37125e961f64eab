package dev.millrace.http.route;

import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A part of the API with its own paths and its own form of errors. */
public interface RouteGroup extends AutoCloseable {

  /** What its paths start with, such as {@code /v1}; empty: paths of no other group. */
  String prefix();

  /** The same, for a group whose paths start in several ways; a path has to be below one of them. */
  default List<String> prefixes() {
    return List.of(prefix());
  }

  List<Route> routes();

  /** The body of an error response. */
  JsonObject error(Problem problem, String requestId);

  /**
   * The header fields that tell a caller how many requests it may send.
   *
   * @param burst the most at once
   * @param remaining how many it may send now
   * @param untilFull until it may send the most again
   */
  default Map<String, String> rateHeaders(int burst, long remaining, Duration untilFull) {
    return Map.of();
  }

  /** The server is about to stop: no new work arrives, and waiting requests should end soon. */
  default void drain() {}

  /** Releases what it holds; no request follows. */
  @Override
  default void close() {}
}
