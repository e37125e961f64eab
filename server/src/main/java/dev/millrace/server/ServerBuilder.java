package dev.millrace.server;

import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a server is made of. Not thread-safe. */
public final class ServerBuilder {
  final JobStore store;
  final Map<String, Worker> workers = new LinkedHashMap<>();
  int slots = 4;
  String name = "server-" + ProcessHandle.current().pid();
  Duration obedience = Duration.ofSeconds(5);
  InstantSource clock = InstantSource.system();
  ServerListener listener = new ServerListener() {};

  ServerBuilder(JobStore store) {
    this.store = store;
  }

  /** Adds a worker, one for each type. */
  public ServerBuilder worker(Worker worker) {
    if (workers.putIfAbsent(StageSpec.requireType(worker.type()), worker) != null) {
      throw new IllegalArgumentException("two workers for type \"" + worker.type() + "\"");
    }
    return this;
  }

  /** How many tasks run at once, of all types together; 4 unless told. */
  public ServerBuilder slots(int count) {
    if (count < 1 || count > 10_000) {
      throw new IllegalArgumentException("slots must be 1 to 10000, got " + count);
    }
    this.slots = count;
    return this;
  }

  /** How the jobs' logs call this server. */
  public ServerBuilder name(String newName) {
    this.name = newName;
    return this;
  }

  /** How long a worker may take to obey when it is told to stop at once; 5 s unless told. */
  public ServerBuilder obedience(Duration atMost) {
    this.obedience = atMost;
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

  public Server build() {
    if (workers.isEmpty()) {
      throw new IllegalArgumentException("a server needs at least one worker");
    }
    return new Server(this);
  }
}
