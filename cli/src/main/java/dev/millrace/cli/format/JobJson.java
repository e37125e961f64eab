package dev.millrace.cli.format;

import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.place.JobArtifacts;
import dev.millrace.cli.place.JobArtifacts.Artifact;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.terminal.TimeText;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job as {@code flow --json} prints it: nrvna's fields, and the stages if it has several tasks.
 */
public record JobJson(Status status, JsonObject json) {

  public static JobJson read(Place place, JobReader reader, JobId id) {
    try {
      return reader
          .find(id)
          .map(view -> of(place, reader, view))
          .orElseGet(() -> new JobJson(Status.MISSING, start(id, Status.MISSING)));
    } catch (StoreException e) {
      Status status = reader.state(id).map(Status::of).orElse(Status.MISSING);
      return new JobJson(
          Status.FAILED, start(id, status).put("error", "cannot be read: " + ErrorText.of(e)));
    }
  }

  /** Whether the job is one task, like a prompt: then it is shown without its stages. */
  public static boolean isSingleTask(JobView view) {
    return view.stages().size() == 1 && view.stages().getFirst().total() == 1;
  }

  private static JsonObject start(JobId id, Status status) {
    return JsonObject.create().put("id", id.value()).put("status", word(status));
  }

  public static String word(Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  private static JobJson of(Place place, JobReader reader, JobView view) {
    JobId id = view.header().id();
    Status status = ShownStatus.of(place, view.state());
    JobArtifacts artifacts = place.artifacts(id);
    JsonObject out = start(id, status).putIfPresent("name", view.header().name());
    meta(out, artifacts.meta(), view);
    out.putIfPresent("waits_for", ApprovalText.json(view));
    if (status == Status.DONE) {
      outcome(out, artifacts, reader, view);
    } else if (status == Status.FAILED || status == Status.CANCELLED) {
      out.putIfPresent("error", error(reader, view));
      out.putIfPresent("partial", partial(artifacts, reader, view));
    } else {
      out.putIfPresent("partial", draft(reader, view));
    }
    if (!isSingleTask(view)) {
      out.put("stages", stages(view));
    }
    return new JobJson(status, out);
  }

  private static void meta(JsonObject out, JsonObject meta, JobView view) {
    out.putIfPresent("mode", text(meta, "mode"))
        .put("submitted_at", otherwise(text(meta, "submitted_at"), view.createdAt()))
        .putIfPresent("completed_at", otherwise(text(meta, "completed_at"), view.completedAt()))
        .putIfPresent(
            "duration_s",
            meta.get("duration_s") instanceof Number seconds
                ? seconds
                : TimeText.seconds(view.startedAt(), view.completedAt()))
        .putIfPresent("parent", view.header().parent())
        .putIfPresent("retry_of", view.header().retryOf())
        .putIfPresent("output_format", text(meta, "output_format"));
    if (!view.header().tags().isEmpty()) {
      out.put("tags", view.header().tags());
    }
    if (meta.get("artifacts") instanceof List<?> artifacts && !artifacts.isEmpty()) {
      out.put("artifacts", artifacts);
    }
    out.putIfPresent("receipt", meta.get("receipt"));
  }

  /** A text in metadata that others may have written; null if it is missing or something else. */
  private static @Nullable String text(JsonObject meta, String name) {
    return meta.get(name) instanceof String text ? text : null;
  }

  private static @Nullable String otherwise(@Nullable String written, @Nullable Instant time) {
    return written != null ? written : TimeText.micros(time);
  }

  private static void outcome(
      JsonObject out, JobArtifacts artifacts, JobReader reader, JobView view) {
    Artifact artifact = artifacts.artifact().orElse(null);
    if (artifact != null) {
      out.put("artifact_kind", artifact.kind().name().toLowerCase(Locale.ROOT))
          .put("artifact_path", artifact.path().toString());
      if (artifact.kind() == JobArtifacts.Kind.AUDIO) {
        out.put("audio_path", artifact.path().toString());
        return;
      }
      if (artifact.kind() == JobArtifacts.Kind.TRANSCRIPT) {
        out.put("transcript", artifacts.transcript());
        return;
      }
    }
    if (view.stages().isEmpty()) {
      return;
    }
    StageView last = view.stages().getLast();
    JobId id = view.header().id();
    if (last.total() == 1) {
      reader.tasks(id, last.number(), 1, 1).forEach(task -> TaskJson.putResult(out, task.result()));
    } else {
      List<JsonObject> results = new ArrayList<>();
      TaskJson.each(reader, id, last.number(), task -> results.add(TaskJson.resultJson(task)));
      out.put("results", results);
    }
  }

  /** Why a job failed: the error of a prompt's only task, else that of the stage. */
  public static @Nullable String error(JobReader reader, JobView view) {
    if (isSingleTask(view)) {
      for (TaskView task : reader.tasks(view.header().id(), 1, 1, 1)) {
        if (task.error() != null) {
          return task.error();
        }
      }
    }
    return view.error();
  }

  /**
   * The partial output of a job with one task: from its last failure, else what was generated so
   * far.
   */
  public static @Nullable String partial(JobArtifacts artifacts, JobReader reader, JobView view) {
    String partial = artifacts.partial();
    return partial == null ? draft(reader, view) : partial;
  }

  /** What a job with one task has generated so far; null if nothing, or if it has several tasks. */
  static @Nullable String draft(JobReader reader, JobView view) {
    if (!isSingleTask(view)) {
      return null;
    }
    JobId id = view.header().id();
    StringBuilder text = new StringBuilder();
    for (JobReader.OutputSoFar draft = reader.outputSoFar(id, 1, 1, 0);
        !draft.pieces().isEmpty();
        draft = reader.outputSoFar(id, 1, 1, draft.next())) {
      text.append(draft.text());
    }
    return text.isEmpty() ? null : text.toString();
  }

  /** The receipt of a job with one task; null if there is none. */
  public static @Nullable JsonObject receipt(Place place, JobReader reader, JobView view) {
    if (!isSingleTask(view)) {
      return null;
    }
    JsonObject meta = place.artifacts(view.header().id()).meta();
    if (meta.get("receipt") instanceof Map<?, ?> receipt) {
      return JsonObject.of(receipt, "receipt");
    }
    if (meta.has("mode") && !"job".equals(meta.get("mode"))) {
      return null; // the receipt of a plain prompt is in its meta data
    }
    for (TaskView task : reader.tasks(view.header().id(), 1, 1, 1)) {
      return task.result() == null ? null : task.result().receipt();
    }
    return null;
  }

  public static List<JsonObject> stages(JobView view) {
    List<JsonObject> out = new ArrayList<>();
    for (StageView stage : view.stages()) {
      JsonObject tasks = JsonObject.create();
      stage.tasks().forEach((state, count) -> tasks.put(state.name(), count));
      out.add(
          JsonObject.create()
              .put("stage", stage.number())
              .put("type", stage.type())
              .put("state", stage.state().name())
              .putIfPresent("gate", stage.gate() ? true : null)
              .put("total", stage.total())
              .put("tasks", tasks)
              .putIfPresent("adopted", stage.adopted() > 0 ? stage.adopted() : null)
              .putIfPresent("started_at", TimeText.micros(stage.startedAt()))
              .putIfPresent("completed_at", TimeText.micros(stage.completedAt()))
              .putIfPresent("error", stage.state() == StageState.FAILED ? stage.error() : null));
    }
    return out;
  }

  /** Whether a stage waits for nothing but an approval. */
  public static boolean isAtGate(JobView job, StageView stage) {
    return stage.state() == StageState.WAITING
        && !job.state().isFinal()
        && (stage.number() == 1 || job.stages().get(stage.number() - 2).state().isFinal());
  }

  /** How many tasks of a stage are completed. */
  public static int completedTasks(StageView stage) {
    return stage.tasks().getOrDefault(TaskState.COMPLETED, 0);
  }
}
