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
import dev.millrace.core.task.TaskEvent;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the events for a webhook in a job's log. A stage counts as waiting only when the stage
 * before it is completed, because it cannot be approved earlier.
 */
final class WebhookEventFinder {
  private static final int BATCH = 1_000;

  /** The entries to read after an entry: usually the next ones are enough. */
  private static final int LOOKAHEAD = 64;

  private final JobReader store;

  WebhookEventFinder(JobReader store) {
    this.store = store;
  }

  /** The first event after that entry; empty if there is none yet. */
  Optional<WebhookEvent> next(JobView view, Webhook webhook, long after) {
    if (!view.state().isFinal() && view.stages().stream().noneMatch(stage -> waits(view, stage))) {
      // Nothing is new: do not read the log of a large job again for each of its tasks. A gate that
      // was approved before this check is found with the next event.
      return Optional.empty();
    }
    JobId id = view.header().id();
    long from = after;
    while (true) {
      List<LogEntry> batch = store.events(id, from, BATCH);
      for (LogEntry entry : batch) {
        if (entry.number() > view.lastEvent()) {
          return Optional.empty(); // newer than the view; a later call will find it
        }
        WebhookEvent event = event(entry, view);
        if (event != null && webhook.events().contains(event.event())) {
          return Optional.of(event);
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

  private @Nullable WebhookEvent event(LogEntry entry, JobView view) {
    return switch (entry.fact()) {
      case Fact.JobChanged(JobEvent event, var _) ->
          switch (event) {
            case COMPLETE -> new WebhookEvent(entry.number(), entry.at(), Event.COMPLETED, 0);
            case FAIL -> new WebhookEvent(entry.number(), entry.at(), Event.FAILED, 0);
            case ABORT -> new WebhookEvent(entry.number(), entry.at(), Event.ABORTED, 0);
            case ENQUEUE, START, RESUME, PAUSE, BEGIN -> null;
          };
      case Fact.Submitted _ -> waiting(1, entry, reached(1, entry, view));
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

  /** Whether that stage waited after the entry; the next entry of the stage shows it. */
  private boolean reached(int stage, LogEntry entry, JobView view) {
    if (stage > view.stages().size()) {
      return false;
    }
    Optional<LogEntry> next = following(stage, entry, view);
    if (next.isEmpty()) { // unchanged since, or ended with its job
      StageView now = view.stages().get(stage - 1);
      return now.gate() || now.state() == StageState.WAITING;
    }
    return next.get().fact() instanceof Fact.StageChanged(int _, StageEvent event, var _, var _)
        && event == StageEvent.APPROVE
        && !isAdopted(next.get(), view);
  }

  /** Whether a retry took over the approval with tasks behind the gate, so that no one was asked. */
  private boolean isAdopted(LogEntry approval, JobView view) {
    JobId id = view.header().id();
    for (List<LogEntry> page = store.events(id, approval.number(), LOOKAHEAD);
        !page.isEmpty();
        page = store.events(id, page.getLast().number(), BATCH)) {
      for (LogEntry later : page) {
        if (later.fact() instanceof Fact.TaskChanged task) {
          return task.event() == TaskEvent.ADOPT; // the first thing that happens to a task then
        }
      }
    }
    return false;
  }

  /** Whether the stage was completed when the entry was written: no entry of it follows. */
  private boolean completed(int stage, LogEntry entry, JobView view) {
    return view.stages().get(stage - 1).state() == StageState.COMPLETED
        && following(stage, entry, view).isEmpty();
  }

  /** The first change of the stage after the entry; empty if there is none. */
  private Optional<LogEntry> following(int stage, LogEntry entry, JobView view) {
    JobId id = view.header().id();
    List<LogEntry> page = store.events(id, entry.number(), LOOKAHEAD);
    while (!page.isEmpty()) {
      for (LogEntry later : page) {
        if (concerns(later.fact(), stage)) {
          return Optional.of(later);
        }
      }
      page = store.events(id, page.getLast().number(), BATCH);
    }
    return Optional.empty();
  }

  private static boolean concerns(Fact fact, int stage) {
    return switch (fact) {
      case Fact.StageChanged(int of, var _, var _, var _) -> of == stage;
      case Fact.StageAdded(int of, var _, var _) -> of == stage;
      default -> false;
    };
  }
}
