package dev.millrace.store.postgres.chaos.job;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a job's log says about claims and requests.
 *
 * @param entries all of them
 * @param ends how each claim has ended
 * @param workers who was given each claim
 * @param requests how often each request is in the log
 */
public record ChaosLog(
    List<LogEntry> entries,
    Map<ClaimKey, TaskEvent> ends,
    Map<ClaimKey, String> workers,
    Map<String, Integer> requests) {
  private static final int PAGE = 1_000;

  /** A task of a job. */
  private record Place(int stage, int task) {}

  public static ChaosLog read(JobReader reader, JobId id) {
    List<LogEntry> entries = new ArrayList<>();
    for (List<LogEntry> page = reader.events(id, 0, PAGE);
        !page.isEmpty();
        page = reader.events(id, page.getLast().number(), PAGE)) {
      entries.addAll(page);
    }
    return of(entries);
  }

  public static ChaosLog of(List<LogEntry> entries) {
    ChaosLog log = new ChaosLog(entries, new HashMap<>(), new HashMap<>(), new HashMap<>());
    Map<Place, ClaimKey> present = new HashMap<>();
    for (LogEntry entry : entries) {
      if (entry.fact()
          instanceof Fact.TaskChanged(int stage, int task, TaskEvent event, Detail detail)) {
        Place at = new Place(stage, task);
        ClaimKey held = present.remove(at);
        if (detail instanceof Detail.Claimed claimed) {
          FencingToken token = new FencingToken(claimed.epoch(), entry.number());
          present.put(at, new ClaimKey(stage, task, token));
          log.workers.put(present.get(at), claimed.worker());
        } else if (held != null) {
          log.ends.put(held, event);
        }
      }
      Cause cause = cause(entry.fact());
      if (cause != null && cause.op() != null) {
        log.requests.merge(cause.op(), 1, Integer::sum);
      }
    }
    return log;
  }

  private static @Nullable Cause cause(Fact fact) {
    return switch (fact) {
      case Fact.JobChanged(var _, Cause cause) -> cause;
      case Fact.StageChanged changed -> changed.cause();
      case Fact.StageAdded(int _, var _, Cause cause) -> cause;
      case Fact.TasksAdded(int _, int _, int _, Cause cause) -> cause;
      case Fact.MetadataReplaced(int _, int _, var _, Cause cause) -> cause;
      case Fact.Prioritized(var _, Cause cause) -> cause;
      default -> null;
    };
  }

  /** The claim under which a task was completed; null if it was not. */
  public @Nullable ClaimKey completion(int stage, int task) {
    for (Map.Entry<ClaimKey, TaskEvent> each : ends.entrySet()) {
      ClaimKey claim = each.getKey();
      if (each.getValue() == TaskEvent.COMPLETE && claim.stage() == stage && claim.task() == task) {
        return claim;
      }
    }
    return null;
  }

  /** Whether a user has aborted the job. */
  public boolean isAborted() {
    return entries.stream()
        .anyMatch(
            entry ->
                entry.fact() instanceof Fact.JobChanged(JobEvent event, Cause _)
                    && event == JobEvent.ABORT);
  }
}
