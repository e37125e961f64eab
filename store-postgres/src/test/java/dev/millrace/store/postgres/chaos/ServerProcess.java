package dev.millrace.store.postgres.chaos;

import dev.millrace.store.postgres.chaos.job.WorkerAnswer;
import dev.millrace.store.postgres.fixture.FaultyProxy;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server behind a proxy of its own, which is started again whenever it has ended. What its workers
 * were told goes into the history, all other output into a file.
 */
final class ServerProcess {
  private static final int KILLED = 128 + 9;
  private static final int TERMINATED = 128 + 15;

  /** None ends by itself, whatever becomes of its lease. */
  private static final Set<Integer> ENDS = Set.of(KILLED, TERMINATED);

  private static final String REJOINED = "this server joined again";

  private final ChaosRun run;
  private final String name;
  private final FaultyProxy proxy;
  private final ServerClock clock;
  private final Path output;
  private volatile Running running;
  private volatile @Nullable Running ending;
  private final Semaphore rejoins = new Semaphore(0);

  /** One of its processes. */
  private record Running(Process process, CountDownLatch ready, Thread reader) {}

  ServerProcess(ChaosRun run, String name, FaultyProxy proxy, Duration ahead) throws IOException {
    this.run = run;
    this.name = name;
    this.proxy = proxy;
    this.clock = new ServerClock(run.directory().resolve(name + ".clock"), ahead);
    this.output = Files.createFile(run.directory().resolve(name + ".log"));
    this.running = start();
  }

  String name() {
    return name;
  }

  FaultyProxy proxy() {
    return proxy;
  }

  ServerClock clock() {
    return clock;
  }

  Path output() {
    return output;
  }

  private Running start() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin/java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path").replace(";", File.pathSeparator),
            ChaosServer.class.getName(),
            name,
            ChaosDatabase.url(proxy.port(), 6),
            Integer.toString(ChaosSettings.WORKERS));
    builder.environment().putAll(clock.environment());
    Process process = builder.redirectErrorStream(true).start();
    CountDownLatch ready = new CountDownLatch(1);
    Thread reader = Thread.ofVirtual().start(() -> read(process, ready));
    run.history().count("server started");
    run.history().note(name + " started as " + process.pid());
    return new Running(process, ready, reader);
  }

  private void read(Process process, CountDownLatch ready) {
    try (BufferedReader in = process.inputReader();
        PrintWriter out =
            new PrintWriter(Files.newBufferedWriter(output, StandardOpenOption.APPEND), true)) {
      in.lines().forEach(line -> take(line, ready, out));
    } catch (IOException | UncheckedIOException e) {
      run.history().problem(name + ": its output cannot be kept: " + e);
    }
  }

  private void take(String line, CountDownLatch ready, PrintWriter out) {
    WorkerAnswer answer = WorkerAnswer.parse(line).orElse(null);
    if (answer != null) {
      run.history().add(answer);
    } else if (line.startsWith(ChaosServer.READY)) {
      noteClock(Long.parseLong(line.substring(ChaosServer.READY.length())));
      ready.countDown();
    } else if (line.startsWith(ChaosWorker.PROBLEM)) {
      run.history().problem(name + line);
    } else {
      if (line.contains(REJOINED)) {
        run.history().count("server joined again");
        rejoins.release();
      }
      out.println(line);
    }
  }

  private void noteClock(long millis) {
    Duration ahead = Duration.ofMillis(millis - System.currentTimeMillis()).abs();
    run.history()
        .count(
            ahead.compareTo(Duration.ofHours(1)) > 0
                ? "server with a clock hours away"
                : "server with the right clock");
  }

  boolean isAlive() {
    return running.process().isAlive();
  }

  /** Whether it has joined the others. */
  boolean isServing() {
    Running now = running;
    return now.process().isAlive() && now.ready().getCount() == 0 && now != ending;
  }

  void awaitReady() throws InterruptedException {
    if (!running.ready().await(ChaosRun.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError(name + " does not start; its output is in " + output);
    }
  }

  /** Asks it to end in order. */
  void askToEnd() throws IOException, InterruptedException {
    ending = running;
    signal("TERM");
  }

  void signal(String signal) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + signal, Long.toString(running.process().pid()))
        .start()
        .waitFor();
  }

  /** Those so far do not count. */
  void forgetRejoins() {
    rejoins.drainPermits();
  }

  /** Whether it joins again in time. */
  boolean awaitRejoin(Duration atMost) throws InterruptedException {
    return rejoins.tryAcquire(atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Returns its status, if it ends in time; else -1. */
  int awaitEnd(Duration atMost) throws InterruptedException {
    Process process = running.process();
    return process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS) ? process.exitValue() : -1;
  }

  /** Starts it again if it has ended, as a supervisor does; it must have had a reason. */
  synchronized void revive() throws IOException {
    if (!isAlive()) {
      noteEnd();
      running = start();
    }
  }

  private void noteEnd() {
    int status = running.process().exitValue();
    run.history().count("server ended with status " + status);
    run.history().note(name + " ended with status " + status);
    if (!ENDS.contains(status)) {
      run.history().problem(name + " ended with status " + status);
    }
  }

  /** Lets it end in order. */
  synchronized void terminate() throws IOException, InterruptedException {
    if (isAlive()) {
      askToEnd();
      if (awaitEnd(ChaosRun.PATIENCE) != TERMINATED) {
        run.history().problem(name + " does not end in order");
      }
    }
    noteEnd();
    end();
  }

  /** Kills it, however it is. */
  synchronized void end() throws InterruptedException, IOException {
    if (isAlive()) {
      signal("KILL"); // not by the process itself, which would close its output, too
    }
    running.process().waitFor();
    running.reader().join();
    proxy.close();
  }
}
