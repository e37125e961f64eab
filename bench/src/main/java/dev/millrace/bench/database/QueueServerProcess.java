package dev.millrace.bench.database;

import dev.millrace.bench.database.QueueDrain.Drained;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link QueueServer}; it ends with this process at the latest. */
public final class QueueServerProcess implements AutoCloseable {
  private static final int END_SECONDS = 10;

  private final Process process;
  private final BufferedReader output;
  private final Writer input;

  private QueueServerProcess(Process process) {
    this.process = process;
    this.output = process.inputReader();
    this.input = process.outputWriter();
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
    return new QueueServerProcess(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Joins a database. */
  public void join(PostgresSettings database, int connections) throws IOException {
    send(database + "&connections=" + connections);
    String answer = receive();
    if (!answer.equals("ready")) {
      throw new IOException("a server says \"" + answer + "\" instead of \"ready\"");
    }
  }

  /** Lets it begin; {@link #drained} waits for its end. */
  public void go() throws IOException {
    send("go");
  }

  Drained drained() throws IOException {
    String[] figures = receive().split(" ");
    return new Drained(Integer.parseInt(figures[0]), Long.parseLong(figures[1]));
  }

  private void send(String line) throws IOException {
    input.write(line + "\n");
    input.flush();
  }

  private String receive() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException("a server's process has ended; its error is above");
    }
    return line;
  }

  @Override
  public void close() throws IOException {
    try {
      input.close(); // it ends with its standard input
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
