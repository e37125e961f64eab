package dev.millrace.store.fs.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.TaskEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Compares what callers were told with what a store shows; nothing else may run meanwhile. */
final class HistoryCheck {
  /** The collection of the notes. */
  static final String NOTES = "simulated";

  /** The collection of the notes that are written ahead of a submission. */
  static final String AHEAD = "ahead";

  private final History history;
  private final JobStore store;

  HistoryCheck(History history, JobStore store) {
    this.history = history;
    this.store = store;
  }

  static String noteAhead(JobId id) {
    return "the note of job " + id;
  }

  void run() {
    for (JobId id : store.list(JobReader.Query.all())) {
      if (!history.knows(id)) {
        found(id);
      }
    }
    history.jobs().forEach(this::check);
    history
        .notes()
        .forEach(
            (name, note) -> {
              Optional<String> text = store.readNote(NOTES, name);
              assertThat(note.allows(text)).as("note %s: %s", name, text).isTrue();
            });
  }

  /** A job of a submission that was not acknowledged: it is there as a whole. */
  private void found(JobId id) {
    JobSpec spec = store.spec(id).orElseThrow();
    assertThat(spec.relations().retryOf() != null || history.unanswered.contains(spec))
        .as("%s was submitted as it is: %s", id, spec)
        .isTrue();
    history.submitted(id, spec);
  }

  private void check(JobHistory job) {
    Optional<JobView> view = store.find(job.id);
    if (job.gone) {
      assertThat(view).as("%s was deleted", job).isEmpty();
    } else if (job.certain && !job.mayBeGone) {
      assertThat(view).as("%s was submitted", job).isPresent();
    }
    if (view.isEmpty()) {
      job.gone |= job.certain;
      return;
    }
    job.certain = true;
    List<LogEntry> log = store.events(job.id, 0, Integer.MAX_VALUE);
    checkSeen(job, view.get(), log);
    checkLevers(job, log);
    checkSpec(job, store.spec(job.id).orElseThrow());
    checkClaims(job, log);
    checkResults(job);
    checkWebhooks(job);
    if (job.noted) {
      assertThat(store.readNote(AHEAD, job.id.value()))
          .as("the note ahead of %s", job)
          .contains(noteAhead(job.id));
    }
  }

  /** Nobody delivers webhooks in a simulation, so that their notes stay as submitted. */
  private void checkWebhooks(JobHistory job) {
    if (job.spec != null && !job.spec.webhooks().isEmpty()) {
      assertThat(store.readNote(NoteStore.WEBHOOKS, job.id.value()))
          .as("the note of the webhooks of %s", job)
          .isPresent();
    }
  }

  private static void checkSeen(JobHistory job, JobView view, List<LogEntry> log) {
    assertThat(log.size())
        .as("entries of %s that a reader saw", job)
        .isGreaterThanOrEqualTo(job.seen.size());
    assertThat(log.subList(0, job.seen.size()))
        .as("log of %s as read before", job)
        .isEqualTo(job.seen);
    if (job.end != null) {
      assertThat(view.state()).as("the end of %s that a reader saw", job).isEqualTo(job.end);
    }
    job.seen = List.copyOf(log);
    job.end = view.state().isFinal() ? view.state() : null;
  }

  private static void checkLevers(JobHistory job, List<LogEntry> log) {
    Set<String> ops = new HashSet<>();
    Set<String> lines = new HashSet<>();
    for (LogEntry entry : log) {
      Cause cause = cause(entry.fact());
      if (cause != null && cause.op() != null) {
        ops.add(cause.op());
      } else if (entry.fact() instanceof Fact.WorkerLogLine line) {
        lines.add(line.text());
      } else if (entry.fact() instanceof Fact.TermsFrozen frozen) {
        lines.add(frozen.terms().string("text", ""));
      }
    }
    Map<String, Object> lost = new TreeMap<>(job.done);
    lost.keySet().removeAll(ops);
    assertThat(lost).as("levers of %s that were done and are not in its log", job).isEmpty();
    Map<String, Object> kept = new TreeMap<>(job.refused);
    kept.keySet().retainAll(ops);
    assertThat(kept).as("levers of %s that were refused and are in its log", job).isEmpty();
    assertThat(lines)
        .as("lines and terms of %s before the answers %s in %s", job, job.answers, log)
        .containsAll(job.lines);
  }

