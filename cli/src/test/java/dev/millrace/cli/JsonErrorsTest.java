package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With {@code --json} an error is one object on one line of standard error, and nothing else. */
class JsonErrorsTest {
  @TempDir Path dir;
  private InProcessCli cli;

  @BeforeEach
  void open() {
    cli = new InProcessCli(dir);
    cli.submit("ws", "x");
  }

  private static JsonObject error(InProcessCli.Result result) {
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).endsWith("\n").hasLineCount(1);
    JsonObject object = Json.object(result.err());
    assertThat(object.values()).containsOnlyKeys("error");
    return object.object("error");
  }

  /** Each line: the code, and the command line. */
  @ParameterizedTest
  @CsvSource({
    "usage, nosuch",
    "usage, help nosuch",
    "usage, work",
    "usage, work ws x --hlod",
    "usage, work ws x --temp hot",
    "failed, work ws -",
    "not_found, work ws x --parent 1_2_3",
    "not_found, work ws --job none.json",
    "usage, flow",
    "not_found, flow none",
    "usage, flow ws 1_2_3 4_5_6",
    "usage, jobs ws --state foo",
    "usage, jobs ws --limit",
    "not_found, job ws 1_2_3",
    "not_found, pause ws 1_2_3",
    "usage, approve ws 1_2_3",
    "not_found, retry ws 1_2_3",
    "usage, prune ws",
    "not_found, verify ws 1_2_3",
    "usage, serve -d ws --exec a=b",
    "not_found, serve -d none --status",
    "usage, nrvnad house ws",
    "usage, apikey x",
    "usage, node --memory 1G",
    "usage, nodes",
    "failed, keygen ws",
    "usage, demo --slots 0",
    "failed, batch none.jsonl",
    "usage, run hello",
    "failed, run --model none hello",
    "usage, tokenize",
    "usage, bench",
    "usage, models foo",
    "usage, states foo",
    "usage, doctor a b",
    "usage, version x",
    "store, flow http://127.0.0.1:1"
  })
  void everyCommandHasTheSameShape(String code, String line) {
    String[] plain = line.split(" ", -1);
    List<String> words = new ArrayList<>(Arrays.asList(plain));
    words.add(1, "--json");
    InProcessCli.Result json = cli.run(words.toArray(String[]::new));
    JsonObject error = error(json);
    assertThat(error.get("code")).as(json.err()).isEqualTo(code);
    assertThat(error.values().keySet()).isSubsetOf("code", "message", "id", "hint");
    if (!line.startsWith("serve -d ws") && !line.startsWith("n")) { // there --json is the error
      InProcessCli.Result text = cli.run(plain);
      assertThat(json.status()).isEqualTo(text.status());
      assertThat(text.err()).contains(error.get("message").toString());
    }
    if (code.equals("usage")) {
      assertThat(error.get("hint").toString()).startsWith("millrace ").contains("help");
    }
  }

  @Test
  void eachOfSeveralJobsHasAnErrorOfItsOwn() {
    InProcessCli.Result result = cli.run("abort", "--json", "ws", "1_2_3", "4_5_6");
    assertThat(result.out()).isEmpty();
    assertThat(result.err().lines().map(it -> Json.object(it).object("error").get("id")))
        .containsExactly("1_2_3", "4_5_6");
    InProcessCli.Result retry = cli.run("retry", "--json", "ws", "1_2_3", "4_5_6");
    assertThat(retry.err().lines().map(it -> Json.object(it).object("error").get("id")))
        .containsExactly("1_2_3", "4_5_6");
  }

  @Test
  void aHintIsTheCommandThatTheMessageSuggests() {
    JsonObject error = error(cli.run("job", "ws", "1_2_3", "--json"));
    assertThat(error.get("hint")).isEqualTo("millrace jobs ws");
    assertThat(error.get("message").toString()).contains("\"millrace jobs ws\" lists all jobs");
  }

  /** A word after the double dash is a prompt, not an option. */
  @Test
  void aPromptThatReadsLikeTheOptionIsNone() {
    assertThat(cli.run("work", "none", "--nope", "--", "--json").err()).startsWith("Error: ");
  }

  @Test
  void aBugIsReportedInJsonToo() {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Shell broken =
        new Shell(
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(new ByteArrayOutputStream()),
            new PrintStream(err),
            Map.of(),
            dir,
            _ -> {
              throw new IllegalStateException("a bug");
            });
    assertThat(Main.run(broken, "work", "ws", "--json")).isEqualTo(70);
    JsonObject error = Json.object(err.toString(StandardCharsets.UTF_8)).object("error");
    assertThat(error.get("code")).isEqualTo(ErrorCode.INTERNAL.word());
    assertThat(error.get("message").toString()).contains("a bug");
  }

  @Test
  void helpIsAnObject() {
    JsonObject help = Json.object(cli.run("help", "work", "--json").out());
    assertThat(help.values()).containsOnlyKeys("command", "summary", "help");
  }
}
