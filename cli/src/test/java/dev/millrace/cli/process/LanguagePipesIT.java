package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.model.HouseModel;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Processes that are started by files of Language Pipes. */
@ResourceLock(LauncherProcess.CORES)
class LanguagePipesIT extends LauncherFixture {
  private static final String KEY = "8f1c02d97ab34e5566d0c9a1b37e42fd";
  private static final String API_KEY = "sk-of-a-client";

  private LauncherProcess start(String command, String file, String... options) {
    String[] args = new String[options.length + 3];
    args[0] = command;
    args[1] = "--config";
    args[2] = file;
    System.arraycopy(options, 0, args, 3, options.length);
    return endWithTest(LauncherProcess.start(dir, args));
  }

  /** A machine whose memory is enough for two of the seven layers. */
  private String machine(String name, int port, int first) throws IOException {
    String bootstrap =
        port == first
            ? ""
            : "[[bootstrap_nodes]]\naddress = \"127.0.0.1\"\nport = %d\n".formatted(first);
    return """
    # Millrace's keys may stand beside those of Language Pipes
    cache-dir = "%1$s.cache"
    threads = 1

    node_id = "%1$s"
    peer_port = %2$d
    network_ip = "127.0.0.1"
    network_key = "%3$s"
    whitelist_node_ids = ["one", "two", "three"]
    %5$s
    [[layer_models]]
    model_id = "nobody/is-fetched"
    device = "cpu"
    memory = 0.03
    %4$s\
    """
        .formatted(name, port, KEY, bootstrap, name.equals("three") ? "max_api_jobs = 5" : "");
  }

  @Test
  void threeMachinesFormAPipeThatAnswers() throws IOException {
    NodeProcesses.copy(
        HouseModel.in(LauncherProcess.script().getParent()), dir.resolve("house.gguf"));
    String[] prompt = {"Write a story about a boat", "--seed", "7", "-n", "12"};
    String alone = submit("alone", prompt);
    drain("alone", "--model", "house.gguf", "--threads", "1");
    int first = NodeProcesses.freePorts();
    int http = ServeProcess.freePort();
    Files.writeString(dir.resolve("one.toml"), machine("one", first, first));
    Files.writeString(dir.resolve("two.toml"), machine("two", NodeProcesses.freePorts(), first));
    Files.writeString(
        dir.resolve("three.toml"),
        """
        job_port = %d
        api_keys = ["%s"]
        """
                .formatted(http, API_KEY)
            + machine("three", NodeProcesses.freePorts(), first)
            + """
            [[end_models]]
            model_id = "house.gguf"
            num_local_layers = 1
            """);
    String id = submit("ws", prompt);
    LauncherProcess one = start("node", "one.toml");
    LauncherProcess two = start("node", "two.toml");
    LauncherProcess three = start("serve", "three.toml", "--workspace", "ws");
    soon()
        .atMost(Duration.ofSeconds(180)) // four JVMs and a transfer of the file
        .conditionEvaluationListener(
            _ -> assertThat(three.isAlive()).as(three.out() + three.err()).isTrue())
        .until(() -> Files.isDirectory(ws.resolve("output").resolve(id)));
    assertThat(cli.run("flow", "ws", id).out()).isEqualTo(cli.run("flow", "alone", alone).out());
    assertThat(cli.run("pipes", "--config", "two.toml").out())
        .contains("origin three-serve", "layers 0 three-serve, ")
        .containsPattern("[135]-[246] one\\b")
        .containsPattern("[135]-[246] two\\b")
        .containsPattern("[135]-[246] three\\b");
    assertThat(cli.run("nodes", "--config", "three.toml").lines()).as("and a head").hasSize(5);
    try (Stream<Path> fetched = Files.walk(dir.resolve("one.cache"))) {
      assertThat(fetched)
          .as("no node had the file")
          .anyMatch(it -> it.toString().endsWith(".gguf"));
    }
    try (PlainHttpClient client = PlainHttpClient.of(URI.create("http://127.0.0.1:" + http))) {
      assertThat(client.get("/api/jobs").status()).isEqualTo(401);
      assertThat(client.withKey(API_KEY).get("/api/jobs").body()).contains("\"state\":\"success\"");
    }
    for (LauncherProcess process : new LauncherProcess[] {three, two, one}) {
      assertThat(process.signal("TERM").result().status()).as(process.out()).isZero();
      assertThat(process.out() + process.err()).doesNotContain(API_KEY, KEY);
    }
  }

  private String submit(String workspace, String... prompt) {
    String[] args = new String[prompt.length + 1];
    args[0] = workspace;
    System.arraycopy(prompt, 0, args, 1, prompt.length);
    return cli.submit(args);
  }
}
