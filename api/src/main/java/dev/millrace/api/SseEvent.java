package dev.millrace.api;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An event of a job's stream.
 *
 * @param id the cursor to go on from; null where the server gave none
 * @param event {@code status} or {@code log}
 * @param data a JSON object as text
 */
public record SseEvent(@Nullable String id, String event, String data) {

  public JsonObject json() {
    return Json.object(data);
  }

  /** The new state, if this is about one. */
  public Optional<So1State> state() {
    return event.equals("status") ? Optional.of(So1Job.state(json())) : Optional.empty();
  }

  /** The line, if this is one of the log. */
  public Optional<String> line() {
    return event.equals("log") ? Optional.of(json().string("line")) : Optional.empty();
  }

  /** The output, if this is the end of a job that succeeded. */
  public Optional<Object> output() {
    return event.equals("status") ? Optional.ofNullable(json().get("output")) : Optional.empty();
  }

  /** Why the job failed, if this is its end and it did. */
  public Optional<So1Job.ErrorDetail> error() {
    return event.equals("status")
        ? Optional.ofNullable(So1Job.errorDetail(json()))
        : Optional.empty();
  }

  /** Whether nothing comes after this. */
  public boolean isFinal() {
    return state().filter(So1State::isFinal).isPresent();
  }
}
