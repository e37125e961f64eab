package dev.millrace.cli.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@code models} lists, every command takes, and every answer says. */
class OneModelNameTest extends CommandFixture {
  private static final String DIGEST = "0123456789abcdef".repeat(4);

  @BeforeEach
  void models() throws IOException {
    cli.env("HOME", dir.resolve("user").toString());
    cli.env("OLLAMA_MODELS", dir.resolve("ollama").toString());
    RandomModelFiles.random(at("models/sub/x.gguf"), 1);
    RandomModelFiles.random(at("ollama/blobs/sha256-" + DIGEST), 2);
    Files.writeString(
        at("ollama/manifests/registry.ollama.ai/library/tiny/latest"),
        "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":\"sha256:"
            + DIGEST
            + "\"}]}");
  }

  private Path at(String path) throws IOException {
    Path file = dir.resolve(path);
    Files.createDirectories(file.getParent());
    return file;
  }

  private List<JsonObject> json(String... args) {
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(result.toString()).isZero();
    return result.lines().stream().map(Json::object).toList();
  }

  private String modelOfRun(String model) {
    return json("run", "--model", model, "--json", "-n", "1", "hi").getFirst().string("model");
  }

  @Test
  void commandsThatRunAModelTakeAListedNameAndSayIt() throws IOException {
    List<String> names =
        json("models", "--json").stream().map(line -> line.string("name")).toList();
    assertThat(names).containsExactly("sub/x", "tiny:latest");
    for (String name : names) {
      assertThat(modelOfRun(name)).isEqualTo(name);
      assertThat(cli.stdin("a").run("tokenize", "--model", name).status()).isZero();
      assertThat(cli.run("models", "inspect", name).status()).isZero();
    }
    assertThat(modelOfRun("X")).isEqualTo("sub/x");
    assertThat(modelOfRun("models/sub/x.gguf")).isEqualTo("sub/x");
    assertThat(modelOfRun("fast=tiny")).isEqualTo("fast");
    assertThat(
            json(
                    "bench",
                    "--json",
                    "--model=tiny",
                    "--prompt=8",
                    "--generate=2",
                    "--batch=1",
                    "--threads=1")
                .getFirst()
                .string("model"))
        .isEqualTo("tiny:latest");
  }

  @Test
  void aBatchAnswersUnderTheListedName() throws IOException {
    Files.writeString(
        dir.resolve("b.jsonl"),
        "{\"custom_id\":\"1\",\"method\":\"POST\",\"url\":\"/v1/completions\",\"body\":"
            + "{\"model\":\"gpt\",\"prompt\":\"a\",\"max_tokens\":2}}\n");
    JsonObject line = json("batch", "b.jsonl", "--model", "tin", "--out", "-").getFirst();
    assertThat(line.object("response").object("body").string("model")).isEqualTo("tiny:latest");
  }

  @Test
  void aBatchUnderTheNameOfTheFileIsResumed() throws IOException {
    Files.writeString(
        dir.resolve("b.jsonl"),
        "{\"custom_id\":\"1\",\"method\":\"POST\",\"url\":\"/v1/completions\",\"body\":"
            + "{\"prompt\":\"a\",\"max_tokens\":2}}\n");
    batch("--model", "x=models/sub/x.gguf");
    batch("--model", "sub/x");
    assertThat(json("jobs", "ws", "--json")).hasSize(1);
    RandomModelFiles.random(dir.resolve("models/x.gguf"), 3);
    batch("--model", "models/x.gguf");
    assertThat(json("jobs", "ws", "--json")).as("another file has its own job").hasSize(2);
  }

  @Test
  void aBatchNamesAModelOfTheServerAsAJobDoes() throws IOException {
    Files.writeString(
        dir.resolve("b.jsonl"),
        "{\"custom_id\":\"1\",\"method\":\"POST\",\"url\":\"/v1/completions\",\"body\":"
            + "{\"model\":\"STORY\",\"prompt\":\"a\"}}\n");
    cli.submit("ws", "x");
    Workspace workspace = Workspace.open(ws);
    try (JobStore server = workspace.own().orElseThrow()) {
      workspace.announce(
          JsonObject.create()
              .put("models", List.of(Map.of("name", "storyteller"), Map.of("name", "sub/x")))
              .put("types", List.of("embed")));
      assertThat(server).isNotNull();
      String accepted = "processes embed, not \"generate\""; // what is checked after the model
      assertThat(batch()).contains(accepted);
      assertThat(batch("--model", "tell")).contains(accepted);
      assertThat(batch("--model", "x")).contains(accepted);
      assertThat(batch("--model", "models/sub/x.gguf")).contains(accepted);
      assertThat(batch("--model", "tiny"))
          .contains("has no model \"tiny:latest\", but storyteller, sub/x");
    }
  }

  private String batch(String... model) {
    String[] args = {"batch", "b.jsonl", "--workspace", "ws"};
    return cli.run(Stream.concat(Arrays.stream(args), Arrays.stream(model)).toArray(String[]::new))
        .err();
  }

  @Test
  void jobsAndReceiptsHaveTheListedName() throws InterruptedException {
    String id = cli.submit("ws", "once", "--model", "TINY", "--raw", "-n", "4");
    ModelChoice served = ModelChoice.of(cli.shell(), "tin");
    RandomModelFiles.drain(ws, served.name(), served.file());
    assertThat(json("flow", "ws", id, "--json").getFirst().object("receipt").string("model"))
        .isEqualTo("tiny:latest");
    assertThat(json("jobs", "ws", "--json").getFirst().object("receipt").string("model"))
        .isEqualTo("tiny:latest");
    assertThat(cli.run("verify", "ws", id).status()).isZero();
    assertThat(cli.run("verify", "ws", id, "--model", "tiny:latest").status()).isZero();
    assertThat(cli.run("verify", "ws", id, "--model", "x").status()).isEqualTo(1);
  }

  @Test
  void aReceiptWithTheNameOfTheFileIsStillVerified() throws InterruptedException {
    String id = cli.submit("ws", "once", "--raw", "-n", "4");
    RandomModelFiles.drain(ws, "x", dir.resolve("models/sub/x.gguf"));
    assertThat(cli.run("verify", "ws", id).status()).isZero();
  }
}
