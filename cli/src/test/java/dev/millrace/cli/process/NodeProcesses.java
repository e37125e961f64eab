package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The {@code millrace node} processes of one network, on loopback. */
final class NodeProcesses implements AutoCloseable {
  private final Path dir;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final List<LauncherProcess> all = new ArrayList<>();

  /** A node: how it is started, and its current process. */
  private static final class Node {
    final int port;
    final String[] options;
    LauncherProcess process;

    Node(int port, String[] options, LauncherProcess process) {
      this.port = port;
      this.options = options;
      this.process = process;
    }
  }

  private NodeProcesses(Path dir) {
    this.dir = dir;
  }

  /** An empty network, with its key in {@code network.key}. */
  static NodeProcesses network(Path dir) {
    InProcessCli.Result made = new InProcessCli(dir).run("keygen", "network.key");
    assertThat(made.status()).as(made.toString()).isZero();
    return new NodeProcesses(dir);
  }

  /** Starts a node; it joins the running ones. */
  LauncherProcess start(String name, String... options) {
    return launch(name, freePorts(), options);
  }

  /** Starts it again with the same port and options. */
  LauncherProcess restart(String name) {
    Node node = nodes.get(name);
    return launch(name, node.port, node.options);
  }

  private LauncherProcess launch(String name, int port, String[] options) {
    List<String> args = new ArrayList<>(List.of("node", "--name", name));
    args.addAll(List.of("--listen", "127.0.0.1:" + port, "--key-file", "network.key"));
    nodes.forEach(
        (other, node) -> {
          if (!other.equals(name)) {
            args.addAll(List.of("--join", "127.0.0.1:" + node.port));
          }
        });
    args.addAll(List.of(options));
    LauncherProcess process = LauncherProcess.start(dir, args.toArray(String[]::new));
    all.add(process);
    nodes.put(name, new Node(port, options, process));
    return process;
  }

  LauncherProcess process(String name) {
    return nodes.get(name).process;
  }

  List<String> names() {
    return List.copyOf(nodes.keySet());
  }

  /** The address at which the node accepts links. */
  String address(String name) {
    return "127.0.0.1:" + nodes.get(name).port;
  }

  /** The options with which a server joins. */
  List<String> joining() {
    List<String> options = new ArrayList<>(List.of("--key-file", "network.key"));
    nodes.values().forEach(node -> options.addAll(List.of("--join", "127.0.0.1:" + node.port)));
    return options;
  }

  /** The options of a server whose model is {@code house.gguf}, with its middle at the nodes. */
  List<String> serving(String... more) {
    List<String> options =
        new ArrayList<>(List.of("--threads", "1", "--end-model", "house=house.gguf"));
    options.addAll(joining());
    options.addAll(List.of(more));
    return options;
  }

  /** The output of {@code millrace nodes} or {@code pipes}, asked at one node. */
  JsonObject ask(String command, String at) {
    InProcessCli.Result said =
        new InProcessCli(dir)
            .run(command, "--json", "--join", address(at), "--key-file", "network.key");
    assertThat(said.status()).as(said.toString()).isZero();
    return Json.object(said.out());
  }

  /** A free port whose next one, for membership, is free too. */
  static int freePorts() {
    while (true) {
      try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
          ServerSocket next =
              new ServerSocket(
                  Math.min(65_535, one.getLocalPort() + 1), 1, InetAddress.getLoopbackAddress())) {
        return Math.min(one.getLocalPort(), next.getLocalPort() - 1);
      } catch (IOException e) {
        // the next one is taken: try another pair
      }
    }
  }

  /** The logs of all nodes, for a failed assertion. */
  String logs() {
    StringBuilder said = new StringBuilder();
    nodes.forEach(
        (name, node) ->
            said.append("--- ").append(name).append('\n').append(tail(node.process.out())));
    return said.toString();
  }

  private static String tail(String text) {
    return text.length() <= 4000 ? text : text.substring(text.length() - 4000);
  }

  static void copy(Path from, Path to) {
    try {
      Files.copy(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    all.forEach(
        process -> {
          process.signal("CONT"); // a frozen process takes no other signal
          process.close();
        });
  }
}
