package dev.millrace.http.route;

import dev.millrace.core.job.EntityId;
import java.util.Optional;
import java.util.UUID;

/** Makes the ids of requests, which are in each response and in each log line about the request. */
public final class RequestIds {
  public static final String HEADER = "X-Request-Id";

  private RequestIds() {}

  /** Never the client's own id: two clients could send the same one, or forge log lines. */
  public static String generate() {
    return UUID.randomUUID().toString();
  }

  /** The client's own id for the access log, if it is a UUID. */
  public static Optional<String> fromClient(Optional<String> header) {
    return header.flatMap(EntityId::parse).map(UUID::toString);
  }
}
