package dev.millrace.server.http;

import dev.millrace.core.job.EntityId;
import java.util.Optional;
import java.util.UUID;

/** The name of each request, in its answer and in every line about it. */
final class RequestIds {
  static final String HEADER = "X-Request-Id";

  private RequestIds() {}

  /** Always ours: two clients could use the same, and a log must not be written by them. */
  static String fresh() {
    return UUID.randomUUID().toString();
  }

  /** What the client calls it, for the access log, if that is a UUID. */
  static Optional<String> ofClient(Optional<String> header) {
    return header.flatMap(EntityId::parse).map(UUID::toString);
  }
}
