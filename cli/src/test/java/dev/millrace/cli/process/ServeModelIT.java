package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.model.RandomModelFiles;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code serve --model} as users start it: a process of its own, through the launcher. */
class ServeModelIT extends LauncherFixture {
  private Path model;

  @BeforeEach
  void open() throws IOException {
    model = RandomModelFiles.random(dir.resolve("random.gguf"), 1);
  }

  private LauncherProcess serve(String... options) {
    List<String> args = new ArrayList<>(List.of("--threads", "2"));
    args.addAll(List.of(options));
    return launchServer("ws", args);
  }

  @Test
  void aModelProcessesPromptsAndIsAnnounced() throws IOException {
    LauncherProcess server = serve("--model", "tiny=random.gguf", "--model", "random.gguf");
    awaitReady(server);
    JsonObject status = Json.object(cli.run("serve", "-d", "ws", "--status", "--json").out());
    assertThat(status.values())
        .containsEntry("model", model.toString())
        .containsEntry("types", List.of("generate", "embed"))
        .containsEntry("workers", 16L)
        .containsEntry(
            "models",
            List.of(
                Map.of("name", "tiny", "file", model.toString()),
                Map.of("name", "random", "file", model.toString())));
    String id = cli.submit("ws", "hello", "--raw", "-n", "6", "--seed", "3");
    assertThat(cli.run("flow", "ws", id, "-w").status()).isZero();
    String named = cli.submit("ws", "hello", "--raw", "-n", "6", "--seed", "3", "-m", "random");
    assertThat(cli.run("flow", "ws", named, "-w")).isEqualTo(cli.run("flow", "ws", id));
    String vector = cli.submit("ws", "hello", "--embed");
    assertThat(cli.run("flow", "ws", vector, "-w").out()).contains("\"dim\"", "\"vector\"");
    String unknown = cli.submit("ws", "hello", "--model", "none");
    assertThat(cli.run("flow", "ws", unknown, "-w").err())
        .contains("model \"none\" is not served here; served: tiny, random");
    assertThat(cli.run("verify", "ws", id, "--json").status()).isZero();
    assertThat(server.signal("TERM").result().status()).isZero();
    assertThat(status()).isEqualTo("not running\n");
  }

  @Test
  void aModelAndAProgramServeTogether() {
    String text = cli.submit("ws", "hello", "--raw", "-n", "4");
    String upper = cli.submit("ws", "hello", "--type", "upper");
    LauncherProcess server =
        serve("--model", "random.gguf", "--exec", "upper=tr a-z A-Z", "--drain", "--ctx", "64");
    InProcessCli.Result drained = server.result();
    assertThat(drained.status()).as(drained.toString()).isZero();
    assertThat(drained.err()).doesNotContain("no Vector API");
    assertThat(cli.run("flow", "ws", text).status()).isZero();
    assertThat(cli.run("flow", "ws", upper).out()).isEqualTo("HELLO\n");
  }

  @Test
  void theHouseModelIsServedByItsName() {
    String id = cli.submit("ws", "Write a story.", "--temp", "0", "-n", "20");
    InProcessCli.Result drained = serve("--model", "house", "--drain").result();
    assertThat(drained.status()).as(drained.toString()).isZero();
    JsonObject done = Json.object(cli.run("flow", "ws", id, "--json").out());
    assertThat(done.object("receipt").string("model")).isEqualTo("house");
    assertThat(done.string("result")).isNotBlank();
    try (LauncherProcess run =
        LauncherProcess.start(
            dir, "run", "--model", "house", "-n", "1", "--threads", "2", "Write a story.")) {
      assertThat(run.result().status()).as(run.err()).isZero();
    }
  }

  /** Choices with at least so many numbers take longer than a signal. */
  private static final String LONG_STREAM =
      """
      {"model":"house","stream":true,"n":8,"messages":[{"role":"user","content":"Numbers."}],
       "response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"array",
       "minItems":400,"items":{"type":"integer","minimum":1000,"maximum":99999}}}}}
      """;

  @Test
  void aStopSaysThatARequestIsBeingAnsweredAndWasNotAnsweredToTheEnd() throws Exception {
    try (ServeProcess server =
            ServeProcess.start(dir, "--model", "house", "--no-warmup", "--port", "0");
        HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(server.uri().resolve("/v1/chat/completions"))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(LONG_STREAM))
              .build();
      try (Stream<String> body = client.send(request, BodyHandlers.ofLines()).body()) {
        Iterator<String> lines = body.iterator();
        assertThat(lines.next()).startsWith("data: ");
        InProcessCli.Result stopped = server.process().signal("TERM").result();
        String last = "";
        while (lines.hasNext()) {
          String line = lines.next();
          last = line.isEmpty() ? last : line;
        }
        assertThat(last).contains("the server is stopping; try again later");
        assertThat(stopped.status()).isZero();
        assertThat(stopped.out())
            .contains("stopping: 1 request being answered: streams end, others have 5 s")
            .contains("stopped; 1 request not answered to the end");
      }
    }
  }

  /** The JVM's warning about the Vector API shows that a start was meant to compute. */
  @Test
  void onlyComputingCommandsLoadTheVectorApi() {
    cli.submit("ws", "hello");
    for (String line :
        new String[] {
          "MILLRACE_MODEL=random.gguf \"$millrace\" serve -d ws --status",
          "\"$millrace\" serve -d ws --exec generate=cat --drain",
          "\"$millrace\" jobs ws"
        }) {
      try (LauncherProcess light = LauncherProcess.shell(dir, line)) {
        assertThat(light.result().err()).as(line).isEmpty();
      }
    }
  }

  @Test
  void aFileThatIsNoModelEndsTheStartWithAnError() throws IOException {
    Files.writeString(dir.resolve("bad.gguf"), "no model");
    InProcessCli.Result result = serve("--model", "bad.gguf").result();
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("Error: ", "bad.gguf").doesNotContain("\tat ");
    assertThat(status()).isEqualTo("not running\n");
  }
}
