package dev.millrace.http.search;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.secret.SecretRedactor;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import dev.millrace.http.search.IndexedJob.Labels;
import dev.millrace.http.search.IndexedJob.Tasks;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what the index keeps of a job. Not thread-safe. */
final class IndexedJobReader {
  /** The most characters of a prompt. */
  static final int MAX_EXCERPT = 120;

  /** The most characters of an error. */
  static final int MAX_ERROR = 200;

  /** Labels that are shared by jobs; beyond that, a job has its own. */
  private static final int MAX_SHARED = 10_000;

  /** The most entries of a log that are looked through for models. */
  private static final int MAX_ENTRIES = 200;

  private final JobReader store;
  private final Map<Labels, Labels> shared = new HashMap<>();

  IndexedJobReader(JobReader store) {
    this.store = store;
  }

  /** Forgets what jobs have in common; those that were read keep it. */
  void forget() {
    shared.clear();
  }

  /**
   * The job as it is now; empty if there is none.
   *
   * @param before what the index knows of it: a prompt that is known is not read again
   */
  Optional<IndexedJob> read(JobId id, @Nullable IndexedJob before) {
    try {
      return store.find(id).map(job -> row(job, before));
    } catch (JobException e) {
      String why = cut(SecretRedactor.redact(String.valueOf(e.getMessage())), MAX_ERROR);
      return store.state(id).map(state -> IndexedJob.unreadable(id, state, why));
    }
  }

  private IndexedJob row(JobView job, @Nullable IndexedJob before) {
    String known = before == null ? null : before.excerpt();
    String excerpt = known == null ? excerpt(job) : known;
    String name = job.header().name();
    return new IndexedJob(
        job.header().id(),
        name,
        excerpt,
        before != null && Objects.equals(known, excerpt)
            ? before.folded()
            : IndexedJob.fold(Stream.of(name, excerpt).filter(Objects::nonNull).toList()),
        job.state(),
        job.header().priority(),
        labels(job, before),
        millis(job.createdAt()),
        millis(job.startedAt()),
        millis(job.completedAt()),
        job.stages().size(),
        tasks(job),
        job.stageAtGate().map(StageView::number).orElse(0),
        error(job));
  }

  private static @Nullable String error(JobView job) {
    String error = job.error();
    for (StageView stage : job.stages()) {
      if (error == null && stage.state() == StageState.FAILED) {
        error = stage.error();
      }
    }
    return error == null ? null : cut(error, MAX_ERROR);
  }

  private Labels labels(JobView job, @Nullable IndexedJob before) {
    Set<String> types = new LinkedHashSet<>();
    Set<String> models = new LinkedHashSet<>();
    for (StageView stage : job.stages()) {
      types.add(stage.type());
      if (stage.spec().data().get("model") instanceof String model) {
        models.add(model);
      }
    }
    models.addAll(usedModels(job, before));
    Labels own =
        new Labels(
            List.copyOf(types),
            List.copyOf(models),
            job.header().tags(),
            IndexedJob.fold(job.header().tags()),
            job.header().submittedBy());
    Labels known = shared.get(own);
    if (known == null && shared.size() < MAX_SHARED) {
      shared.put(own, own);
    }
    return known == null ? own : known;
  }

  /** The models of the first terms that were frozen; jobs of one model have it there. */
  private List<String> usedModels(JobView job, @Nullable IndexedJob before) {
    List<String> known = before == null ? List.of() : before.labels().models();
    if (job.startedAt() == null || !known.isEmpty() && !job.state().isFinal()) {
      return known;
    }
    return store.events(job.header().id(), 0, MAX_ENTRIES).stream()
        .map(LogEntry::fact)
        .filter(Fact.TermsFrozen.class::isInstance)
        .map(fact -> ((Fact.TermsFrozen) fact).terms().get("model"))
        .filter(String.class::isInstance)
        .map(String.class::cast)
        .distinct()
        .toList();
  }

  private static Tasks tasks(JobView job) {
    int total = 0;
    int completed = 0;
    int failed = 0;
    int running = 0;
    for (StageView stage : job.stages()) {
      Map<TaskState, Integer> states = stage.tasks();
      total += stage.total();
      completed += states.getOrDefault(TaskState.COMPLETED, 0);
      failed += states.getOrDefault(TaskState.FAILED, 0);
      running += states.getOrDefault(TaskState.IN_PROGRESS, 0);
    }
    return new Tasks(total, completed, failed, running);
  }

  private static long millis(@Nullable Instant time) {
    return time == null ? IndexedJob.NEVER : time.toEpochMilli();
  }

  /** The start of the first task's input. */
  private @Nullable String excerpt(JobView job) {
    if (job.stages().isEmpty() || job.stages().getFirst().total() == 0) {
      return null;
    }
    List<TaskView> first = store.tasks(job.header().id(), 1, 1, 1);
    return first.isEmpty() ? null : excerpt(first.getFirst().input());
  }

  static @Nullable String excerpt(@Nullable Object input) {
    String text = text(input);
    String start = text.substring(0, Math.min(text.length(), 10 * MAX_EXCERPT));
    String line = cut(start.strip().replaceAll("\\s+", " "), MAX_EXCERPT);
    return line.isEmpty() ? null : line;
  }

  /** The prompt in an input; else the input as JSON. */
  private static String text(@Nullable Object input) {
    if (input instanceof String text) {
      return text;
    }
    if (input instanceof Map<?, ?> fields) {
      for (String name : List.of("prompt", "input", "text")) {
        if (fields.get(name) instanceof String text) {
          return text;
        }
      }
      if (fields.get("messages") instanceof List<?> messages) {
        return lastMessage(messages);
      }
    }
    return Json.write(input);
  }

  /** What was asked last; else the messages as JSON. */
  private static String lastMessage(List<?> messages) {
    for (Object message : messages.reversed()) {
      if (message instanceof Map<?, ?> fields
          && "user".equals(fields.get("role"))
          && fields.get("content") instanceof String text) {
        return text;
      }
    }
    return Json.write(messages);
  }

  private static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
    return text.substring(0, end);
  }
}
