package dev.millrace.cli.submit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkCommandTest extends CommandFixture {
  private JobSpec spec(String id) {
    return Workspace.open(ws).reader().spec(InProcessCli.id(id)).orElseThrow();
  }

  private StageSpec stage(String id) {
    return spec(id).stages().getFirst();
  }

  private Object prompt(String id) {
    return stage(id).tasks().getFirst().input();
  }

  @Test
  void printsTheIdAndNothingElse() {
    InProcessCli.Result result = cli.run("work", "ws", "hello");
    assertThat(result.status()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out()).matches("[0-9]{20}_[0-9]+_[0-9]{6}\n");
    assertThat(ws.resolve("input/ready").resolve(result.line()).resolve("prompt.txt"))
        .hasContent("hello");
  }

  @Test
  void wordsAreJoinedByOneSpace() {
    assertThat(prompt(cli.submit("ws", "what", "is", "--tag", "t", "a  mill?")))
        .isEqualTo("what is a  mill?");
  }

  @Test
  void wordsAfterTwoDashesArePrompt() {
    assertThat(prompt(cli.submit("ws", "--", "--hold", "-x"))).isEqualTo("--hold -x");
  }

  @Test
  void oneTrailingNewlineOfStdinIsRemoved() {
    assertThat(prompt(cli.stdin("a\nb\n\n").submit("ws", "-"))).isEqualTo("a\nb\n");
    assertThat(prompt(cli.stdin(" a ").submit("ws", "-"))).isEqualTo(" a ");
  }

  @Test
  void stdinIsReadWithoutADashWhenItIsAPipe() {
    assertThat(prompt(cli.stdin("piped\n").submit("ws"))).isEqualTo("piped");
    assertThat(prompt(cli.submit("ws", "--tag", "t"))).isEqualTo("piped");
  }

  @Test
  void stdinIsNotReadFromATerminalWithoutADash() {
    InProcessCli.Result result = cli.stdin("typed").onTerminal().run("work", "ws");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).startsWith("Error: Empty prompt");
    assertThat(ws).doesNotExist();
  }

  @Test
  void aDashElsewhereIsText() {
    assertThat(prompt(cli.submit("ws", "2", "-", "1"))).isEqualTo("2 - 1");
    assertThat(prompt(cli.submit("ws", "--", "-"))).isEqualTo("-");
  }

  @Test
  void aDashExcludesWords() {
    assertThat(cli.stdin("x").run("work", "ws", "-", "more").err())
        .startsWith("Error: \"-\" reads");
  }

  @Test
  void tenMillionBytesPassAndOneMoreIsRejected() {
    byte[] most = new byte[10_000_000];
    Arrays.fill(most, (byte) 'x');
    assertThat(cli.stdin(most).run("work", "ws", "-").status()).isZero();
    byte[] withNewline = Arrays.copyOf(most, most.length + 1);
    withNewline[most.length] = '\n';
    assertThat(cli.stdin(withNewline).run("work", "ws", "-").status()).isZero();
    withNewline[most.length] = 'x';
    InProcessCli.Result result = cli.stdin(withNewline).run("work", "ws", "-");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).startsWith("Error: Prompt too large: at most 10000000 bytes");
    assertThat(cli.run("work", "ws", "é".repeat(5_000_001)).err())
        .startsWith("Error: Prompt too large");
  }

  @Test
  void invalidUtf8IsRejectedWithItsOffset() {
    InProcessCli.Result result =
        cli.stdin(new byte[] {'a', (byte) 0xC3, (byte) 0xA9, (byte) 0xFF, 'b'})
            .run("work", "ws", "-");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("not valid UTF-8: byte offset 3");
    assertThat(cli.stdin("a\uFFFDb").run("work", "ws", "-").status()).isZero();
  }

  @Test
  void anEmptyPromptIsRejected() {
    for (String stdin : new String[] {"", "\n"}) {
      InProcessCli.Result result = cli.stdin(stdin).run("work", "ws", "-");
      assertThat(result.status()).isEqualTo(1);
      assertThat(result.err()).startsWith("Error: Empty prompt");
    }
    assertThat(cli.run("work", "ws", "").err()).startsWith("Error: Empty prompt");
  }

  @Test
  void everyOptionIsUsed() {
    String parent = cli.submit("ws", "p");
    String id =
        cli.submit(
            "ws",
            "x",
            "--type",
            "resize",
            "--priority",
            "high",
            "--hold",
            "--name",
            "N",
            "--attempts",
            "3",
            "--queue-timeout",
            "2h",
            "--run-timeout",
            "30s",
            "--param",
            "w=640",
            "--param",
            "mode=fit",
            "--param",
            "list=[1,2]",
            "--tag",
            "a",
            "--tag",
            "b",
            "--parent",
            parent);
    JobSpec spec = spec(id);
    assertThat(spec.name()).isEqualTo("N");
    assertThat(spec.priority()).isEqualTo(Priority.HIGH);
    assertThat(spec.tags()).containsExactly("a", "b");
    assertThat(spec.parent()).isEqualTo(InProcessCli.id(parent));
    StageSpec stage = spec.stages().getFirst();
    assertThat(stage.type()).isEqualTo("resize");
    assertThat(stage.policy().maxAttempts()).isEqualTo(3);
    assertThat(stage.policy().queueTimeout()).isEqualTo(Duration.ofHours(2));
    assertThat(stage.policy().runTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(Json.write(stage.data())).isEqualTo("{\"w\":640,\"mode\":\"fit\",\"list\":[1,2]}");
    assertThat(Workspace.open(ws).reader().state(InProcessCli.id(id))).contains(JobState.PAUSED);
  }

  @Test
  void parametersHaveTheNamesThatWorkersKnow() {
    String id =
        cli.submit(
            "ws",
            "x",
            "--model",
            "house",
            "--system",
            "be kind",
            "--temp",
            "0.5",
            "--seed",
            "7",
            "-n",
            "20",
            "--top-k",
            "3",
            "--top-p",
            "0.9",
            "--min-p",
            "0",
            "--stop",
            "a",
            "--stop",
            "b",
            "--param",
            "thinking=false");
    assertThat(Json.write(stage(id).data()))
        .isEqualTo(
            "{\"model\":\"house\",\"system\":\"be kind\",\"temperature\":0.5,\"seed\":7,"
                + "\"max_tokens\":20,\"top_k\":3,\"top_p\":0.9,\"min_p\":0.0,"
                + "\"stop\":[\"a\",\"b\"],\"thinking\":false}");
    assertThat(Json.write(stage(cli.submit("ws", "x", "--raw")).data()))
        .isEqualTo("{\"raw\":true}");
    assertThat(Json.write(stage(cli.submit("ws", "x", "--embed", "--model", "m")).data()))
        .isEqualTo("{\"model\":\"m\"}");
  }

  @Test
  void parametersOutOfRangeAreRejected() {
    refused("--temp must be a number from 0 to 100", "--temp", "warm");
    refused("--temp must be a number from 0 to 100", "--temp=-1");
    refused("--top-p must be above 0", "--top-p", "0");
    refused("--top-p must be a number from 0 to 1", "--top-p", "1.1");
    refused("--min-p must be a number from 0 to 1", "--min-p", "NaN");
    refused("--top-k must be a whole number", "--top-k=-1");
    refused("--max-tokens must be a whole number of at least 1", "-n", "0");
    refused("--seed must be a whole number of 64 bits", "--seed", "1.5");
    refused("--stop must not be empty", "--stop", "");
    refused("--model must not be empty", "--model", " ");
    refused("--raw and --system are mutually exclusive", "--raw", "--system", "x");
    refused("--temp is for generated text, not for embeddings", "--embed", "--temp", "1");
    refused("--stop is for generated text", "--mode", "embed", "--stop", "x");
    refused("--param seed is given twice", "--seed", "1", "--param", "seed=2");
  }

  @Test
  void embedIsItsOwnType() {
    assertThat(stage(cli.submit("ws", "x", "--embed")).type()).isEqualTo("embed");
    assertThat(stage(cli.submit("ws", "x", "--mode", "embed")).type()).isEqualTo("embed");
    assertThat(stage(cli.submit("ws", "x", "--mode", "text")).type()).isEqualTo("generate");
  }

  @Test
  void schemaAndGrammarAreStoredVerbatim() throws IOException {
    String schema = "{ \"type\" : \"object\" }\n";
    Files.writeString(dir.resolve("s.json"), schema);
    Files.writeString(dir.resolve("g.gbnf"), "root ::= \"x\"\n");
    String id = cli.submit("ws", "x", "--json-schema", "s.json");
    assertThat(stage(id).data().get("json_schema")).isEqualTo(schema);
    assertThat(ws.resolve("input/ready/" + id + "/schema.json")).hasContent(schema);
    assertThat(stage(cli.submit("ws", "x", "--grammar", "g.gbnf")).data().get("grammar"))
        .isEqualTo("root ::= \"x\"\n");
  }

  private static String schemaThatExplodes() {
    StringBuilder defs = new StringBuilder();
    for (int i = 0; i < 45; i++) {
      String next = "{\"$ref\": \"#/$defs/d%d\"}".formatted(i + 1);
      defs.append("\"d%d\": {\"allOf\": [%s, %s]}, ".formatted(i, next, next));
    }
    return "{\"$ref\": \"#/$defs/d0\", \"$defs\": {%s\"d45\": {\"type\": \"string\"}}}"
        .formatted(defs);
  }

  @Test
  void attachedFilesAreChecked() throws IOException {
    Files.writeString(dir.resolve("bad.json"), "{");
    Files.writeString(dir.resolve("list.json"), "[]");
    Files.writeString(dir.resolve("true.json"), "true");
    Files.writeString(dir.resolve("empty"), "");
    Files.write(dir.resolve("large"), new byte[1_000_001]);
    String grammar = "root ::= \"x\"\n#";
    Files.writeString(dir.resolve("most"), grammar + "x".repeat(1_000_000 - grammar.length()));
    Files.writeString(dir.resolve("nonsense.json"), "{\"type\":\"nonsense\"}");
    Files.writeString(dir.resolve("open.gbnf"), "root ::= \"x");
    Files.write(dir.resolve("latin1"), new byte[] {'"', (byte) 0xE9, '"'});
    Files.writeString(dir.resolve("good.json"), "{}");
    Files.writeString(dir.resolve("costly.json"), schemaThatExplodes());
    Files.writeString(dir.resolve("costly.gbnf"), "root ::= [ab]* \"a\" [ab]{20}");
    Files.createSymbolicLink(dir.resolve("link"), dir.resolve("good.json"));
    refused("bad.json is not valid JSON", "--json-schema", "bad.json");
    refused("list.json is not a JSON schema", "--json-schema", "list.json");
    refused("it must be an object", "--json-schema", "true.json"); // as the worker would
    refused("nonsense.json: ", "--json-schema", "nonsense.json");
    refused("open.gbnf: ", "--grammar", "open.gbnf");
    refused("costly.json: it takes more than 20000000 ", "--json-schema", "costly.json");
    refused("costly.gbnf: rule root is too large", "--grammar", "costly.gbnf");
    refused("empty is empty", "--grammar", "empty");
    refused("large is too large: at most 1000000 bytes", "--grammar", "large");
    refused("latin1 is not valid UTF-8: byte offset 1", "--grammar", "latin1");
    refused("link is not a regular file", "--json-schema", "link");
    refused("not a regular file", "--grammar", ".");
    refused("none does not exist", "--json-schema", "none");
    refused("not a regular file", "--grammar", "/dev/zero");
    assertThat(cli.run("work", "ws", "x", "--grammar", "most").status()).isZero();
  }

  private void refused(String message, String... options) {
    String[] args = new String[options.length + 3];
    args[0] = "work";
    args[1] = "ws";
    args[2] = "x";
    System.arraycopy(options, 0, args, 3, options.length);
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(result.toString()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).startsWith("Error: ").contains(message);
  }

  @Test
  void exclusionsOfTheContract() {
    refused("--tts and --stt are mutually exclusive", "--tts", "--stt");
    refused("--audio requires --stt", "--audio", "a.wav");
    refused("--stt requires --audio", "--stt");
    refused("--embed and --tts are mutually exclusive", "--embed", "--tts");
    refused("--embed and --stt are mutually exclusive", "--embed", "--stt", "--audio", "a");
    refused("--tts and --image are mutually exclusive", "--tts", "--image", "i.png");
    refused("--stt and --image are mutually exclusive", "--stt", "--audio", "a", "-i", "i.png");
    refused("--json-schema and --grammar", "--json-schema", "s", "--grammar", "g");
    refused("--json-schema and --embed", "--json-schema", "s", "--embed");
    refused("--grammar and --tts", "--grammar", "s", "--tts");
    refused("--type and --embed", "--type", "x", "--embed");
    refused("unknown option: --images", "--images", "x");
  }

  @Test
  void unsupportedOptionsAreRejected() {
    refused("--image is not supported", "-i", "i.png");
    refused("--tts is not supported: Millrace works on text. Make speech of a result", "--tts");
    refused("--mode tts is not supported: Millrace works on text. Make speech", "--mode", "tts");
    refused("--audio is not supported", "--stt", "--audio", "a.wav");
    refused("--mode vision is not supported", "--mode", "vision");
    refused("--mode must be text or embed", "--mode", "poem");
  }

  @Test
  void valuesAreChecked() {
    refused("--tag: tag \"a b\" must be 1 to 64", "--tag", "a b");
    refused("must be 1 to 64", "--tag", "x".repeat(65));
    refused("--parent: Invalid job ID: ../x", "--parent", "../x");
    refused("--priority: priority \"urgent\" must be one of", "--priority", "urgent");
    refused("--attempts must be a whole number from 1 to 1000", "--attempts", "0");
    refused("is not a duration", "--run-timeout", "soon");
    refused("--queue-timeout must be longer than 0s", "--queue-timeout", "0s");
    refused("--type: stage type \"a/b\"", "--type", "a/b");
    refused("--param must be NAME=VALUE", "--param", "novalue");
    refused("use --json-schema or --grammar", "--param", "grammar=x");
    refused("--param prompt: the prompt is given as words already", "--param", "prompt=other");
    refused("--param a is given twice", "--param", "a=1", "--param", "a=2");
    refused("--name: a job's name has 1 to 200", "--name", " ");
  }

  @Test
  void aBlankPromptIsRejectedWhereverItComesFrom() {
    for (String blank : List.of("", " ", "\t\n \n")) {
      assertThat(cli.run("work", "ws", blank).err()).contains("PROMPT must not be blank");
      assertThat(cli.stdin(blank).run("work", "ws", "-").err())
          .contains("PROMPT must not be blank");
      String job = "{\"stages\": [{\"type\": \"generate\", \"tasks\": [\"a\", %s]}]}";
      assertThat(cli.stdin(job.formatted(Json.write(blank))).run("work", "ws", "--job", "-").err())
          .contains("stage 1, task 2: the prompt must not be blank");
    }
    assertThat(ws).doesNotExist();
  }

  @Test
  void aParentMustBeAJobOfTheWorkspace() {
    assertThat(cli.run("work", "ws", "x", "--parent", "1_2_3").err())
        .isEqualTo("Error: --parent 1_2_3: there is no workspace in ws\n");
    assertThat(ws).doesNotExist();
    String parent = cli.submit("ws", "x");
    assertThat(cli.run("work", "ws", "x", "--parent", "1_2_3").err())
        .startsWith("Error: --parent 1_2_3: there is no such job in ws; \"millrace jobs ws\"");
    cli.submit("ws", "x", "--parent", parent);
  }

  @Test
  void aRejectedJobLeavesNoWorkspace() {
    refused("tag", "--tag", "a b");
    assertThat(ws).doesNotExist();
  }

  @Test
  void theWorkspaceMustBeADirectory() throws IOException {
    assertThat(cli.run("work").err()).startsWith("Error: no workspace");
    assertThat(cli.run("work", "ftp://localhost", "x").err())
        .startsWith(
            "Error: \"ftp://localhost\" names no place for jobs: \"ftp://\" is not supported");
    assertThat(cli.run("work", "", "x").err()).startsWith("Error: a path must not be empty");
    Files.writeString(dir.resolve("file"), "");
    InProcessCli.Result result = cli.run("work", "file", "x");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).startsWith("Error: ").contains("file").doesNotContain("\tat ");
  }

  @Test
  void jsonPrintsAnObject() {
    String out = cli.run("work", "ws", "x", "--json").out();
    assertThat(Json.object(out).values()).containsOnlyKeys("id");
  }
}
