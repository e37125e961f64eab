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
 * Encodes log entries as server-sent events: one event for each entry, with the number of the entry
 * as its id. A change of the state of the job is a {@code status} event, anything else a {@code
 * log} event.
 */
final class SseFrames {
  static final byte[] RETRY = bytes("retry: 2000\n\n");
  static final byte[] HEARTBEAT = bytes(": \n\n");

  private SseFrames() {}

  /**
   * @param startEntry the number of the entry that started the job; a start after a pause does not
   *     change the so1 state
   */
  static byte[] of(LogEntry entry, long startEntry, LogLineFormatter formatter) {
    if (entry.fact() instanceof Fact.Submitted) {
      return status(entry.number(), state(So1State.PENDING));
    }
    return entry.number() == startEntry
        ? status(startEntry, state(So1State.RUNNING))
        : log(entry.number(), formatter.of(entry));
  }

  /**
   * The last event: the state and the output, which is null where there is none; and why the job
   * failed or was cancelled.
   */
  static byte[] finalStatus(long number, JobReader store, JobView view) {
    JsonObject data = state(So1StateMapping.of(view));
    data.put("output", JobOutput.of(store, view));
    So1Job.ErrorDetail error = So1JobMapper.errorOf(view);
    data.putIfPresent("error", error == null ? null : error.toJson());
    data.putIfPresent("reason", So1JobMapper.reasonOf(store, view));
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

  /** The data is one line: JSON escapes line breaks. */
  private static byte[] frame(long number, String event, JsonObject data) {
    return bytes("id: " + number + "\nevent: " + event + "\ndata: " + Json.write(data) + "\n\n");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
