package dev.millrace.http.route;

import dev.millrace.http.auth.KeyScope;
import java.util.List;

/**
 * One operation of the API.
 *
 * @param path as the document writes it: {@code /v1/jobs/{jobId}}
 * @param operation its {@code operationId} in the document, by which its body's schema is found
 * @param scope what a caller's key must allow
 */
public record Route(
    String method, String path, String operationId, KeyScope scope, Handler handler) {
  private static final List<String> BULK = List.of("/pipelines", "/tasks", "/api/jobs");

  /** Whether its body may hold many things, and so be as large as {@code HttpLimits.maxBulkBody}. */
  public boolean isBulk() {
    return method.equals("POST") && BULK.stream().anyMatch(path::endsWith);
  }

  /** Answers one request. */
  @FunctionalInterface
  public interface Handler {
    /**
     * @throws Problem what the caller did wrong, or what is wrong here
     */
    ApiResponse handle(ApiRequest call) throws InterruptedException;
  }
}
