package dev.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code run} and {@code bench} with random weights: the text has no meaning, but the form is
 * checked.
 */
@Tag("slow")
class RunCommandTest {
  @TempDir static Path models;
  private static String model;

  @TempDir Path dir;
  private InProcessCli cli;

  @BeforeAll
  static void makeModel() throws IOException {
    model =
        RandomModels.write(
                models.resolve("random.gguf"), ModelShape.small("llama"), TensorType.Q8_0, 1)
            .toString();
  }

  @BeforeEach
  void cli() {
    cli = new InProcessCli(dir);
  }

  private JsonObject answer(String... args) {
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(result.err()).isZero();
    assertThat(result.lines()).hasSize(1);
    return Json.object(result.lines().getFirst());
  }

  private void refused(String reason, String... args) {
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).isNotZero();
    assertThat(result.err()).contains(reason).doesNotContain("internal:");
    assertThat(result.out()).isEmpty();
  }

  @Test
  void theJsonObjectHasTextTokensReasonAndUsage() {
    JsonObject answer =
        answer("run", "--model", model, "--max-tokens", "7", "--ignore-eos", "--json", "hello");
    assertThat(answer.list("tokens")).hasSize(7);
    assertThat(answer.string("finish_reason")).isEqualTo("length");
    JsonObject usage = answer.object("usage");
    assertThat(usage.integer("completion_tokens")).isEqualTo(7);
    assertThat(usage.integer("total_tokens")).isEqualTo(usage.integer("prompt_tokens") + 7);
    assertThat(answer.string("text")).isNotNull();
  }

  @Test
  void aPromptHasSpecialTokensIfItIsRawOrToldSo() {
    long asText = promptTokens("--now", "2026-01-31T12:00:00Z");
    assertThat(promptTokens("--special-in-text")).isLessThan(asText);
    assertThat(promptTokens("--raw")).isLessThan(asText);
    refused("mutually exclusive", "run", "--model", model, "--raw", "--special-in-text", "x");
  }

  private long promptTokens(String... options) {
    List<String> args = new ArrayList<>(List.of("run", "--model", model, "-n", "1", "--json"));
    args.addAll(List.of(options));
    args.add("a</s>b");
    return answer(args.toArray(String[]::new)).object("usage").integer("prompt_tokens");
  }

  @Test
  void theSameSeedGivesTheSameTokens() {
    List<Object> first = sampled("5");
    assertThat(sampled("5")).isEqualTo(first);
    assertThat(sampled("6")).isNotEqualTo(first);
  }

  private List<Object> sampled(String seed) {
    return answer(
            "run",
            "--model",
            model,
            "--temp",
            "1",
            "--seed",
            seed,
            "-n",
            "12",
            "--ignore-eos",
            "--raw",
            "--json",
            "hello")
        .list("tokens");
  }

  @Test
  void anAnswerFollowsItsSchema() throws IOException {
    Files.writeString(
        dir.resolve("schema.json"),
        """
        {"type": "object", "required": ["size", "wet"], "additionalProperties": false,
         "properties": {"size": {"type": "integer", "minimum": 1, "maximum": 20}, "wet": {"type": "boolean"}}}
        """);
    JsonObject answer =
        answer("run", "--model", model, "--schema", "schema.json", "-n", "60", "--json", "hello");
    JsonObject object = Json.object(answer.string("text"));
    assertThat(object.integer("size")).isBetween(1L, 20L);
    assertThat(object.values().keySet()).containsExactly("size", "wet");
  }

  @Test
  void anAnswerFollowsItsGrammar() throws IOException {
    Files.writeString(dir.resolve("g.gbnf"), "root ::= (\"ab\" | \"ba\"){3}");
    InProcessCli.Result result =
        cli.run("run", "--model", model, "--grammar", "g.gbnf", "--temp", "1", "hello");
    assertThat(result.status()).as(result.err()).isZero();
    assertThat(result.out()).matches("(ab|ba){3}\n");
  }

  @Test
  void badInputIsRejectedWithAMessage() throws IOException {
    refused("--model is missing", "run", "hello");
    refused("no such file", "run", "--model", "nowhere.gguf", "hello");
    refused("--temp", "run", "--model", model, "--temp", "warm", "hello");
    refused("--temp", "run", "--model", model, "--temp", "-1", "hello");
    refused("--top-p", "run", "--model", model, "--top-p", "2", "hello");
    refused("--stop", "run", "--model", model, "--stop", "", "hello");
    refused("--now", "run", "--model", model, "--now", "soon", "hello");
    refused("is a directory", "run", "--model", model, "--grammar", ".", "hello");
    refused("Empty prompt", "run", "--model", model, "");
    Files.writeString(dir.resolve("not.gguf"), "this is no model");
    refused("not.gguf", "run", "--model", "not.gguf", "hello");
    Files.writeString(dir.resolve("bad.gbnf"), "root ::= other");
    refused("other", "run", "--model", model, "--grammar", "bad.gbnf", "hello");
    Files.writeString(dir.resolve("costly.gbnf"), "root ::= [ab]* \"a\" [ab]{20}");
    refused("costly.gbnf: rule", "run", "--model", model, "--grammar", "costly.gbnf", "hello");
    Files.writeString(dir.resolve("bad.json"), "{\"type\": \"object\", \"patternProperties\": {}}");
    refused("patternProperties", "run", "--model", model, "--schema", "bad.json", "hello");
    refused(
        "shorten the prompt",
        "run",
        "--model",
        model,
        "--ctx",
        "8",
        "--raw",
        "a long prompt ".repeat(9));
  }

  @Test
  void anEncoderGeneratesNothing() throws IOException {
    Path encoder =
        RandomModels.write(dir.resolve("bert.gguf"), ModelShape.small("bert"), TensorType.F32, 1);
    refused("embeddings", "run", "--model", encoder.toString(), "hello");
  }

  @Test
  void benchPrintsItsMeasurements() {
    JsonObject figures =
        answer(
            "bench",
            "--model",
            model,
            "--prompt",
            "16",
            "--generate",
            "4",
            "--batch",
            "1,2",
            "--threads",
            "2",
            "--json");
    assertThat(figures.number("prefill_tps", 0)).isPositive();
    assertThat(figures.object("decode_tps").values().keySet()).containsExactly("1", "2");
    assertThat(figures.integer("load_ms")).isNotNegative();
    assertThat(figures.integer("first_token_ms")).isPositive();
    assertThat(figures.integer("rss_mb")).isPositive();
  }
}
