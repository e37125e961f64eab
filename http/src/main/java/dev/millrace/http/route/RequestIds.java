package dev.millrace.http.route;

import dev.millrace.core.job.EntityId;
import java.util.Optional;
import java.util.UUID;

/** The name of each request, in its answer and in every line about it. */
public final class RequestIds {
  public static final String HEADER = "X-Request-Id";

  private RequestIds() {}

  /** Always ours: two clients could use the same, and a log must not be written by them. */
  public static String generate() {
    return UUID.randomUUID().toString();
  }

  /** What the client calls it, for the access log, if that is a UUID. */
  public static Optional<String> fromClient(Optional<String> header) {
    return header.flatMap(EntityId::parse).map(UUID::toString);
  }
}
