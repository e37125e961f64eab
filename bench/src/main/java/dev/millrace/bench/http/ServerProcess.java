package dev.millrace.bench.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** An {@link InProcessServer} in its own process, which ends with this one at the latest. */
final class ServerProcess implements BenchServer {
  private final Process process;
  private final URI api;
  private final URI empty;

  private ServerProcess(Process process, URI api, URI empty) {
    this.process = process;
    this.api = api;
    this.empty = empty;
  }

  static ServerProcess start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.add("-XX:+UseParallelGC");
    command.add("--enable-native-access=ALL-UNNAMED");
    String directory = System.getProperty("millrace.bench.dir");
    if (directory != null) {
      command.add("-Dmillrace.bench.dir=" + directory);
    }
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), InProcessServer.class.getName()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader output = process.inputReader();
    String api = output.readLine();
    String empty = output.readLine();
    if (api == null || empty == null) {
      process.destroy();
      throw new IOException("the server's process ended before it listened");
    }
    return new ServerProcess(process, URI.create(api), URI.create(empty));
  }

  @Override
  public URI api() {
    return api;
  }

  @Override
  public URI empty() {
    return empty;
  }

  @Override
  public void close() throws IOException {
    process.outputWriter().close(); // it ends with its standard input
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
  }
}
