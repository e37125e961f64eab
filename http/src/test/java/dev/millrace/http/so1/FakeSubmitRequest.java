package dev.millrace.http.so1;

import dev.millrace.core.json.Json;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.route.ApiRequest;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request to submit a job, not checked against the OpenAPI document. */
record FakeSubmitRequest(@Nullable Object body, @Nullable TraceContext trace)
    implements ApiRequest {
  static final String REQUEST = "3f1d5c1e-8a0b-4f0e-9a57-2b6f6d0f9c11";

  static FakeSubmitRequest of(String json) {
    return new FakeSubmitRequest(Json.parse(json), null);
  }

  @Override
  public String requestId() {
    return REQUEST;
  }

  @Override
  public Principal principal() {
    return new Principal("web", Set.of(KeyScope.SUBMIT));
  }

  @Override
  public String path() {
    return "/api/jobs";
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
}
