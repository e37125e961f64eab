package dev.millrace.cli.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Draws faults from the seed, one at a time, and starts again what has ended. */
final class SoakFaults {
  private enum Fault {
    KILL_OWNER,
    KILL_STANDBY,
    TERMINATE_OWNER,
    STOP_OWNER,
    KILL_WORKER,
    STOP_WORKER,
    STEP_CLOCK,
    FILL_DISK
  }

  private final SoakRun run;
  private final List<SoakProcess> servers;
  private final List<SoakProcess> workers;
  private final SoakClock clock;
  private final SoakDisk disk;
  private final SplittableRandom random;
  private final List<Fault> possible = new ArrayList<>(List.of(Fault.values()));

  SoakFaults(
      SoakRun run,
      List<SoakProcess> servers,
      List<SoakProcess> workers,
      SoakClock clock,
      SoakDisk disk) {
    this.run = run;
    this.servers = servers;
    this.workers = workers;
    this.clock = clock;
    this.disk = disk;
    random = run.random("faults");
    if (!clock.canStep()) {
      possible.remove(Fault.STEP_CLOCK);
      run.leftOut("no clock steps: Debian's package faketime is not installed");
    }
    if (!disk.canBeFull()) {
      possible.remove(Fault.FILL_DISK);
      run.leftOut("no full disk: mounting a file system needs root");
    }
  }

  /** Waits a while, then does one of the faults and mends it. */
  void step() throws IOException, InterruptedException {
    run.linger(1_000 + random.nextInt(7_000));
    if (!run.ended()) {
      Fault fault = possible.get(random.nextInt(possible.size()));
      run.history()
          .add("faults", fault.name(), inflict(fault), "", SoakHistory.Answer.ACKNOWLEDGED);
    }
    revive();
  }

  private void revive() throws IOException {
    for (SoakProcess server : servers) {
      server.revive();
    }
    for (SoakProcess worker : workers) {
      worker.revive();
    }
  }

  private String inflict(Fault fault) throws IOException, InterruptedException {
    return switch (fault) {
      case KILL_OWNER -> signal(owner(), "KILL");
      case KILL_STANDBY -> signal(standby(), "KILL");
      case TERMINATE_OWNER -> signal(owner(), "TERM");
      case STOP_OWNER -> freeze(owner(), 12_000);
      case KILL_WORKER -> signal(Optional.of(worker()), "KILL");
      case STOP_WORKER -> freeze(Optional.of(worker()), 15_000);
      case STEP_CLOCK -> stepClock();
      case FILL_DISK -> fillDisk();
    };
  }

  private SoakProcess worker() {
    return workers.get(random.nextInt(workers.size()));
  }

  private static String signal(Optional<SoakProcess> process, String signal)
      throws IOException, InterruptedException {
    if (process.isPresent()) {
      process.get().signal(signal);
    }
    return process.map(SoakProcess::name).orElse("nobody");
  }

  private String freeze(Optional<SoakProcess> process, int atMost)
      throws IOException, InterruptedException {
    String name = signal(process, "STOP");
    run.linger(500 + random.nextInt(atMost));
    signal(process, "CONT");
    return name;
  }

  private String stepClock() throws IOException {
    int most = random.nextInt(3) == 0 ? 7_200 : 60;
    Duration ahead = Duration.ofSeconds(random.nextInt(-most, most));
    clock.step(ahead);
    return ahead.toString();
  }

  private String fillDisk() throws IOException, InterruptedException {
    boolean full = disk.fill();
    run.linger(500 + random.nextInt(6_000));
    disk.free();
    return full ? "full" : "not full";
  }

  /** The server that has the workspace's lock; empty while it changes hands. */
  private Optional<SoakProcess> owner() {
    String pid = ownerPid();
    return servers.stream()
        .filter(server -> Long.toString(server.pid()).equals(pid) && server.isAlive())
        .findFirst();
  }

  private Optional<SoakProcess> standby() {
    String pid = ownerPid();
    return servers.stream().filter(server -> !Long.toString(server.pid()).equals(pid)).findFirst();
  }

  private String ownerPid() {
    Path lock = run.workspace().resolve(".nrvnad.lock");
    try {
      return Files.readString(lock).strip();
    } catch (IOException e) {
      return "";
    }
  }

  /** Ends all faults: every process runs, the clock is right, the disk has room. */
  void mend() throws IOException, InterruptedException {
    disk.free();
    clock.step(Duration.ZERO);
    for (List<SoakProcess> processes : List.of(servers, workers)) {
      for (SoakProcess process : processes) {
        process.signal("CONT");
      }
    }
    revive();
  }
}
