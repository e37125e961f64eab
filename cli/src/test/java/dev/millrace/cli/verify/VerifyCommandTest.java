package dev.millrace.cli.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.model.RandomModelFiles;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code verify} on jobs of a small model, unchanged and tampered with. */
class VerifyCommandTest {
  @TempDir static Path models;
  private static Path model;

  @TempDir Path dir;
  private Path ws;
  private InProcessCli cli;

  @BeforeAll
  static void makeModel() throws IOException {
    model = RandomModelFiles.random(models.resolve("random.gguf"), 1);
  }

  @BeforeEach
  void open() {
    ws = dir.resolve("ws");
    cli = new InProcessCli(dir).env("MILLRACE_MODELS_DIR", models.toString());
  }

  private String done(String... args) throws InterruptedException {
    String id = cli.submit(args);
    RandomModelFiles.drain(ws, "random", model);
    assertThat(cli.run("flow", "ws", id).status()).as(cli.run("job", "ws", id).out()).isZero();
    return id;
  }

  private Path result(String id) {
    return ws.resolve("output").resolve(id).resolve("result.txt");
  }

  @Test
  void unchangedResultsAreVerified() throws InterruptedException {
    String id = done("ws", "once", "--raw", "--temp", "1", "--seed", "7", "-n", "24");
    InProcessCli.Result result = cli.run("verify", "ws", id);
    assertThat(result.status()).as(result.toString()).isZero();
    assertThat(result.lines()).hasSize(2).last().isEqualTo("1 the same, 0 not");
    assertThat(result.lines().getFirst()).startsWith("1/1  ");
  }

  @Test
  void aChangedResultIsReported() throws IOException, InterruptedException {
    String id = done("ws", "once", "--raw", "--temp", "1", "--seed", "7", "-n", "24");
    Files.writeString(result(id), Files.readString(result(id)) + "!");
    InProcessCli.Result text = cli.run("verify", "ws", id);
    assertThat(text.status()).isEqualTo(1);
    assertThat(text.out()).endsWith("0 the same, 1 not\n");
    InProcessCli.Result json = cli.run("verify", "ws", id, "--json");
    assertThat(json.status()).isEqualTo(1);
    JsonObject task = Json.object(json.lines().getFirst());
    assertThat(task.values())
        .containsEntry("stage", 1L)
        .containsEntry("task", 1L)
        .containsEntry("same", false);
    assertThat(task.string("message")).contains("character");
    assertThat(Json.object(json.lines().getLast()).values())
        .containsEntry("id", id)
        .containsEntry("same", 0L)
        .containsEntry("different", 1L);
  }

  @Test
  void theModelIsIdentifiedByItsHash() throws IOException, InterruptedException {
    String id = done("ws", "once", "--raw", "-n", "8");
    Path other = RandomModelFiles.random(dir.resolve("other.gguf"), 2);
    InProcessCli.Result wrong = cli.run("verify", "ws", id, "--model", other.toString());
    assertThat(wrong.status()).isEqualTo(1);
    assertThat(wrong.out()).contains("was not found; looked at " + other, "with --model");
    Path moved = Files.copy(model, dir.resolve("moved.gguf"));
    cli.env("MILLRACE_MODELS_DIR", "");
    assertThat(cli.run("verify", "ws", id).out()).contains("was not found");
    assertThat(cli.run("verify", "ws", id, "--model", moved.toString()).status()).isZero();
  }

  @Test
  void tasksOfAJobAreVerifiedTogetherOrOneByOne() throws IOException, InterruptedException {
    Files.writeString(
        dir.resolve("job.json"),
        """
        {"stages": [
          {"type": "generate", "data": {"raw": true, "max_tokens": 8, "temperature": 1},
           "tasks": ["one", "two", "three"]},
          {"type": "embed", "tasks": ["a text"]}]}
        """);
    String id = done("ws", "--job", "job.json");
    InProcessCli.Result all = cli.run("verify", "ws", id);
    assertThat(all.status()).as(all.toString()).isZero();
    assertThat(all.lines()).hasSize(5).last().isEqualTo("4 the same, 0 not");
    InProcessCli.Result one = cli.run("verify", "ws", id, "--stage", "1", "--task", "2");
    assertThat(one.lines()).hasSize(2).first().asString().startsWith("1/2  ");
    assertThat(cli.run("verify", "ws", id, "--task", "2").err()).contains("--task needs --stage");
    assertThat(cli.run("verify", "ws", id, "--stage", "3").err()).contains("no stage 3");
    assertThat(cli.run("verify", "ws", id, "--stage", "1", "--task", "9").err())
        .contains("no task 9");
  }

