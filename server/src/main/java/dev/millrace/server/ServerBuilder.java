package dev.millrace.server;

import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.time.ProcessClock;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Configures a {@link Server}. Not thread-safe. */
public final class ServerBuilder {
  /** The most claimed tasks that wait without a slot. */
  private static final int MAX_SLOTLESS = 2_048;

  final JobStore store;
  private final Map<String, Worker> workers = new LinkedHashMap<>();
  private final List<WorkerGroup> groups = new ArrayList<>();
  private int slots = 4;
  int maxSlotless = MAX_SLOTLESS;
  String name = Server.defaultName();
  Duration stopTimeout = Duration.ofSeconds(5);
  ProcessClock clock = ProcessClock.system();
  TaskListener listener = new TaskListener() {};

  ServerBuilder(JobStore store) {
    this.store = store;
  }

  /** Adds a worker, one for each type. */
  public ServerBuilder worker(Worker worker) {
    put(workers, worker);
    return this;
  }

  /**
   * How many tasks the workers added by {@link #worker} run at once, all together; the default is
   * 4.
   */
  public ServerBuilder slots(int count) {
    this.slots = requireSlots(count);
    return this;
  }

  /** Adds workers that share {@code count} slots with each other and with no other worker. */
  public ServerBuilder group(int count, Collection<? extends Worker> together) {
    requireSlots(count);
    Map<String, Worker> members = new LinkedHashMap<>();
    together.forEach(worker -> put(members, worker));
    if (members.isEmpty()) {
      throw new IllegalArgumentException("a group needs at least one worker");
    }
    groups.add(new WorkerGroup(members, count));
    return this;
  }

  private static int requireSlots(int count) {
    if (count < 1 || count > 10_000) {
      throw new IllegalArgumentException("slots must be 1 to 10000, got " + count);
    }
    return count;
  }

  private void put(Map<String, Worker> members, Worker worker) {
    String type = StageSpec.requireType(worker.type());
    boolean elsewhere = groups.stream().anyMatch(group -> group.types().contains(type));
    boolean single = members != workers && workers.containsKey(type);
    if (elsewhere || single || members.putIfAbsent(type, worker) != null) {
      throw new IllegalArgumentException("two workers for type \"" + type + "\"");
    }
  }

  /** The name of this server in the logs of jobs. */
  public ServerBuilder name(String newName) {
    this.name = newName;
    return this;
  }

  /**
   * How long {@link Server#stopNow} waits for workers before it abandons them; the default is 5 s.
   */
  public ServerBuilder stopTimeout(Duration atMost) {
    this.stopTimeout = atMost;
    return this;
  }

  /** The clock that measures run timeouts: its monotonic time if it has one, else the machine's. */
  public ServerBuilder clock(Clock source) {
    this.clock = ProcessClock.of(source);
    return this;
  }

  /** Adds a listener; the first that has a trace of a task gives it. */
  public ServerBuilder listener(TaskListener newListener) {
    this.listener = TaskListener.both(listener, newListener);
    return this;
  }

  /**
   * Builds the server. Without any worker it claims no tasks, and only lets the store expire leases
   * and delays.
   */
  public Server build() {
    return new Server(this);
  }

  /** New groups for one server; the workers added one by one are the first. */
  List<WorkerGroup> groups() {
    List<WorkerGroup> all = new ArrayList<>();
    if (!workers.isEmpty()) {
      all.add(new WorkerGroup(workers, slots));
    }
    groups.forEach(group -> all.add(new WorkerGroup(group.workers(), group.slots())));
    return all;
  }
}
