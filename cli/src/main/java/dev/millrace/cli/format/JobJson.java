package dev.millrace.cli.format;

import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.terminal.TimeText;
import dev.millrace.cli.workspace.JobDirectory;
import dev.millrace.cli.workspace.JobDirectory.Artifact;
import dev.millrace.cli.workspace.WorkspaceAccess;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A job as {@code flow --json} prints it: nrvna's fields, and where it has them, its stages. */
public record JobJson(Status status, JsonObject json) {

  public static JobJson read(WorkspaceAccess place, JobReader reading, JobId id) {
    try {
      return reading
          .find(id)
          .map(view -> of(place, reading, view))
          .orElseGet(() -> new JobJson(Status.MISSING, start(id, Status.MISSING)));
    } catch (StoreException e) {
      Status status = reading.state(id).map(Status::of).orElse(Status.MISSING);
      return new JobJson(
          Status.FAILED, start(id, status).put("error", "cannot be read: " + ErrorText.of(e)));
    }
  }

  /** Whether the job is one task, as a prompt is: then it is told without its stages. */
  public static boolean isSingleTask(JobView view) {
    return view.stages().size() == 1 && view.stages().getFirst().total() == 1;
  }

  private static JsonObject start(JobId id, Status status) {
    return JsonObject.create().put("id", id.value()).put("status", word(status));
  }

  public static String word(Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  private static JobJson of(WorkspaceAccess place, JobReader reading, JobView view) {
    JobId id = view.header().id();
    Status status = Status.of(view.state());
    JobDirectory directory = place.directory(id);
    JsonObject out = start(id, status).putIfPresent("name", view.header().name());
    meta(out, directory.meta(), view);
    if (status == Status.DONE) {
      outcome(out, directory, reading, view);
    } else if (status == Status.FAILED || status == Status.CANCELLED) {
      out.putIfPresent("error", error(reading, view));
      out.putIfPresent("partial", partial(directory, reading, view));
    } else {
      out.putIfPresent("partial", draft(reading, view));
    }
    if (!isSingleTask(view)) {
      out.put("stages", stages(view));
    }
    return new JobJson(status, out);
  }

  private static void meta(JsonObject out, JsonObject meta, JobView view) {
    out.putIfPresent("mode", meta.get("mode"))
        .put(
            "submitted_at",
            meta.has("submitted_at") ? meta.get("submitted_at") : TimeText.micros(view.createdAt()))
        .putIfPresent(
            "completed_at",
            meta.has("completed_at")
                ? meta.get("completed_at")
                : TimeText.micros(view.completedAt()))
        .putIfPresent(
            "duration_s",
            meta.has("duration_s")
                ? meta.get("duration_s")
                : TimeText.seconds(view.startedAt(), view.completedAt()))
        .putIfPresent("parent", view.header().parent())
        .putIfPresent("retry_of", view.header().retryOf())
        .putIfPresent("output_format", meta.get("output_format"));
    if (!view.header().tags().isEmpty()) {
      out.put("tags", view.header().tags());
    }
    if (meta.get("artifacts") instanceof List<?> artifacts && !artifacts.isEmpty()) {
      out.put("artifacts", artifacts);
    }
    out.putIfPresent("receipt", meta.get("receipt"));
  }

  private static void outcome(
      JsonObject out, JobDirectory directory, JobReader reading, JobView view) {
    Artifact artifact = directory.artifact().orElse(null);
    if (artifact != null) {
      out.put("artifact_kind", artifact.kind().name().toLowerCase(Locale.ROOT))
          .put("artifact_path", artifact.path().toString());
      if (artifact.kind() == JobDirectory.Kind.AUDIO) {
        out.put("audio_path", artifact.path().toString());
        return;
      }
      if (artifact.kind() == JobDirectory.Kind.TRANSCRIPT) {
        out.put("transcript", directory.transcript());
        return;
      }
    }
    if (view.stages().isEmpty()) {
      return;
    }
    StageView last = view.stages().getLast();
    JobId id = view.header().id();
    if (last.total() == 1) {
      reading
          .tasks(id, last.number(), 1, 1)
          .forEach(task -> TaskPages.putResult(out, task.result()));
    } else {
      List<JsonObject> results = new ArrayList<>();
      TaskPages.each(reading, id, last.number(), task -> results.add(TaskPages.resultJson(task)));
      out.put("results", results);
    }
  }

  /** Why a job failed: of a single prompt, what its task says; else what its stage says. */
  public static @Nullable String error(JobReader reading, JobView view) {
    if (isSingleTask(view)) {
      for (TaskView task : reading.tasks(view.header().id(), 1, 1, 1)) {
        if (task.error() != null) {
          return task.error();
        }
      }
    }
    return view.error();
  }

  /** What a job of one task had produced: as its worker said at last, or else as it went along. */
  public static @Nullable String partial(JobDirectory directory, JobReader reading, JobView view) {
    String said = directory.partial();
    return said == null ? draft(reading, view) : said;
  }

  /** What a job of one task has produced so far; null if nothing, or if there are several. */
  static @Nullable String draft(JobReader reading, JobView view) {
    if (!isSingleTask(view)) {
      return null;
    }
    JobId id = view.header().id();
    StringBuilder text = new StringBuilder();
    for (JobReader.OutputSoFar draft = reading.outputSoFar(id, 1, 1, 0);
        !draft.pieces().isEmpty();
        draft = reading.outputSoFar(id, 1, 1, draft.next())) {
      text.append(draft.text());
    }
    return text.isEmpty() ? null : text.toString();
  }

  /** How the result of a job of one task came about; null if nobody said. */
  public static @Nullable JsonObject receipt(
      WorkspaceAccess place, JobReader reading, JobView view) {
    if (!isSingleTask(view)) {
      return null;
    }
    JsonObject meta = place.directory(view.header().id()).meta();
    if (meta.get("receipt") instanceof Map<?, ?> receipt) {
      return JsonObject.of(receipt, "receipt");
    }
    if (meta.has("mode") && !"job".equals(meta.get("mode"))) {
      return null; // a plain prompt would have it there
    }
    for (TaskView task : reading.tasks(view.header().id(), 1, 1, 1)) {
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
              .putIfPresent("started_at", TimeText.micros(stage.startedAt()))
              .putIfPresent("completed_at", TimeText.micros(stage.completedAt()))
              .putIfPresent("error", stage.state() == StageState.FAILED ? stage.error() : null));
    }
    return out;
  }

  /** Whether a stage waits for an approval, and for nothing else. */
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
