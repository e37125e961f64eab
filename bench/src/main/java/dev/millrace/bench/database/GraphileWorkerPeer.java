package dev.millrace.bench.database;

import dev.millrace.store.postgres.settings.PostgresSettings;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * graphile-worker with everything in batches, in a Node process that stays for many measurements.
 * Neither is part of the build: both are used where the machine has them.
 */
public final class GraphileWorkerPeer implements AutoCloseable {
  private static final int OLDEST_NODE = 24;

  private final BenchPostgres postgres;
  private final int jobs;
  private final LineProcess process;

  private GraphileWorkerPeer(BenchPostgres postgres, int jobs, LineProcess process) {
    this.postgres = postgres;
    this.jobs = jobs;
    this.process = process;
  }

  /**
   * Empty, with a line that says why, if something is missing.
   *
   * @param directory where {@code npm install graphile-worker} was run; null: none
   */
  public static Optional<GraphileWorkerPeer> start(
      BenchPostgres postgres, int jobs, @Nullable String directory)
      throws IOException, InterruptedException, URISyntaxException {
    if (directory == null
        || !Files.isDirectory(Path.of(directory, "node_modules", "graphile-worker"))) {
      return without(
          "run \"npm install graphile-worker\" in a directory, and name it by --graphile DIR or"
              + " MILLRACE_GRAPHILE");
    }
    String node = node(directory);
    String version = version(node);
    if (major(version) < OLDEST_NODE) {
      return without(
          "\""
              + node
              + "\" is "
              + version
              + ", but Node 24 or newer is needed; put that on the"
              + " PATH, name it by MILLRACE_NODE, or run \"npm install node@24\" in "
              + directory);
    }
    Path script =
        Path.of(
            Objects.requireNonNull(GraphileWorkerPeer.class.getResource("graphile-worker.mjs"))
                .toURI());
    LineProcess process =
        LineProcess.start(
            "graphile-worker",
            new ProcessBuilder(node, script.toString(), directory, Integer.toString(jobs)));
    return Optional.of(new GraphileWorkerPeer(postgres, jobs, process));
  }

  private static Optional<GraphileWorkerPeer> without(String reason) {
    System.out.println("without graphile-worker: " + reason);
    return Optional.empty();
  }

  private static String node(String directory) {
    String named = System.getenv("MILLRACE_NODE");
    Path installed = Path.of(directory, "node_modules", ".bin", "node");
    if (named != null) {
      return named;
    }
    return Files.isExecutable(installed) ? installed.toString() : "node";
  }

  private static String version(String node) throws IOException, InterruptedException {
    try {
      Process process = new ProcessBuilder(List.of(node, "--version")).start();
      String version =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      process.waitFor();
      return version;
    } catch (IOException e) {
      return "missing";
    }
  }

  private static int major(String version) {
    String digits = version.replaceAll("^v(\\d+)\\..*$", "$1");
    return digits.matches("\\d+") ? Integer.parseInt(digits) : 0;
  }

  /** Jobs per second until none is in its table. */
  public double perSecond() throws Exception {
    PostgresSettings database = postgres.newDatabase();
    try {
      process.send(url(database));
      process.expect("ready");
      BenchPostgres.settle(database);
      process.send("go");
      return jobs * 1e9 / Long.parseLong(process.receive());
    } finally {
      postgres.drop(database);
    }
  }

  /** As its driver reads it: without what is only for ours. */
  private static String url(PostgresSettings database) {
    String user = database.user() == null ? "" : database.user();
    String password = database.password() == null ? "" : ":" + database.password();
    return "postgresql://" + user + password + "@" + database.hosts() + "/" + database.database();
  }

  @Override
  public void close() {
    process.close();
  }
}
