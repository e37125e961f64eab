package dev.millrace.server;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Workers that share slots. Only the pool's thread takes slots; any thread releases them. So a slot
 * that the pool sees free stays free until the pool takes it.
 */
final class WorkerGroup {
  private final Map<String, Worker> workers;
  private final int slots;
  private final AtomicInteger free;

  /**
   * @param workers by type
   */
  WorkerGroup(Map<String, Worker> workers, int slots) {
    this.workers = Map.copyOf(workers);
    this.slots = slots;
    this.free = new AtomicInteger(slots);
  }

  Map<String, Worker> workers() {
    return workers;
  }

  Set<String> types() {
    return workers.keySet();
  }

  /** The types whose workers are ready for a task. */
  Set<String> readyTypes() {
    Set<String> ready = new HashSet<>();
    for (Worker worker : workers.values()) {
      if (worker.ready()) {
        ready.add(worker.type());
      }
    }
    return ready;
  }

  @Nullable Worker worker(String type) {
    return workers.get(type);
  }

  int slots() {
    return slots;
  }

  int freeSlots() {
    return free.get();
  }

  void takeSlots(int count) {
    free.addAndGet(-count);
  }

  /** Releases one; true if none was free before. */
  boolean releaseSlot() {
    return free.getAndIncrement() == 0;
  }
}
