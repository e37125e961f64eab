package dev.millrace.bench.database;

import dev.millrace.bench.database.QueueDrain.Drained;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.io.IOException;
import java.util.List;

/** A {@link QueueServer}; it ends with this process at the latest. */
public final class QueueServerProcess implements AutoCloseable {
  private final LineProcess process;

  private QueueServerProcess(LineProcess process) {
    this.process = process;
  }

  /**
   * @param database where the password comes from; it is no argument, because others see those
   * @param claimer direct or pool
   */
  public static QueueServerProcess start(PostgresSettings database, String claimer, int slots)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseParallelGC",
                "-Xmx1g",
                "-Dslf4j.internal.verbosity=ERROR",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                QueueServer.class.getName(),
                claimer,
                Integer.toString(slots)));
    if (database.password() != null) {
      builder.environment().put("PGPASSWORD", database.password());
    }
    return new QueueServerProcess(LineProcess.start("a server", builder));
  }

  /** Joins a database. */
  void join(PostgresSettings database, int connections) throws IOException {
    process.send(database + "&connections=" + connections);
    process.expect("ready");
  }

  /** Lets it begin; {@link #drained} waits for its end. */
  void go() throws IOException {
    process.send("go");
  }

  Drained drained() throws IOException {
    String[] figures = process.receive().split(" ");
    return new Drained(Integer.parseInt(figures[0]), Long.parseLong(figures[1]));
  }

  @Override
  public void close() {
    process.close();
  }
}
