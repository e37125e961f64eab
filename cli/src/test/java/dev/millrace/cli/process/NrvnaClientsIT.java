package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.InProcessCli.Result;
import dev.millrace.cli.model.RandomModelFiles;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What users and scripts of nrvna-ai do: {@code wrk}, {@code nrvnad} and {@code flw} by these
 * names, jobs that they and others put into the workspace, and the files that scripts look at.
 */
class NrvnaClientsIT extends LauncherFixture {
  private static final String PARENT = "1736700000_12345_0";
  private static final String TIME = "\"submitted_at\": \"2026-01-01T00:00:00.000000Z\"";

  private int written;

  private void link(String... names) throws IOException {
    for (String name : names) {
      Files.createSymbolicLink(dir.resolve(name), LauncherProcess.script());
    }
  }

  private Result shell(String line) {
    try (LauncherProcess launched = LauncherProcess.shell(dir, line)) {
      return launched.result();
    }
  }

  /** A job as another program writes it, file by file; a null text leaves the file out. */
  private String write(String state, String... namesAndTexts) throws IOException {
    String id = "17367000%02d_99_0".formatted(++written);
    Path job = Files.createDirectories(ws.resolve(state).resolve(id));
    for (int i = 0; i < namesAndTexts.length; i += 2) {
      if (namesAndTexts[i + 1] != null) {
        Files.writeString(job.resolve(namesAndTexts[i]), namesAndTexts[i + 1]);
      }
    }
    return id;
  }

  /** A job with a schema, as nrvna's wrk writes it. */
  private String structured(String schema, String grammar) throws IOException {
    return write(
        "input/ready",
        "prompt.txt",
        "as JSON",
        "schema.json",
        schema,
        "grammar.gbnf",
        grammar,
        "meta.json",
        "{" + TIME + ", \"mode\": \"text\", \"output_format\": \"json_schema\"}");
  }

  @Test
  void aPromptGoesThroughTheThreePrograms() throws IOException {
    link("wrk", "flw", "nrvnad");
    Path models = Files.createDirectories(dir.resolve("zoo"));
    RandomModelFiles.random(models.resolve("Tiny-b.gguf"), 1);
    RandomModelFiles.random(models.resolve("Tiny-a.gguf"), 2);
    RandomModelFiles.random(models.resolve("a-mmproj-tiny.gguf"), 3);
    String constant = structured("{\"const\": 17}", "root ::= \"no\"");
    String unsupported = structured("{\"uniqueItems\": true}", "root ::= \"[1]\"");
    String image = write("input/ready", "prompt.txt", "what is this?", "type.txt", "vision\n");
    Result result =
        shell(
            "printf 'hi\\n\\n' | ./wrk ws - --tag a >id && NRVNA_MODELS_DIR=zoo NRVNA_PREDICT=3"
                + " NRVNA_SEED=9 NRVNA_GPU_LAYERS=1 ./nrvnad tiny ws --drain 2>log; echo $?;"
                + " ./flw ws --json <id -w");
    assertThat(result.err()).isEmpty();
    // a job failed in this run, so the drain says 1, and nothing else on stdout
    assertThat(result.lines()).hasSize(2).first().isEqualTo("1");
    JsonObject done = Json.object(result.lines().getLast());
    assertThat(done.values())
        .containsEntry("status", "done")
        .containsEntry("mode", "text")
        .containsEntry("tags", List.of("a"))
        .containsEntry("artifacts", List.of("result.txt"))
        .containsEntry("artifact_kind", "result")
        .containsKeys("submitted_at", "completed_at", "duration_s", "artifact_path", "result");
    assertThat(done.object("receipt").values())
        .containsEntry("model", "Tiny-a")
        .containsEntry("completion_tokens", 3L)
        .containsEntry("seed", 9L);
    assertThat(ws.resolve("output/" + done.string("id") + "/prompt.txt")).hasContent("hi\n");
    assertThat(Files.readString(dir.resolve("log")))
        .contains("several models: Tiny-a.gguf, Tiny-b.gguf; using " + models.resolve("Tiny-a"))
        .containsOnlyOnce("NRVNA_GPU_LAYERS is set, but not used");
    assertThat(cli.run("flow", "ws", constant)).isEqualTo(new Result(0, "17\n", ""));
    assertThat(cli.run("flow", "ws", unsupported).err()).contains("json_schema: ", "uniqueItems");
    assertThat(cli.run("flow", "ws", image).err())
        .contains("Job failed: " + image, "vision are not supported", "--exec", "keep nrvna");
  }

