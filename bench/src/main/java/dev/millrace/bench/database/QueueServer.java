package dev.millrace.bench.database;

import dev.millrace.bench.database.QueueDrain.Drained;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * One of the servers that share a database, in its own process. It stays for many measurements, so
 * that all but the first find it compiled. For each line of standard input, the address of a
 * database, it joins that and prints {@code ready}; for the next line it works until no task is
 * left, prints how many it has completed and in how many nanoseconds, and leaves.
 */
final class QueueServer {
  private static final BlockingQueue<String> LINES = new LinkedBlockingQueue<>();

  private QueueServer() {}

  /** Its arguments are who claims (direct or pool), and the number of slots. */
  public static void main(String[] args) throws InterruptedException {
    boolean pool = args[0].equals("pool");
    int slots = Integer.parseInt(args[1]);
    Thread.ofPlatform().daemon().start(QueueServer::read);
    while (true) {
      PostgresSettings settings = PostgresSettings.parse(LINES.take());
      try (PostgresDatabase database = PostgresDatabase.open(settings);
          JobStore store = database.join("bench")) {
        System.out.println("ready");
        LINES.take();
        Drained drained =
            pool ? new PoolDrain(store, slots).run() : new QueueDrain(store, slots).run();
        System.out.println(drained.tasks() + " " + drained.nanos());
      }
    }
  }

  private static void read() {
    try (BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      input.lines().forEach(LINES::add);
    } catch (IOException | UncheckedIOException e) {
      System.err.println("bench: " + e);
    }
    Runtime.getRuntime().halt(0); // whatever it does: the benchmark has ended
  }
}
