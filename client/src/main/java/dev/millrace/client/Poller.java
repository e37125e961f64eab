package dev.millrace.client;

import dev.millrace.client.WorkerEvent.Location;
import dev.millrace.client.wire.ClaimedTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * The one thread that claims for a worker: never more tasks than there are free slots and than the
 * breakers allow. A poll under way is not abandoned when the worker stops, for what the server grants
 * it then would wait for its lease to run out; it ends by itself, and what it brings is given back.
 */
final class Poller implements Runnable {
  private final Shop shop;
  private final Semaphore slots;
  private final Breaker breaker;
  private final CountDownLatch stopping;
  private final Consumer<ClaimedTask> taken;
  private int idle;
  private int empty;

  Poller(
      Shop shop,
      Semaphore slots,
      Breaker breaker,
      CountDownLatch stopping,
      Consumer<ClaimedTask> taken) {
    this.shop = shop;
    this.slots = slots;
    this.breaker = breaker;
    this.stopping = stopping;
    this.taken = taken;
  }

  @Override
  public void run() {
    try {
      while (stopping.getCount() > 0) {
        try {
          turn();
        } catch (RuntimeException e) { // a bug here must not end the work
          idle++;
          shop.error(Location.TASK_DEQUEUE, null, e);
          pause(Duration.ZERO);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the worker is out of patience
    }
  }

  private void turn() throws InterruptedException {
    int free = takeSlots();
    int handlers = stopping.getCount() == 0 ? 0 : shop.breaker().begin(free);
    if (handlers == 0 || !breaker.begin()) {
      shop.breaker().undecided(handlers);
      slots.release(free);
      idle++;
      pause(Duration.ZERO);
      return;
    }
    int used = 0;
    long start = shop.timing().nanos();
    try {
      List<ClaimedTask> tasks = ask(handlers);
      breaker.succeeded(shop.timing().nanos() - start);
      used = tasks.size();
      tasks.forEach(taken);
      counted(used);
    } catch (ClientException e) {
      failed(e, shop.timing().nanos() - start);
    } finally {
      shop.breaker().undecided(handlers - used);
      slots.release(free - used);
    }
    if (used == 0) {
      pause(shop.since(start));
    }
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
    WorkerSettings settings = shop.settings();
    return shop.client()
        .stages()
        .dequeue(
            new StagesApi.Demand(
                settings.type(), settings.name(), settings.lease(), limit, settings.longPoll()));
  }

  private void counted(int tasks) {
    if (tasks > 0) {
      idle = 0;
      empty = 0;
      shop.meters().emptyPolls(shop.type(), 0);
      return;
    }
    idle++;
    empty++;
    shop.meters().emptyPolls(shop.type(), empty);
    shop.tell(new WorkerEvent.QueueEmpty(empty));
  }

  private void failed(ClientException e, long nanos) throws InterruptedException {
    if (Thread.currentThread().isInterrupted()) {
      breaker.undecided();
      throw new InterruptedException();
    }
    if (e instanceof ApiException answer && answer.status() == 429) {
      breaker.undecided(); // busy is not broken
    } else {
      breaker.failed(nanos, e);
    }
    idle++;
    shop.error(Location.TASK_DEQUEUE, null, e);
  }

  /** Backs off; a poll that waited at the server has waited enough. */
  private void pause(Duration waited) throws InterruptedException {
    Duration delay = shop.settings().backoff().delay(idle, shop.timing().random());
    Duration left = delay.minus(waited);
    if (left.isPositive()) {
      shop.timing().await(stopping, left);
    }
  }
}
