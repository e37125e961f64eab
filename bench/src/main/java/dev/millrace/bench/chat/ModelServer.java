package dev.millrace.bench.chat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code millrace serve} with one model, in its own process. */
public final class ModelServer implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final Process process;
  private final Path workspace;
  private final URI address;
  private final HttpClient client = HttpClient.newHttpClient();

  private ModelServer(Process process, Path workspace, URI address) {
    this.process = process;
    this.workspace = workspace;
    this.address = address;
  }

  /** Starts a server and waits until it is ready. */
  public static ModelServer start(Path directory, Path model, int slots, int context)
      throws IOException, InterruptedException {
    Path workspace = directory.resolve("ws");
    Path log = directory.resolve("server.log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("millrace.home"), "millrace").toString(),
                "serve",
                "--workspace",
                workspace.toString(),
                "--model",
                "bench=" + model,
                "--slots",
                Integer.toString(slots),
                "--ctx",
                Integer.toString(context),
                "--port",
                "0")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    ModelServer server = new ModelServer(process, workspace, address(process, log));
    server.awaitReady(log);
    return server;
  }

  private static URI address(Process process, Path log) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() < end && process.isAlive()) {
      Matcher address = ADDRESS.matcher(Files.readString(log));
      if (address.find()) {
        return URI.create(address.group());
      }
      Thread.sleep(20);
    }
    process.destroy();
    throw new IllegalStateException("the server did not start: " + Files.readString(log));
  }

  private void awaitReady(Path log) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() < end && process.isAlive()) {
      if (get("/health/ready").statusCode() == 200) {
        return;
      }
      Thread.sleep(50);
    }
    close();
    throw new IllegalStateException("the server is not ready: " + Files.readString(log));
  }

  public Path workspace() {
    return workspace;
  }

  public URI at(String path) {
    return address.resolve(path);
  }

  public HttpClient client() {
    return client;
  }

  /** The sum of all samples of a metric whose line contains the text. */
  public double metric(String text) throws IOException, InterruptedException {
    double sum = 0;
    for (String line : get("/metrics").body().lines().toList()) {
      if (!line.startsWith("#") && line.contains(text)) {
        sum += Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
      }
    }
    return sum;
  }

  /** How many platform threads the server has. */
  public int threads() throws IOException {
    return status("Threads:");
  }

  /** The server's resident memory in MB. */
  public int residentMegabytes() throws IOException {
    return status("VmRSS:") / 1024;
  }

  private int status(String field) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("/proc", "" + process.pid(), "status"));
    String line = lines.stream().filter(text -> text.startsWith(field)).findFirst().orElseThrow();
    return Integer.parseInt(line.replaceAll("\\D", ""));
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(at(path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    client.close();
  }
}