  @Test
  void aDaemonIsSeenByItsFilesAndStopped() throws IOException {
    link("nrvnad");
    Path model = RandomModelFiles.random(dir.resolve("tiny.gguf"), 1);
    LauncherProcess daemon =
        endWithTest(LauncherProcess.shell(dir, "exec ./nrvnad tiny.gguf ws -w 3"));
    awaitReady(daemon);
    assertThat(cli.run("nrvnad", "status", "ws"))
        .isEqualTo(
            new Result(
                0, "ready (pid %d, model %s, workers 3)\n".formatted(daemon.pid(), model), ""));
    Result status = cli.run("nrvnad", "status", "ws", "--json");
    assertThat(status.status()).isZero();
    assertThat(Json.object(status.out()).values())
        .containsOnlyKeys("running", "ready", "pid", "model", "workers", "started_at")
        .containsEntry("running", true)
        .containsEntry("ready", true)
        .containsEntry("pid", daemon.pid());
    for (String file : List.of(".nrvnad.pid", ".nrvnad.lock")) {
      assertThat(ws.resolve(file)).hasContent(daemon.pid() + "\n");
    }
    String info = Files.readString(ws.resolve(".nrvnad.info"));
    assertThat(info).startsWith("{").hasLineCount(1).contains("\"model\":\"" + model + "\"");
    assertThat(ws.resolve(".nrvnad.ready"))
        .hasContent(Json.object(info).string("started_at") + "\n");
    assertThat(Json.object(info).values())
        .containsEntry("pid", daemon.pid())
        .containsEntry("model", model.toString())
        .containsEntry("workers", 3L)
        .containsKeys("mmproj", "vocoder", "started_at")
        .doesNotContainKey("http"); // nrvna opens no port
    Result second = cli.run("nrvnad", "tiny.gguf", "ws");
    assertThat(second.status()).isEqualTo(1);
    assertThat(second.out()).isEmpty();
    assertThat(second.err()).contains("is owned by pid " + daemon.pid());
    Result stop = cli.run("nrvnad", "stop", "ws", "--timeout", "30");
    assertThat(stop).isEqualTo(new Result(0, "stopped (pid " + daemon.pid() + ")\n", ""));
    assertThat(daemon.result().status()).isZero();
    assertThat(daemon.out()).isEmpty();
    for (String file : List.of(".nrvnad.pid", ".nrvnad.ready", ".nrvnad.info")) {
      assertThat(ws.resolve(file)).doesNotExist();
      Files.writeString(ws.resolve(file), "99999999"); // as a crash leaves it
    }
    assertThat(cli.run("nrvnad", "status", "ws")).isEqualTo(new Result(1, "not running\n", ""));
    for (String file : List.of(".nrvnad.pid", ".nrvnad.ready", ".nrvnad.info")) {
      assertThat(ws.resolve(file)).doesNotExist();
    }
    assertThat(cli.run("nrvnad", "stop", "ws").status()).isZero();
    assertThat(cli.run("nrvnad", "stop", "nowhere").status()).isZero();
    assertThat(cli.run("nrvnad", "status", "nowhere"))
        .isEqualTo(new Result(1, "not running\n", ""));
    assertThat(cli.run("nrvnad", "status", "nowhere", "--json"))
        .isEqualTo(new Result(1, "{\"running\":false,\"ready\":false}\n", ""));
  }

