package dev.millrace.http.webhook;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.job.Webhook.Event;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds in a job's log what a webhook wants to hear. A stage counts as waiting when its turn has
 * come: before that, nobody could approve it.
 */
final class WebhookEventFinder {
  private static final int BATCH = 1_000;

  /** What is asked for at once after an entry: mostly the next one has the answer. */
  private static final int AHEAD = 64;

  private final JobReader store;

  WebhookEventFinder(JobReader store) {
    this.store = store;
  }

  /** The first after entry {@code after}; empty if there is none yet. */
  Optional<WebhookEvent> next(JobView view, Webhook hook, long after) {
    if (!view.state().isFinal() && view.stages().stream().noneMatch(stage -> waits(view, stage))) {
      // Nothing that is new: the log of a large job is not read again for each of its tasks. A gate
      // that was approved before anybody looked is told with what comes next.
      return Optional.empty();
    }
    JobId id = view.header().id();
    long from = after;
    while (true) {
      List<LogEntry> batch = store.events(id, from, BATCH);
      for (LogEntry entry : batch) {
        if (entry.number() > view.lastEvent()) {
          return Optional.empty(); // the view does not know of it; a later one will
        }
        WebhookEvent telling = telling(entry, view);
        if (telling != null && hook.events().contains(telling.event())) {
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

  private @Nullable WebhookEvent telling(LogEntry entry, JobView view) {
    return switch (entry.fact()) {
      case Fact.JobChanged(JobEvent event, var _) ->
          switch (event) {
            case COMPLETE -> new WebhookEvent(entry.number(), entry.at(), Event.COMPLETED, 0);
            case FAIL -> new WebhookEvent(entry.number(), entry.at(), Event.FAILED, 0);
            case ABORT -> new WebhookEvent(entry.number(), entry.at(), Event.ABORTED, 0);
            case ENQUEUE, START, RESUME, PAUSE, BEGIN -> null;
          };
      case Fact.Submitted() -> waiting(1, entry, reached(1, entry, view));
      case Fact.StageChanged(int stage, StageEvent event, var _, var _) ->
          switch (event) {
            case COMPLETE -> waiting(stage + 1, entry, reached(stage + 1, entry, view));
            case HOLD -> waiting(stage, entry, stage == 1 || completed(stage - 1, entry, view));
            case OPEN, APPROVE, BEGIN, FAIL, ABORT -> null;
          };
      default -> null;
    };
  }

  private static @Nullable WebhookEvent waiting(int stage, LogEntry entry, boolean waits) {
    return waits ? new WebhookEvent(entry.number(), entry.at(), Event.WAITING, stage) : null;
  }

  /** Whether that stage, whose turn came with the entry, waited then: what came next tells. */
  private boolean reached(int stage, LogEntry entry, JobView view) {
    if (stage > view.stages().size()) {
      return false;
    }
    Optional<Fact> next = following(stage, entry, view);
    if (next.isEmpty()) { // it is as it was, or the end of its job ended it
      StageView now = view.stages().get(stage - 1);
      return now.gate() || now.state() == StageState.WAITING;
    }
    return next.get() instanceof Fact.StageChanged(int _, StageEvent event, var _, var _)
        && event == StageEvent.APPROVE;
  }

  /** Whether the stage was completed when the entry was written: then nothing follows for it. */
  private boolean completed(int stage, LogEntry entry, JobView view) {
    return view.stages().get(stage - 1).state() == StageState.COMPLETED
        && following(stage, entry, view).isEmpty();
  }

  /** How the stage moved, or came to be, after the entry; empty if it did not. */
  private Optional<Fact> following(int stage, LogEntry entry, JobView view) {
    JobId id = view.header().id();
    List<LogEntry> page = store.events(id, entry.number(), AHEAD);
    while (!page.isEmpty()) {
      for (LogEntry later : page) {
        if (moves(later.fact(), stage)) {
          return Optional.of(later.fact());
        }
      }
      page = store.events(id, page.getLast().number(), BATCH);
    }
    return Optional.empty();
  }

  private static boolean moves(Fact fact, int stage) {
    return switch (fact) {
      case Fact.StageChanged(int of, var _, var _, var _) -> of == stage;
      case Fact.StageAdded(int of, var _, var _) -> of == stage;
      default -> false;
    };
  }
}
