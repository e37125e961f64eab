package dev.millrace.cli.process;

import static org.awaitility.Awaitility.await;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.place.PlaceOpener;
import dev.millrace.core.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.core.ConditionFactory;

/** {@code millrace serve} on the workspace "ws" of a directory, in a process of its own. */
public final class ServeProcess implements AutoCloseable {
  private final Path dir;
  private final LauncherProcess process;

  private ServeProcess(Path dir, LauncherProcess process) {
    this.dir = dir;
    this.process = process;
  }

  public static ServeProcess start(Path dir, String... options) {
    List<String> args = new ArrayList<>(List.of("serve", "--workspace", "ws"));
    args.addAll(List.of(options));
    return new ServeProcess(dir, LauncherProcess.start(dir, args.toArray(String[]::new)));
  }

  public static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
  }

  /** A port that is free at the moment. */
  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address at which it listens, once it is ready. */
  public URI uri() {
    InProcessCli cli = new InProcessCli(dir);
    soon()
        .conditionEvaluationListener(
            _ -> {
              if (!process.isAlive()) {
                throw new AssertionError("it ended: " + process.out() + process.err());
              }
            })
        .until(
            () ->
                PlaceOpener.isWorkspace(dir.resolve("ws"))
                    && cli.run("serve", "-d", "ws", "--status")
                        .out()
                        .startsWith("ready (pid " + process.pid() + ","));
    return URI.create(
        Json.object(cli.run("serve", "-d", "ws", "--status", "--json").out()).string("http"));
  }

  LauncherProcess process() {
    return process;
  }

  void kill() {
    process.signal("KILL");
    process.result();
  }

  @Override
  public void close() {
    process.close();
  }
}