  @Test
  void wrongCommandLinesPrintNothingOnStdout() throws IOException {
    RandomModelFiles.random(dir.resolve("m.gguf"), 1);
    String id = cli.submit("ws", "x");
    for (String line :
        List.of(
            "nrvnad m.gguf",
            "nrvnad m.gguf ws more",
            "nrvnad m.gguf ws -w 0",
            "nrvnad m.gguf ws -w 65",
            "nrvnad m.gguf ws --json",
            "nrvnad m.gguf ws --nonsense",
            "nrvnad m.gguf ws --mmproj p.gguf",
            "nrvnad m.gguf ws --vocoder v.gguf",
            "nrvnad none.gguf ws",
            "nrvnad status",
            "nrvnad status ws --drain",
            "nrvnad stop ws --timeout 3601",
            "wrk ws x --tts --stt",
            "wrk ws x --image i.png",
            "wrk ws --stt --audio a.wav",
            "wrk ws x --audio a.wav",
            "wrk ws x --tts",
            "wrk ws x --mode vision",
            "wrk ws x --embed --json-schema s.json",
            "wrk ws x --json-schema s.json --grammar g.gbnf",
            "wrk ws x --tag b@d",
            "wrk ws x --nonsense",
            "wrk ws",
            "flw ws " + id + " --tag t",
            "flw ws " + id + " " + id,
            "flw ws --tag t -w",
            "flw ws -w",
            "flw ws --nonsense",
            "flw nowhere")) {
      Result result = cli.run(line.split(" "));
      assertThat(result.status()).as(line).isEqualTo(1);
      assertThat(result.out()).as(line).isEmpty();
      assertThat(result.err())
          .as(line)
          .startsWith(line.endsWith("--json") ? "{\"error\":" : "Error: ");
    }
    assertThat(cli.run("nrvnad").out()).startsWith("Usage: ");
    assertThat(cli.run("nrvnad").status()).isZero();
    assertThat(cli.run("wrk", "ws", "x", "--tts").err())
        .contains("not supported", "--exec TYPE=COMMAND", "keep nrvna");
    assertThat(cli.env("NRVNA_WORKERS", "many").run("nrvnad", "m.gguf", "ws").err())
        .contains("NRVNA_WORKERS must be a whole number from 1 to 64");
  }

  /** Texts of meta.json that belong to tag "t" and to the parent, but are odd in other ways. */
  private static List<String> oddMetadata() {
    String family = "\"tags\": [\"t\"], \"parent\": \"" + PARENT + "\"}";
    return List.of(
        "{\"submitted_at\": \"yesterday\", \"mode\": \"text\", " + family,
        "{\"submitted_at\": 12, \"mode\": \"text\", " + family,
        "{\"mode\": \"text\", " + family,
        "{" + TIME + ", " + family,
        "{" + TIME + ", \"mode\": \"poem\", \"x\": {\"y\": [1]}, \"priority\": 3, " + family,
        "{" + TIME + ", \"mode\": \"text\", \"name\": 9, \"metadata\": 1, \"data\": [], " + family,
        "{\"tags\": [\"t\", 5], \"parent\": \"" + PARENT + "\", \"webhooks\": \"no\"}",
        "{\"submitted_at\": \"\\ud800\", \"output_format\": 3, \"x\": 1e999999999999, " + family,
        "{\"mode\": \"text\", \"x\": " + "[".repeat(300) + "]".repeat(300) + ", " + family);
  }

  @Test
  void metadataOfOthersHidesNoJob() throws IOException {
    List<String> family = new ArrayList<>();
    for (String meta : oddMetadata()) {
      family.add(write("input/ready", "prompt.txt", "a", "meta.json", meta));
      family.add(write("processing", "prompt.txt", "a", "meta.json", meta));
      family.add(write("output", "result.txt", "ok", "meta.json", meta));
    }
    String unreadable = write("input/ready", "prompt.txt", "a", "meta.json", "no JSON");
    String empty = write("output", "result.txt", "ok", "prompt.txt", "a", "meta.json", "");
    String bare = write("output", "result.txt", "ok");
    String cut = write("output", "result.txt", "caf");
    byte[] half = {'c', 'a', 'f', (byte) 0xc3}; // cut in the middle of a character
    Files.write(ws.resolve("output/" + cut + "/result.txt"), half);
    InProcessCli.workAll(ws);

    assertThat(cli.run("flw", "ws", "--tag", "t").lines())
        .containsExactlyInAnyOrderElementsOf(family);
    Result children = cli.run("flw", "ws", "--children", PARENT, "--json");
    assertThat(children.status()).isZero();
    assertThat(children.lines())
        .hasSameSizeAs(family)
        .allMatch(line -> Json.object(line).string("status").equals("done"))
        .anyMatch(line -> Json.object(line).string("submitted_at").equals("yesterday"));
    assertThat(cli.run("flw", "ws", "-W", "--tag", "t")).isEqualTo(new Result(0, "", ""));
    for (String id : List.of(family.getFirst(), unreadable)) {
      assertThat(cli.run("flw", "ws", id)).isEqualTo(new Result(0, "A\n", ""));
    }
    for (String id : List.of(empty, bare)) {
      assertThat(cli.run("flw", "ws", id)).isEqualTo(new Result(0, "ok\n", ""));
    }
    assertThat(cli.run("flw", "ws", cut)).isEqualTo(new Result(0, "caf\uFFFD\n", ""));
    // nrvna ignores metadata without these two fields
    String missing = Files.readString(ws.resolve("output/" + family.get(6) + "/meta.json"));
    assertThat(Json.object(missing).values()).containsEntry("mode", "text");
    assertThat(Json.object(missing).string("submitted_at")).startsWith("2025-01-12T");
  }

