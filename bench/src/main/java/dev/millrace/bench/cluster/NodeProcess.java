package dev.millrace.bench.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A {@code millrace node} in its own process, started as the launcher starts it. */
public final class NodeProcess implements AutoCloseable {
  private final String name;
  private final int port;
  private final Process process;

  private NodeProcess(String name, int port, Process process) {
    this.name = name;
    this.port = port;
    this.process = process;
  }

  /**
   * @param join the port of another node; 0 for the first node
   * @param layers as for {@code --layers}
   */
  public static NodeProcess start(String name, int join, Path key, String layers, int threads)
      throws IOException {
    int port = freePort();
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(
        List.of(
            "--add-modules=jdk.incubator.vector",
            "-XX:-TieredCompilation",
            "-XX:+UseSerialGC",
            "-Xmn24m",
            "-Djdk.incubator.vector.VECTOR_ACCESS_OOB_CHECK=0",
            "--enable-native-access=ALL-UNNAMED"));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), "dev.millrace.cli.Main", "node"));
    command.addAll(List.of("--name", name, "--listen", "127.0.0.1:" + port));
    command.addAll(List.of("--key-file", key.toString(), "--layers", layers));
    command.addAll(List.of("--threads", Integer.toString(threads)));
    if (join != 0) {
      command.addAll(List.of("--join", "127.0.0.1:" + join));
    }
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("MILLRACE_LOG_LEVEL", "error");
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    return new NodeProcess(name, port, builder.start());
  }

  /** A free port whose next one, for membership, is free too. */
  private static int freePort() throws IOException {
    while (true) {
      try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        int port = one.getLocalPort();
        try (ServerSocket next = new ServerSocket(port + 1, 1, InetAddress.getLoopbackAddress())) {
          return next.getLocalPort() - 1;
        } catch (IOException e) {
          // the next one is taken: try another pair
        }
      }
    }
  }

  String name() {
    return name;
  }

  public int port() {
    return port;
  }

  /** Kills it like a power failure. */
  void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
