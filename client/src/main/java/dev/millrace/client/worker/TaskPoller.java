package dev.millrace.client.worker;

import dev.millrace.api.ClaimedTask;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.worker.WorkerEvent.Location;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * The one thread that claims for a worker: never more tasks than there are free slots and than the
 * breakers allow. A poll under way is not abandoned when the worker stops, for what the server grants
 * it then would wait for its lease to run out; it ends by itself, and what it brings is given back.
 */
final class TaskPoller implements Runnable {

  /** Who runs what was claimed; the task's slot and its call of the handler's breaker are his. */
  @FunctionalInterface
  interface TaskStarter {

    /**
     * @param asked when the claim was asked for
     * @return whether it runs
     */
    boolean start(ClaimedTask task, long asked);
  }

  private final WorkerRuntime runtime;
  private final Semaphore slots;
  private final Breaker breaker;
  private final CountDownLatch stopping;
  private final TaskStarter taker;
  private int idle;
  private int empty;

  TaskPoller(
      WorkerRuntime shop,
      Semaphore slots,
      Breaker breaker,
      CountDownLatch stopping,
      TaskStarter taker) {
    this.runtime = shop;
    this.slots = slots;
    this.breaker = breaker;
    this.stopping = stopping;
    this.taker = taker;
  }

  @Override
  public void run() {
    try {
      while (stopping.getCount() > 0) {
        try {
          turn();
        } catch (RuntimeException | Error e) { // a bug here must not end the work
          idle++;
          runtime.reportError(Location.TASK_DEQUEUE, null, e);
          pause(Duration.ZERO);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the worker is out of patience
    }
  }

  private void turn() throws InterruptedException {
    int free = takeSlots();
    int handlers = stopping.getCount() == 0 ? 0 : runtime.breaker().tryBegin(free);
    if (handlers == 0 || !breaker.tryBegin()) {
      runtime.breaker().releasePermit(handlers);
      slots.release(free);
      idle++;
      pause(Duration.ZERO);
      return;
    }
    long start = runtime.timeSource().nanos();
    List<ClaimedTask> tasks = List.of();
    try {
      tasks = claim(handlers, start);
    } finally {
      runtime.breaker().releasePermit(handlers - tasks.size());
      slots.release(free - tasks.size());
    }
    if (hand(tasks, start) == 0) {
      idle++;
      pause(tasks.isEmpty() ? runtime.since(start) : Duration.ZERO);
    }
  }

  /** Ends the call of the breaker in every case. */
  private List<ClaimedTask> claim(int limit, long start) throws InterruptedException {
    List<ClaimedTask> tasks;
    try {
      tasks = ask(limit);
    } catch (RuntimeException | Error e) {
      failed(e, runtime.timeSource().nanos() - start);
      return List.of();
    }
    breaker.succeeded(runtime.timeSource().nanos() - start);
    counted(tasks.size());
    return tasks;
  }

  /** How many of them run. */
  private int hand(List<ClaimedTask> tasks, long start) {
    int running = 0;
    for (ClaimedTask task : tasks) {
      if (taker.start(task, start)) {
        running++;
        idle = 0;
      }
    }
    return running;
  }

  /** Waits for a free slot, and takes all there are. */
  private int takeSlots() throws InterruptedException {
    slots.acquire();
    int free = 1;
    while (free < 1_000 && slots.tryAcquire()) {
      free++;
    }
    return free;
  }

  private List<ClaimedTask> ask(int limit) {
    return runtime.client().stages().dequeue(runtime.settings().dequeueRequest(limit));
  }

  private void counted(int tasks) {
    empty = tasks > 0 ? 0 : empty + 1;
    runtime.meters().emptyPolls(runtime.type(), empty);
    if (empty > 0) {
      runtime.notifyListener(new WorkerEvent.QueueEmpty(empty));
    }
  }

  private void failed(Throwable e, long nanos) throws InterruptedException {
    if (Thread.currentThread().isInterrupted()) {
      breaker.releasePermit();
      throw new InterruptedException();
    }
    if (e instanceof ApiException answer && answer.status() == 429) {
      breaker.releasePermit(); // busy is not broken
    } else {
      breaker.failed(nanos, e);
    }
    runtime.reportError(Location.TASK_DEQUEUE, null, e);
  }

  /** Backs off; a poll that waited at the server has waited enough. */
  private void pause(Duration waited) throws InterruptedException {
    Duration delay = runtime.settings().backoff().delay(idle, runtime.timeSource().random());
    Duration left = delay.minus(waited);
    if (left.isPositive()) {
      runtime.timeSource().await(stopping, left);
    }
  }
}
