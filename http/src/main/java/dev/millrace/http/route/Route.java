package dev.millrace.http.route;

import dev.millrace.http.auth.KeyScope;
import java.util.List;

/**
 * One operation of the API.
 *
 * @param path as the OpenAPI document writes it: {@code /v1/jobs/{jobId}}; a last parameter with a
 *     star, {@code /v1/models/{model*}}, takes the rest of the path, also its slashes
 * @param operationId its name in the OpenAPI document, which has the schema of its body
 * @param scope what the caller's key must allow
 */
public record Route(
    String method, String path, String operationId, KeyScope scope, Handler handler) {
  private static final List<String> BULK =
      List.of(
          "/pipelines",
          "/tasks",
          "/api/jobs",
          "/completions",
          "/embeddings",
          "/responses",
          "/input_tokens",
          "/tokenize",
          "/detokenize",
          "/apply-template");

  /** The path in the OpenAPI document, which has no stars. */
  public String documentedPath() {
    return path.replace("*}", "}");
  }

  /** Whether its body may hold many entries, up to {@code HttpLimits.Sizes.maxBulkBody}. */
  public boolean isBulk() {
    return method.equals("POST") && BULK.stream().anyMatch(path::endsWith);
  }

  /** Handles requests of one route. */
  @FunctionalInterface
  public interface Handler {
    /**
     * @throws Problem if the request is refused
     */
    ApiResponse handle(ApiRequest request) throws InterruptedException;
  }
}
