package dev.millrace.http.openai.response;

import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.route.ApiRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The request of a client that stays connected. */
record SilentRequest() implements ApiRequest {
  @Override
  public String requestId() {
    return "request";
  }

  @Override
  public Principal principal() {
    return Principal.LOCAL;
  }

  @Override
  public String path() {
    return "/v1/responses";
  }

  @Override
  public String pathParameter(String name) {
    throw new IllegalArgumentException(name);
  }

  @Override
  public Optional<String> query(String name) {
    return Optional.empty();
  }

  @Override
  public Optional<String> header(String name) {
    return Optional.empty();
  }

  @Override
  public @Nullable Object body() {
    return null;
  }

  @Override
  public @Nullable TraceContext trace() {
    return null;
  }
}
