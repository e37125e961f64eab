package dev.millrace.api;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An event in the event stream of a job.
 *
 * @param id the cursor to resume from; null where the server gives none
 * @param event {@code status} or {@code log}
 * @param data a JSON object as text
 */
public record SseEvent(@Nullable String id, String event, String data) {

  public JsonObject json() {
    return Json.object(data);
  }

  /** The new state, if this is a status event. */
  public Optional<So1State> state() {
    return event.equals("status") ? Optional.of(So1Job.state(json())) : Optional.empty();
  }

  /** The line, if this is a log event. */
  public Optional<String> line() {
    return event.equals("log") ? Optional.of(json().string("line")) : Optional.empty();
  }

  /** The output, if this is the last event of a job that has one. */
  public Optional<Object> output() {
    return event.equals("status") ? Optional.ofNullable(json().get("output")) : Optional.empty();
  }

  /** Why the job failed, if this is the last event of a job that failed. */
  public Optional<So1Job.ErrorDetail> error() {
    return event.equals("status")
        ? Optional.ofNullable(So1Job.errorDetail(json()))
        : Optional.empty();
  }

  /** Why the job was cancelled, if this is the last event and somebody said why. */
  public Optional<String> reason() {
    return event.equals("status")
        ? Optional.ofNullable(json().string("reason", null))
        : Optional.empty();
  }

  /** Whether this is the last event of the stream. */
  public boolean isFinal() {
    return state().filter(So1State::isFinal).isPresent();
  }
}
