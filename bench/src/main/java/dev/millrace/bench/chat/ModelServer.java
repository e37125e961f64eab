package dev.millrace.bench.chat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server with one model, in its own process. */
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

  /** Starts {@code millrace serve} and waits until it is ready. */
  public static ModelServer start(Path directory, Path model, int slots, int context)
      throws IOException, InterruptedException {
    Path workspace = directory.resolve("ws");
    List<String> options =
        List.of(
            "--workspace",
            workspace.toString(),
            "--model",
            "bench=" + model,
            "--slots",
            Integer.toString(slots),
            "--ctx",
            Integer.toString(context));
    return start(directory, workspace, options, Map.of());
  }

  /** Starts {@code millrace serve} with these options and waits until it is ready. */
  public static ModelServer start(
      Path directory, Path workspace, List<String> options, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path log = directory.resolve("server.log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("millrace.home"), "millrace").toString());
    command.add("serve");
    command.addAll(options);
    command.addAll(List.of("--port", "0"));
    Process process = process(log, command, environment);
    ModelServer server = new ModelServer(process, workspace, address(process, log));
    server.awaitReady("/health/ready", log);
    return server;
  }

  /** Starts {@code llama-server} with the same slots and waits until it is ready. */
  public static ModelServer startLlama(
      Path program, Path directory, Path model, int slots, int context)
      throws IOException, InterruptedException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Path log = directory.resolve("llama-server.log");
    Process process =
        process(
            log,
            List.of(
                program.toString(),
                "--model",
                model.toString(),
                "--parallel",
                Integer.toString(slots),
                "--ctx-size",
                Integer.toString(slots * context), // of all slots together
                "--threads",
                Integer.toString(Runtime.getRuntime().availableProcessors()),
                "--port",
                Integer.toString(port)),
            Map.of());
    URI address = URI.create("http://127.0.0.1:" + port);
    ModelServer server = new ModelServer(process, directory, address);
    server.awaitReady("/health", log);
    return server;
  }

  private static Process process(Path log, List<String> command, Map<String, String> environment)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy)); // if this is interrupted
    return process;
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

  private void awaitReady(String path, Path log) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() < end && process.isAlive()) {
      if (isReady(path)) {
        return;
      }
      Thread.sleep(50);
    }
    close();
    throw new IllegalStateException("the server is not ready: " + Files.readString(log));
  }

  private boolean isReady(String path) throws IOException, InterruptedException {
    try {
      return get(path).statusCode() == 200;
    } catch (ConnectException e) {
      return false; // the port is chosen before its server binds it
    }
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