  /** The chat template writes the year of the job, which a retry must not change. */
  @Test
  void anAdoptedResultIsVerifiedByItsOwnTermsAndClock() throws IOException, InterruptedException {
    String template = "{{ strftime_now('%Y') }}{% for m in messages %}{{ m.content }}{% endfor %}";
    Path file = Files.writeString(dir.resolve("chat.jinja"), template);
    cli.env("MILLRACE_CHAT_TEMPLATE_FILE", file.toString());
    Files.writeString(
        dir.resolve("job.json"),
        """
        {"stages": [
          {"type": "generate", "data": {"max_tokens": 8, "temperature": 1}, "tasks": ["one", "two"]},
          {"type": "other", "tasks": ["x"]}]}
        """);
    String old = cli.submit("ws", "--job", "job.json");
    Path meta = ws.resolve("input/ready").resolve(old).resolve("meta.json");
    Files.writeString(
        meta, Files.readString(meta).replaceFirst("(\"submitted_at\": \")20\\d\\d", "$12020"));
    RandomModelFiles.drain(ws, "random", model, template);
    cli.run("abort", "ws", old);
    InProcessCli.Result retry = cli.run("retry", "ws", old);
    assertThat(retry.err()).startsWith("adopted 2 of 3 tasks");
    assertThat(cli.run("job", "ws", retry.line(), "--events").out())
        .contains("\"submitted\":\"2020-");
    assertThat(cli.run("prune", "ws", "--older-than", "0s").out()).isEqualTo("pruned 1 job\n");
    cli.run("abort", "ws", retry.line());
    InProcessCli.Result verified = cli.run("verify", "ws", retry.line());
    assertThat(verified.status()).as(verified.toString()).isZero();
    assertThat(verified.lines().getLast()).startsWith("2 the same, 0 not");
  }

  @Test
  void resultsOfOtherWorkersCannotBeVerified() {
    String id = cli.submit("ws", "x");
    InProcessCli.Result early = cli.run("verify", "ws", id);
    assertThat(early.status()).isEqualTo(1);
    assertThat(early.err()).contains("is queued: it can be verified after it has ended");
    InProcessCli.workAll(ws);
    InProcessCli.Result nothing = cli.run("verify", "ws", id);
    assertThat(nothing.status()).isEqualTo(1);
    assertThat(nothing.err()).contains("nothing to verify; 1 skipped");
    assertThat(cli.run("verify", "ws", "1_2_3").err()).contains("no job 1_2_3");
    assertThat(cli.run("verify", "ws", id, id).err()).contains("only one job ID");
  }

  @Test
  void receiptsAreShown() throws InterruptedException {
    String id = done("ws", "once", "--raw", "--seed", "7", "-n", "5", "--param", "ignore_eos=true");
    JsonObject flow = Json.object(cli.run("flow", "ws", id, "--json").out()).object("receipt");
    assertThat(flow.values())
        .containsEntry("model", "random")
        .containsEntry("seed", 7L)
        .containsEntry("completion_tokens", 5L)
        .containsEntry("finish_reason", "length");
    assertThat(Json.object(cli.run("job", "ws", id, "--json").out()).object("receipt"))
        .isEqualTo(flow);
    assertThat(Json.object(cli.run("jobs", "ws", "--json").out()).object("receipt"))
        .isEqualTo(flow);
    assertThat(cli.run("job", "ws", id).out())
        .containsPattern("receipt +5 tokens, length, (.* tokens/s, )?model random, seed 7\n");
  }

  @Test
  void aFailedTaskHasAReceiptToo() throws IOException, InterruptedException {
    Files.writeString(dir.resolve("s.json"), "{\"type\": \"string\", \"minLength\": 50}");
    String id = cli.submit("ws", "once", "--raw", "-n", "5", "--json-schema", "s.json");
    RandomModelFiles.drain(ws, "random", model);
    JsonObject flow = Json.object(cli.run("flow", "ws", id, "--json").out());
    assertThat(flow.string("error")).startsWith("Structured job produced invalid JSON");
    assertThat(flow.object("receipt").values())
        .containsEntry("completion_tokens", 5L)
        .containsEntry("finish_reason", "length");
    assertThat(cli.run("job", "ws", id).out()).containsPattern("receipt +5 tokens, length, ");
    assertThat(cli.run("verify", "ws", id).err()).contains("nothing to verify; 1 skipped");
  }

  @Test
  void aTaskOfAJobOfStagesHasItsReceipt() throws IOException, InterruptedException {
    Files.writeString(
        dir.resolve("job.json"),
        """
        {"stages": [{"type": "generate", "data": {"raw": true, "max_tokens": 4},
         "tasks": [{"input": {"prompt": "one", "seed": 5}}]}]}
        """);
    String id = done("ws", "--job", "job.json");
    JsonObject flow = Json.object(cli.run("flow", "ws", id, "--json").out()).object("receipt");
    assertThat(flow.values()).containsEntry("seed", 5L);
    assertThat(cli.run("job", "ws", id).out()).containsPattern("receipt .*model random, seed 5\n");
    assertThat(cli.run("flow", "ws", id, "--tasks", "--json").out()).contains("\"receipt\":{");
    assertThat(cli.run("verify", "ws", id).status()).isZero();
  }
}
