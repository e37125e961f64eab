package dev.millrace.server;

import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a server is made of. Not thread-safe. */
public final class ServerBuilder {
  final JobStore store;
  private final Map<String, Worker> workers = new LinkedHashMap<>();
  private final List<WorkerGroup> groups = new ArrayList<>();
  private int slots = 4;
  String name = "server-" + ProcessHandle.current().pid();
  Duration stopTimeout = Duration.ofSeconds(5);
  InstantSource clock = InstantSource.system();
  ServerListener listener = new ServerListener() {};

  ServerBuilder(JobStore store) {
    this.store = store;
  }

  /** Adds a worker, one for each type. */
  public ServerBuilder worker(Worker worker) {
    put(workers, worker);
    return this;
  }

  /** How many tasks run at once, of all single workers together; 4 unless told. */
  public ServerBuilder slots(int count) {
    this.slots = requireSlots(count);
    return this;
  }

  /** Adds workers with slots of their own, that others neither take nor lend. */
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

  /** How the jobs' logs call this server. */
  public ServerBuilder name(String newName) {
    this.name = newName;
    return this;
  }

  /** How long a worker may take to obey when it is told to stop at once; 5 s unless told. */
  public ServerBuilder stopTimeout(Duration atMost) {
    this.stopTimeout = atMost;
    return this;
  }

  public ServerBuilder clock(InstantSource source) {
    this.clock = source;
    return this;
  }

  public ServerBuilder listener(ServerListener newListener) {
    this.listener = newListener;
    return this;
  }

  /** Without any worker, the server only lets time pass in the store: others claim its tasks. */
  public Server build() {
    return new Server(this);
  }

  /** All, anew: single workers are one too. */
  List<WorkerGroup> groups() {
    List<WorkerGroup> all = new ArrayList<>();
    if (!workers.isEmpty()) {
      all.add(new WorkerGroup(workers, slots));
    }
    groups.forEach(group -> all.add(new WorkerGroup(group.workers(), group.slots())));
    return all;
  }
}
