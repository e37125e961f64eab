package dev.millrace.client.worker;

import dev.millrace.api.ClaimedTask;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.worker.WorkerEvent.Location;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * The thread that claims tasks for a worker: never more than it has free slots for and the breakers
 * allow. When the worker stops, a poll under way is not cancelled: tasks that the server grants
 * would stay claimed until their lease expires. The poll ends by itself and its tasks are released.
 */
final class TaskPoller implements Runnable {

  /** Runs a claimed task, and takes over its slot and its permit of the handler's breaker. */
  @FunctionalInterface
  interface TaskStarter {

    /**
     * @param requestedAt when the claim was requested
     * @return whether the task runs
     */
    boolean start(ClaimedTask task, long requestedAt);
  }

  private final WorkerRuntime runtime;
  private final Semaphore slots;
  private final Breaker breaker;
  private final CountDownLatch stopping;
  private final TaskStarter starter;
  private int idleRounds;
  private int emptyPolls;

  TaskPoller(
      WorkerRuntime runtime,
      Semaphore slots,
      Breaker breaker,
      CountDownLatch stopping,
      TaskStarter starter) {
    this.runtime = runtime;
    this.slots = slots;
    this.breaker = breaker;
    this.stopping = stopping;
    this.starter = starter;
  }

  @Override
  public void run() {
    try {
      while (stopping.getCount() > 0) {
        try {
          pollOnce();
        } catch (RuntimeException | Error e) { // a bug must not end the polling
          idleRounds++;
          runtime.reportError(Location.TASK_DEQUEUE, null, e);
          pause(Duration.ZERO);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the worker does not wait any longer
    }
  }

  private void pollOnce() throws InterruptedException {
    int free = takeSlots();
    int handlers = stopping.getCount() == 0 ? 0 : runtime.breaker().tryBegin(free);
    if (handlers == 0 || !breaker.tryBegin()) {
      runtime.breaker().releasePermit(handlers);
      slots.release(free);
      idleRounds++;
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
    if (startAll(tasks, start) == 0) {
      idleRounds++;
      pause(tasks.isEmpty() ? runtime.since(start) : Duration.ZERO);
    }
  }

  /** Claims tasks; always ends the call of the breaker. */
  private List<ClaimedTask> claim(int limit, long start) throws InterruptedException {
    List<ClaimedTask> tasks;
    try {
      tasks = dequeue(limit);
    } catch (RuntimeException | Error e) {
      failed(e, runtime.timeSource().nanos() - start);
      return List.of();
    }
    breaker.succeeded(runtime.timeSource().nanos() - start);
    countEmptyPolls(tasks.size());
    return tasks;
  }

  /** Starts the tasks; returns how many of them run. */
  private int startAll(List<ClaimedTask> tasks, long start) {
    int running = 0;
    for (ClaimedTask task : tasks) {
      if (starter.start(task, start)) {
        running++;
        idleRounds = 0;
      }
    }
    return running;
  }

  /** Waits for a free slot, then takes all free slots. */
  private int takeSlots() throws InterruptedException {
    slots.acquire();
    int free = 1;
    while (free < 1_000 && slots.tryAcquire()) {
      free++;
    }
    return free;
  }

  private List<ClaimedTask> dequeue(int limit) {
    return runtime.client().stages().dequeue(runtime.settings().dequeueRequest(limit));
  }

  private void countEmptyPolls(int tasks) {
    emptyPolls = tasks > 0 ? 0 : emptyPolls + 1;
    runtime.meters().emptyPolls(runtime.type(), emptyPolls);
    if (emptyPolls > 0) {
      runtime.notifyListener(new WorkerEvent.QueueEmpty(emptyPolls));
    }
  }

  private void failed(Throwable e, long nanos) throws InterruptedException {
    if (Thread.currentThread().isInterrupted()) {
      breaker.releasePermit();
      throw new InterruptedException();
    }
    if (e instanceof ApiException answer && answer.status() == 429) {
      breaker.releasePermit(); // a busy server is not a failure
    } else {
      breaker.failed(nanos, e);
    }
    runtime.reportError(Location.TASK_DEQUEUE, null, e);
  }

  /** Backs off; the time that a poll waited at the server counts. */
  private void pause(Duration waited) throws InterruptedException {
    Duration delay = runtime.settings().backoff().delay(idleRounds, runtime.timeSource().random());
    Duration left = delay.minus(waited);
    if (left.isPositive()) {
      runtime.timeSource().await(stopping, left);
    }
  }
}
