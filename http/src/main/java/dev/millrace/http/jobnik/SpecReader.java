package dev.millrace.http.jobnik;

import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.route.ApiRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bodies of requests that create jobs, stages and tasks; {@link JobDocument} checks them.
 * A body without a trace gets the trace of the request; if that has none either, a job starts one,
 * and a stage or task continues that of its job.
 */
final class SpecReader {
  private SpecReader() {}

  /** The body of {@code POST /jobs}: a job to which stages are added. */
  static JobSpec readJob(ApiRequest call) {
    JsonObject document = withTrace(call.bodyObject(), call.traceOrNew());
    rename(document, "userMetadata", "metadata");
    return JobDocument.read(document.put("open", true), JobDocument.INLINE);
  }

  /** The body of {@code POST /pipelines}: a whole job, kept as it was given. */
  static JobSpec readPipeline(ApiRequest call) {
    return JobDocument.read(withTrace(call.bodyObject(), call.trace()), JobDocument.INLINE);
  }

  /**
   * The body of {@code POST /jobs/{jobId}/stage}.
   *
   * @param backoff of a stage that names none
   */
  static StageSpec readStage(ApiRequest call, int number, Backoff backoff) {
    JsonObject document = withTrace(call.bodyObject(), call.trace());
    rename(document, "userMetadata", "metadata");
    rename(document, "startAsWaiting", "gate");
    if (!document.has("backoff")) {
      JobDocument.writeBackoff(document, backoff);
    }
    return JobDocument.readStage(document, number);
  }

  /** The body of {@code POST /stages/{stageId}/tasks}. */
  static List<TaskSpec> readTasks(ApiRequest call) {
    if (!(call.body() instanceof List<?> list)) {
      throw new JsonException("request body must be a list of tasks");
    }
    List<TaskSpec> tasks = new ArrayList<>();
    for (Object task : list) {
      String where = "task " + (tasks.size() + 1);
      JsonObject document = withTrace(JsonObject.of(task, where), call.trace());
      rename(document, "userMetadata", "metadata");
      rename(document, "data", "input");
      tasks.add(JobDocument.task(document, where));
    }
    return tasks;
  }

  private static JsonObject withTrace(JsonObject body, @Nullable TraceContext trace) {
    JsonObject copy = JsonObject.of(new LinkedHashMap<>(body.values()), "request body");
    if (copy.get("traceparent") instanceof String own
        && TraceContext.isParent(own)
        && !new TraceContext(own, null).isStarted()) {
      copy.values().remove("traceparent"); // zeros are how Jobnik writes that there is none
    }
    if (!copy.has("traceparent")) {
      copy.values().remove("tracestate"); // without a traceparent it means nothing
    }
    if (trace != null && !copy.has("traceparent")) {
      copy.put("traceparent", trace.parent()).putIfPresent("tracestate", trace.state());
    }
    return copy;
  }

  private static void rename(JsonObject document, String from, String to) {
    if (document.values().containsKey(from)) {
      document.put(to, document.values().remove(from));
    }
  }
}
