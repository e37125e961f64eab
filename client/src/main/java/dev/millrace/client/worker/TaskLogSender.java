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
 * Sends the log lines of a task in batches, at the latest a second after the first line. The queue
 * is bounded: while the server cannot be reached, lines beyond the limit are dropped and counted. A
 * batch whose answer is lost is sent again, so a line may appear twice.
 */
final class TaskLogSender {
  private static final Duration MAX_DELAY = Duration.ofSeconds(1);
  private static final int MAX_WAITING = 2_000;
  private static final int MAX_BATCH = 100;
  private static final int MAX_LINE = 4_000;

  /** A character has at most 6 bytes in JSON, and the server accepts 1 MiB. */
  private static final int MAX_BATCH_CHARACTERS = 150_000;

  private final WorkerRuntime runtime;
  private final ClaimedTask task;
  private final Object sending = new Object();
  private List<NewLogLine> waiting = new ArrayList<>();
  private int dropped;
  private boolean scheduled;

  TaskLogSender(WorkerRuntime runtime, ClaimedTask task) {
    this.runtime = runtime;
    this.task = task;
  }

  void add(String level, String line) {
    boolean first;
    synchronized (this) {
      if (waiting.size() >= MAX_WAITING) {
        dropped++;
        return;
      }
      waiting.add(new NewLogLine(level, TruncatedText.of(line, MAX_LINE)));
      first = !scheduled;
      scheduled = true;
    }
    if (first) {
      schedule();
    }
  }

  private void schedule() {
    try {
      runtime.schedule(MAX_DELAY, this::flush);
    } catch (RejectedExecutionException e) {
      // The worker has stopped; the end of the task flushes.
    }
  }

  /** Sends the waiting lines; those that cannot be sent wait for the next try. */
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
    if (dropped > 0 && waiting.size() < MAX_WAITING) {
      waiting.add(new NewLogLine("warn", dropped + " lines dropped: the log could not keep up"));
      dropped = 0;
    }
    int count = 0;
    for (int left = MAX_BATCH_CHARACTERS; count < Math.min(waiting.size(), MAX_BATCH); count++) {
      left -= waiting.get(count).line().length();
      if (left < 0) {
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