  private static @Nullable Cause cause(Fact fact) {
    return switch (fact) {
      case Fact.JobChanged changed -> changed.cause();
      case Fact.StageChanged changed -> changed.cause();
      case Fact.StageAdded added -> added.cause();
      case Fact.TasksAdded added -> added.cause();
      case Fact.MetadataReplaced replaced -> replaced.cause();
      case Fact.Prioritized prioritized -> prioritized.cause();
      default -> null;
    };
  }

  private static void checkSpec(JobHistory job, JobSpec now) {
    JobSpec before = job.spec;
    if (before != null) {
      assertThat(now.stages().size())
          .as("stages of %s", job)
          .isGreaterThanOrEqualTo(before.stages().size());
      for (int i = 0; i < before.stages().size(); i++) {
        StageSpec stage = before.stages().get(i);
        List<TaskSpec> tasks = now.stages().get(i).tasks();
        assertThat(now.stages().get(i).withTasks(stage.tasks()))
            .as("stage %s of %s", i + 1, job)
            .isEqualTo(stage);
        assertThat(tasks.subList(0, Math.min(tasks.size(), stage.tasks().size())))
            .as("tasks of stage %s of %s", i + 1, job)
            .isEqualTo(stage.tasks());
      }
      assertThat(now.withStages(before.stages())).as("%s", job).isEqualTo(before);
    }
    for (JobHistory.Addition added : job.additions) {
      assertThat(now.stages().size())
          .as("stage of %s with %s", job, added)
          .isGreaterThanOrEqualTo(added.stage());
      List<TaskSpec> tasks = now.stages().get(added.stage() - 1).tasks();
      int from = added.first() - 1;
      assertThat(tasks.size())
          .as("tasks of %s with %s", job, added)
          .isGreaterThanOrEqualTo(from + added.tasks().size());
      assertThat(tasks.subList(from, from + added.tasks().size()))
          .as("addition to %s", job)
          .isEqualTo(added.tasks());
    }
    job.spec = now;
  }

  private static void checkClaims(JobHistory job, List<LogEntry> log) {
    for (ClaimKey key : job.claims.keySet()) {
      int number = (int) key.token().number();
      assertThat(log.size())
          .as("claim %s of %s is in its log", key, job)
          .isGreaterThanOrEqualTo(number);
      assertThat(log.get(number - 1).fact())
          .as("claim %s of %s", key, job)
          .isInstanceOfSatisfying(
              Fact.TaskChanged.class,
              fact -> {
                assertThat(fact.event()).isEqualTo(TaskEvent.CLAIM);
                assertThat(fact.stage()).isEqualTo(key.stage());
                assertThat(fact.task()).isEqualTo(key.task());
                assertThat(((Fact.Detail.Claimed) fact.detail()).epoch())
                    .isEqualTo(key.token().epoch());
              });
      JobHistory.Answer answer = job.answers.get(key);
      if (answer != null) {
        Optional<TaskEvent> next = next(log, key);
        assertThat(next).as("answer to %s of %s", key, job).isPresent();
        assertThat(answer.events()).as("answer to %s of %s", key, job).contains(next.get());
      }
    }
  }

  /** What happened to a task after its claim. */
  private static Optional<TaskEvent> next(List<LogEntry> log, ClaimKey key) {
    return log.subList((int) key.token().number(), log.size()).stream()
        .map(LogEntry::fact)
        .filter(Fact.TaskChanged.class::isInstance)
        .map(Fact.TaskChanged.class::cast)
        .filter(fact -> fact.stage() == key.stage() && fact.task() == key.task())
        .map(Fact.TaskChanged::event)
        .findFirst();
  }

  private void checkResults(JobHistory job) {
    job.answers.forEach(
        (key, answer) -> {
          if (answer.result() != null) {
            job.results.merge(
                key.stage() + "/" + key.task(),
                answer.result(),
                (a, b) -> {
                  assertThat(a)
                      .as("the result of %s/%s/%s", job, key.stage(), key.task())
                      .isEqualTo(b);
                  return a;
                });
          }
        });
    job.results.forEach(
        (name, text) -> {
          String[] at = name.split("/");
          assertThat(store.task(job.id, Integer.parseInt(at[0]), Integer.parseInt(at[1])))
              .as("task %s of %s", name, job)
              .hasValueSatisfying(
                  task -> {
                    assertThat(task.result()).as("result of task %s of %s", name, job).isNotNull();
                    assertThat(task.result().text()).isEqualTo(text);
                  });
          assertThat(job.refusedResults).as("refused results of %s", job).doesNotContain(text);
        });
  }
}
