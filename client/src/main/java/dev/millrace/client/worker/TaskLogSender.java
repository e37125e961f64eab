package dev.millrace.client.worker;

import dev.millrace.api.ClaimedTask;
import dev.millrace.api.NewLogLine;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.NetworkException;
import dev.millrace.client.worker.WorkerEvent.Location;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * Lines on their way to a job's log: sent together, at the latest a second after the first. Bounded:
 * where the server cannot be reached the oldest wait, and new ones are counted instead. Lines whose
 * answer was lost are sent again, so a line may be there twice, but not never.
 */
final class TaskLogSender {
  private static final Duration AT_LATEST = Duration.ofSeconds(1);
  private static final int MOST_WAITING = 2_000;
  private static final int MOST_AT_ONCE = 100;
  private static final int LONGEST = 4_000;

  /** Characters in a request: each has at most 6 bytes there, and the server takes 1 MiB. */
  private static final int ROOM = 150_000;

  private final WorkerRuntime runtime;
  private final ClaimedTask task;
  private final Object sending = new Object();
  private List<NewLogLine> waiting = new ArrayList<>();
  private int lost;
  private boolean scheduled;

  TaskLogSender(WorkerRuntime shop, ClaimedTask task) {
    this.runtime = shop;
    this.task = task;
  }

  void add(String level, String line) {
    boolean first;
    synchronized (this) {
      if (waiting.size() >= MOST_WAITING) {
        lost++;
        return;
      }
      waiting.add(new NewLogLine(level, TruncatedText.of(line, LONGEST)));
      first = !scheduled;
      scheduled = true;
    }
    if (first) {
      schedule();
    }
  }

  private void schedule() {
    try {
      runtime.schedule(AT_LATEST, this::flush);
    } catch (RejectedExecutionException e) {
      // The worker has stopped; whoever ends the task sends the rest.
    }
  }

  /** Sends what waits; what cannot be sent waits on. */
  void flush() {
    synchronized (sending) {
      for (List<NewLogLine> batch = take(); !batch.isEmpty(); batch = take()) {
        try {
          runtime.client().tasks().log(task.id(), task.token(), batch);
        } catch (ApiException e) {
          runtime.reportError(Location.LOG, task, e);
          if (e.status() >= 500 || e.status() == 429) {
            putBack(batch);
            return;
          }
        } catch (NetworkException e) {
          runtime.reportError(Location.LOG, task, e);
          putBack(batch);
          return;
        }
      }
    }
  }

  private synchronized List<NewLogLine> take() {
    scheduled = false;
    if (lost > 0 && waiting.size() < MOST_WAITING) {
      waiting.add(new NewLogLine("warn", lost + " lines were dropped: the log could not keep up"));
      lost = 0;
    }
    int count = 0;
    for (int room = ROOM; count < Math.min(waiting.size(), MOST_AT_ONCE); count++) {
      room -= waiting.get(count).line().length();
      if (room < 0) {
        break;
      }
    }
    List<NewLogLine> batch = List.copyOf(waiting.subList(0, count));
    waiting = new ArrayList<>(waiting.subList(count, waiting.size()));
    return batch;
  }

  private void putBack(List<NewLogLine> batch) {
    synchronized (this) {
      List<NewLogLine> all = new ArrayList<>(batch);
      all.addAll(waiting);
      waiting = all;
      if (scheduled) {
        return;
      }
      scheduled = true;
    }
    schedule();
  }
}
