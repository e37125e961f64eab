package dev.millrace.http.so1;

import dev.millrace.api.So1Job;
import dev.millrace.api.So1State;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import java.nio.charset.StandardCharsets;

/**
 * Entries of a log as server-sent events: exactly one for each, with the entry's number as its id.
 * A change of the job's state is a {@code status}, anything else a {@code log}.
 */
final class SseFrames {
  static final byte[] RETRY = bytes("retry: 2000\n\n");
  static final byte[] HEARTBEAT = bytes(": \n\n");

  private SseFrames() {}

  /**
   * @param begun the number of the entry with which the job began; those after a pause change
   *     nothing that shows
   */
  static byte[] of(LogEntry entry, long begun, LogLineFormatter wording) {
    if (entry.fact() instanceof Fact.Submitted) {
      return status(entry.number(), state(So1State.PENDING));
    }
    return entry.number() == begun
        ? status(begun, state(So1State.RUNNING))
        : log(entry.number(), wording.of(entry));
  }

  /** The last one, with what came of the job. */
  static byte[] finalStatus(long number, JobReader store, JobView view) {
    JsonObject data = state(So1StateMapping.of(view));
    data.putIfPresent("output", JobOutput.of(store, view));
    So1Job.ErrorDetail error = So1JobMapper.errorOf(view);
    data.putIfPresent("error", error == null ? null : error.toJson());
    return status(number, data);
  }

  static byte[] comment(String text) {
    return bytes(": " + text + "\n\n");
  }

  static boolean isJobStart(LogEntry entry) {
    return entry.fact() instanceof Fact.JobChanged(JobEvent event, var _)
        && event == JobEvent.BEGIN;
  }

  static boolean isJobEnd(LogEntry entry) {
    return entry.fact() instanceof Fact.JobChanged(JobEvent event, var _)
        && (event == JobEvent.COMPLETE || event == JobEvent.FAIL || event == JobEvent.ABORT);
  }

  private static JsonObject state(So1State state) {
    return JsonObject.create().put("state", state.word());
  }

  private static byte[] status(long number, JsonObject data) {
    return frame(number, "status", data);
  }

  private static byte[] log(long number, String line) {
    return frame(number, "log", JsonObject.create().put("line", line).put("cursor", number));
  }

  /** The data is one line: JSON has no line breaks that are not escaped. */
  private static byte[] frame(long number, String event, JsonObject data) {
    return bytes("id: " + number + "\nevent: " + event + "\ndata: " + Json.write(data) + "\n\n");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
