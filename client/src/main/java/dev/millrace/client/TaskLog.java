package dev.millrace.client;

import dev.millrace.client.WorkerEvent.Location;
import dev.millrace.client.wire.ClaimedTask;
import dev.millrace.client.wire.TaskLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * Lines on their way to a job's log: sent together, at the latest a second after the first. Bounded:
 * where the server cannot be reached the oldest wait, and new ones are counted instead. Lines whose
 * answer was lost are sent again, so a line may be there twice, but not never.
 */
final class TaskLog {
  private static final Duration AT_LATEST = Duration.ofSeconds(1);
  private static final int MOST_WAITING = 2_000;
  private static final int MOST_AT_ONCE = 100;
  private static final int LONGEST = 4_000;

  /** Characters in a request: each has at most 6 bytes there, and the server takes 1 MiB. */
  private static final int ROOM = 150_000;

  private final Shop shop;
  private final ClaimedTask task;
  private final Object sending = new Object();
  private List<TaskLine> waiting = new ArrayList<>();
  private int lost;
  private boolean scheduled;

  TaskLog(Shop shop, ClaimedTask task) {
    this.shop = shop;
    this.task = task;
  }

  void add(String level, String line) {
    boolean first;
    synchronized (this) {
      if (waiting.size() >= MOST_WAITING) {
        lost++;
        return;
      }
      waiting.add(new TaskLine(level, Excerpt.of(line, LONGEST)));
      first = !scheduled;
      scheduled = true;
    }
    if (first) {
      schedule();
    }
  }

  private void schedule() {
    try {
      shop.after(AT_LATEST, this::flush);
    } catch (RejectedExecutionException e) {
      // The worker has stopped; whoever ends the task sends the rest.
    }
  }

  /** Sends what waits; what cannot be sent waits on. */
  void flush() {
    synchronized (sending) {
      for (List<TaskLine> batch = take(); !batch.isEmpty(); batch = take()) {
        try {
          shop.client().tasks().log(task.id(), task.token(), batch);
        } catch (ApiException e) {
          shop.error(Location.LOG, task, e);
          if (e.status() >= 500 || e.status() == 429) {
            putBack(batch);
            return;
          }
        } catch (NetworkException e) {
          shop.error(Location.LOG, task, e);
          putBack(batch);
          return;
        }
      }
    }
  }

  private synchronized List<TaskLine> take() {
    scheduled = false;
    if (lost > 0 && waiting.size() < MOST_WAITING) {
      waiting.add(new TaskLine("warn", lost + " lines were dropped: the log could not keep up"));
      lost = 0;
    }
    int count = 0;
    for (int room = ROOM; count < Math.min(waiting.size(), MOST_AT_ONCE); count++) {
      room -= waiting.get(count).line().length();
      if (room < 0) {
        break;
      }
    }
    List<TaskLine> batch = List.copyOf(waiting.subList(0, count));
    waiting = new ArrayList<>(waiting.subList(count, waiting.size()));
    return batch;
  }

  private void putBack(List<TaskLine> batch) {
    synchronized (this) {
      List<TaskLine> all = new ArrayList<>(batch);
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
