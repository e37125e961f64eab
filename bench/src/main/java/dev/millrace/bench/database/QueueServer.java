package dev.millrace.bench.database;

import dev.millrace.bench.database.QueueDrain.Drained;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * One of the servers that share a database, in its own process. It stays for many measurements, so
 * that all but the first find it compiled. For each line of standard input, the address of a
 * database, it joins that and prints {@code ready}; for the next line it works until no task is
 * left, prints how many it has completed and in how many nanoseconds, and leaves.
 */
final class QueueServer {
  private QueueServer() {}

  /** Its arguments are who claims (direct or pool), and the number of slots. */
  public static void main(String[] args) throws IOException, InterruptedException {
    boolean pool = args[0].equals("pool");
    int slots = Integer.parseInt(args[1]);
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String url = input.readLine();
    while (url != null) {
      try (PostgresDatabase database = PostgresDatabase.open(PostgresSettings.parse(url));
          JobStore store = database.join("bench")) {
        System.out.println("ready");
        if (input.readLine() == null) {
          return; // the benchmark has ended
        }
        Drained drained =
            pool ? new PoolDrain(store, slots).run() : new QueueDrain(store, slots).run();
        System.out.println(drained.tasks() + " " + drained.nanos());
      }
      url = input.readLine();
    }
  }
}
