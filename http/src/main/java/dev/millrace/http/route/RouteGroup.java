package dev.millrace.http.route;

import dev.millrace.core.json.JsonObject;
import java.util.List;

/** A part of the API with its own paths and its own way to say what is wrong. */
public interface RouteGroup extends AutoCloseable {

  /** Below which its paths are, such as {@code /v1}; empty for what belongs to no other. */
  String prefix();

  List<Route> routes();

  /** The body of an answer to a request that was not granted. */
  JsonObject error(Problem problem, String requestId);

  /** The server is about to stop: no new work comes, and what waits should end soon. */
  default void drain() {}

  /** Lets go of what it holds; no request comes after this. */
  @Override
  default void close() {}
}
