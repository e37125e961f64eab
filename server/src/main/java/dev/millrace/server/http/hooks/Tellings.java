package dev.millrace.server.http.hooks;

import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.job.Webhook.Event;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.Reading;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds in a job's log what a webhook wants to hear. A stage counts as waiting when its turn has
 * come: before that, nobody could approve it.
 */
final class Tellings {
  private static final int BATCH = 1_000;

  private final Reading store;

  Tellings(Reading store) {
    this.store = store;
  }

  /** The first after entry {@code after}; empty if there is none yet. */
  Optional<Telling> next(JobView view, Webhook hook, long after) {
    if (!view.state().isFinal() && view.stages().stream().noneMatch(stage -> waits(view, stage))) {
      // Nothing that is new: the log of a large job is not read again for each of its tasks. A gate
      // that was approved before anybody looked is told with what comes next.
      return Optional.empty();
    }
    JobId id = view.header().id();
    long from = after;
    while (true) {
      List<Entry> batch = store.events(id, from, BATCH);
      for (Entry entry : batch) {
        Telling telling = telling(entry, view, batch);
        if (telling != null && hook.on().contains(telling.event())) {
          return Optional.of(telling);
        }
      }
      if (batch.isEmpty()) {
        return Optional.empty();
      }
      from = batch.getLast().number();
    }
  }

  private static boolean waits(JobView view, StageView stage) {
    return stage.state() == StageState.WAITING
        && (stage.number() == 1
            || view.stages().get(stage.number() - 2).state() == StageState.COMPLETED);
  }

  private static @Nullable Telling telling(Entry entry, JobView view, List<Entry> batch) {
    return switch (entry.fact()) {
      case Fact.OfJob(JobEvent event, var _) ->
          switch (event) {
            case COMPLETE -> new Telling(entry.number(), entry.at(), Event.COMPLETED, 0);
            case FAIL -> new Telling(entry.number(), entry.at(), Event.FAILED, 0);
            case ABORT -> new Telling(entry.number(), entry.at(), Event.ABORTED, 0);
            case ENQUEUE, START, RESUME, PAUSE, BEGIN -> null;
          };
      case Fact.Submitted() -> reached(1, entry, view, batch);
      case Fact.OfStage(int stage, StageEvent event, var _, var _) ->
          switch (event) {
            case COMPLETE -> reached(stage + 1, entry, view, batch);
            case HOLD ->
                stage == 1 || completedBy(view.stages().get(stage - 2), entry.at())
                    ? new Telling(entry.number(), entry.at(), Event.WAITING, stage)
                    : null;
            case OPEN, APPROVE, BEGIN, FAIL, ABORT -> null;
          };
      default -> null;
    };
  }

  /** The turn of that stage has come: it waits if it is a gate, or was held before. */
  private static @Nullable Telling reached(
      int stage, Entry entry, JobView view, List<Entry> batch) {
    if (stage > view.stages().size()) {
      return null;
    }
    StageView at = view.stages().get(stage - 1);
    boolean held =
        at.gate()
            || at.state() == StageState.WAITING
                && follows(entry, batch, fact -> isHold(fact, stage)).isEmpty();
    // A stage that was added later has an entry of its own where it is held.
    return held && follows(entry, batch, fact -> isAddition(fact, stage)).isEmpty()
        ? new Telling(entry.number(), entry.at(), Event.WAITING, stage)
        : null;
  }

  private static Optional<Entry> follows(Entry entry, List<Entry> batch, Predicate<Fact> fact) {
    return batch.stream()
        .filter(other -> other.number() > entry.number() && fact.test(other.fact()))
        .findFirst();
  }

  private static boolean isHold(Fact fact, int stage) {
    return fact instanceof Fact.OfStage(int of, StageEvent event, var _, var _)
        && of == stage
        && event == StageEvent.HOLD;
  }

  private static boolean isAddition(Fact fact, int stage) {
    return fact instanceof Fact.StageAdded(int of, var _, var _) && of == stage;
  }

  private static boolean completedBy(StageView stage, Instant at) {
    return stage.state() == StageState.COMPLETED
        && stage.completedAt() != null
        && !stage.completedAt().isAfter(at);
  }
}