  @Test
  void aFailedChildFailsItsFamily() throws IOException {
    for (String meta : oddMetadata()) {
      write("output", "result.txt", "ok", "meta.json", meta);
    }
    String meta = oddMetadata().getFirst();
    String failed = write("failed", "error.txt", "boom\n", "response.txt", "", "meta.json", meta);
    String waiting = write("input/ready", "prompt.txt", "a");
    assertThat(cli.run("flw", "ws", "--children", PARENT).status()).isZero();
    assertThat(cli.run("flw", "ws", "--children", PARENT, "--json").status()).isEqualTo(1);
    assertThat(cli.run("flw", "ws", "--children", PARENT, "-W")).isEqualTo(new Result(1, "", ""));
    assertThat(cli.run("flw", "ws", "--tag", "t", "-W").status()).isEqualTo(1);
    assertThat(cli.run("flw", "ws", "--tag", "other", "-W").status()).isZero();
    Result json = cli.run("flw", "ws", failed, "--json");
    assertThat(json.status()).isEqualTo(1);
    assertThat(Json.object(json.out()).values())
        .containsEntry("status", "failed")
        .containsEntry("error", "boom")
        .containsEntry("partial", "");
    assertThat(cli.run("flw", "ws", failed).err())
        .startsWith("Job failed: " + failed + "\nError: boom");
    assertThat(cli.run("flw", "ws", waiting, "--json").status()).isEqualTo(2);
    assertThat(cli.run("flw", "ws", waiting).status()).isEqualTo(2);
    assertThat(cli.run("flw", "ws", PARENT).status()).isEqualTo(1);
    assertThat(cli.run("flw", "ws", "--json").line())
        .isEqualTo("{\"queued\":1,\"running\":0,\"done\":9,\"failed\":1}");
  }

  @Test
  void aSchemaIsKeptWithItsGrammar() throws IOException {
    String schema = "{\"type\": \"array\", \"items\": {\"enum\": [\"a\", 1]}, \"maxItems\": 9}\n";
    Files.writeString(dir.resolve("s.json"), schema);
    Files.writeString(dir.resolve("g.gbnf"), "root ::= \"x\"");
    Path job = ws.resolve("input/ready/" + cli.submit("ws", "x", "--json-schema", "s.json"));
    assertThat(job.resolve("schema.json")).hasContent(schema);
    assertThat(job.resolve("grammar.gbnf"))
        .content()
        .startsWith("root ::= \"[\" ")
        .contains("\"\\\"a\\\"\" | \"1\"");
    assertThat(job.resolve("meta.json")).content().contains("\"output_format\": \"json_schema\"");
    Path other = ws.resolve("input/ready/" + cli.submit("ws", "x", "--grammar", "g.gbnf"));
    assertThat(other.resolve("meta.json")).content().contains("\"output_format\": \"gbnf\"");

    String blanks = " ".repeat(1_000_000);
    Files.writeString(dir.resolve("large.json"), schema + blanks);
    Files.writeString(dir.resolve("large.gbnf"), "root ::= \"x\"" + blanks);
    Files.writeString(dir.resolve("wide.json"), "{\"const\": \"" + "愛".repeat(180_000) + "\"}");
    for (String[] refused :
        new String[][] {
          {"--json-schema", "large.json", "large.json is too large: at most 1000000 bytes"},
          {"--grammar", "large.gbnf", "large.gbnf is too large: at most 1000000 bytes"},
          {"--json-schema", "wide.json", "wide.json: rule # is too large: the grammar would need"}
        }) {
      Result result = cli.run("wrk", "ws", "x", refused[0], refused[1]);
      assertThat(result.status()).isEqualTo(1);
      assertThat(result.out()).isEmpty();
      assertThat(result.err()).contains(refused[2]);
    }
  }
}
