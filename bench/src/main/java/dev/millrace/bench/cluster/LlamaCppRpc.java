package dev.millrace.bench.cluster;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Runs llama.cpp over several processes with its {@code rpc-server} and {@code llama-bench}, if
 * these are on the path.
 */
public record LlamaCppRpc(Path server, Path bench) {

  public static Optional<LlamaCppRpc> find() {
    Optional<Path> server = onPath("rpc-server");
    Optional<Path> bench = onPath("llama-bench");
    return server.isPresent() && bench.isPresent()
        ? Optional.of(new LlamaCppRpc(server.get(), bench.get()))
        : Optional.empty();
  }

  public static void missing() {
    System.out.println(
        "\n"
            + "llama.cpp's RPC backend is not on the path (rpc-server, llama-bench): nothing to"
            + " compare");
  }

  private static Optional<Path> onPath(String name) {
    for (String place : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      Path file = Path.of(place, name);
      if (Files.isExecutable(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }

  /** Runs llama-bench in one process, and with all layers behind rpc-server. */
  public void print(Path model) {
    System.out.println("\nllama.cpp, by its own benchmark, alone and behind its RPC server");
    Process host = null;
    try {
      int port = freePort();
      host =
          new ProcessBuilder(server.toString(), "-H", "127.0.0.1", "-p", Integer.toString(port))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      run("-m", model.toString(), "-p", "0", "-n", "64");
      run("-m", model.toString(), "-p", "0", "-n", "64", "--rpc", "127.0.0.1:" + port);
    } catch (IOException e) {
      System.out.println("it did not run: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (host != null) {
        host.destroyForcibly();
      }
    }
  }

  private void run(String... options) throws IOException, InterruptedException {
    String[] command = new String[options.length + 1];
    command[0] = bench.toString();
    System.arraycopy(options, 0, command, 1, options.length);
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (!process.waitFor(10, TimeUnit.MINUTES)) {
      process.destroyForcibly();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
