package dev.millrace.server.http.so1;

import dev.millrace.core.job.TraceContext;
import dev.millrace.core.json.Json;
import dev.millrace.server.http.Call;
import dev.millrace.server.http.Principal;
import dev.millrace.server.http.Scope;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request to submit that nobody has checked before. */
record Asked(@Nullable Object body, @Nullable TraceContext trace) implements Call {
  static final String REQUEST = "3f1d5c1e-8a0b-4f0e-9a57-2b6f6d0f9c11";

  static Asked of(String json) {
    return new Asked(Json.parse(json), null);
  }

  @Override
  public String requestId() {
    return REQUEST;
  }

  @Override
  public Principal principal() {
    return new Principal("web", Set.of(Scope.SUBMIT));
  }

  @Override
  public String path() {
    return "/api/jobs";
  }

  @Override
  public String parameter(String name) {
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
