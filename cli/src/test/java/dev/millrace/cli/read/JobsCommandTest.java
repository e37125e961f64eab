package dev.millrace.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.terminal.FittedText;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** {@code jobs}, {@code job}, and how commands find their workspace. */
class JobsCommandTest extends CommandFixture {
  @Test
  void jobsAreListedNewestFirst() {
    String one = cli.submit("ws", "1", "--name", "first");
    InProcessCli.workAll(ws);
    String two = cli.submit("ws", "2", "--priority", "HIGH");
    InProcessCli.Result result = cli.run("jobs", "ws");
    assertThat(result.status()).isZero();
    assertThat(result.lines()).hasSize(3);
    assertThat(result.lines().get(0)).matches("ID +STATE +AGE +MODEL +DONE +PROMPT");
    assertThat(result.lines().get(1))
        .matches(shortened(two) + " +queued +[0-9a-z.]+ +generate +0/1 +2");
    assertThat(result.lines().get(2))
        .matches(shortened(one) + " +done +[0-9a-z.]+ +generate +1/1 +first: 1");
  }

  /** The last digits of the time in an id. */
  private static String shortened(String id) {
    return id.substring(12, 20);
  }

  @Test
  void theTableFitsItsTerminalWhateverAPromptContains() {
    cli.submit("ws", "line one\nline \033[31mtwo " + "x".repeat(300), "--name", "n".repeat(100));
    cli.submit("ws", "\u6c34\u8eca".repeat(100), "--model", "a-model-with-a-long-name");
    cli.submit("ws", "short");
    InProcessCli.Result plain = cli.run("jobs", "ws");
    assertThat(plain.lines())
        .allSatisfy(line -> assertThat(FittedText.width(line)).isLessThanOrEqualTo(80));
    assertThat(plain.lines().get(3)).hasSize(80).endsWith("…");
    assertThat(plain.out()).doesNotContain("\033").contains("a-model-with");
    InProcessCli wide =
        new InProcessCli(dir).onTerminal().env("COLUMNS", "132").env("NO_COLOR", "1");
    assertThat(wide.run("jobs", "ws").lines())
        .anySatisfy(line -> assertThat(line).hasSize(132))
        .allSatisfy(line -> assertThat(FittedText.width(line)).isLessThanOrEqualTo(132));
  }

  @Test
  void aJobAtAGateSaysSoEverywhere() throws Exception {
    Files.writeString(
        dir.resolve("job.json"),
        """
        {"name": "two", "stages": [
          {"type": "generate", "tasks": ["a"]},
          {"type": "generate", "gate": true, "tasks": ["b"]}]}
        """);
    String id = cli.submit("ws", "--job", "job.json");
    String other = cli.submit("ws", "other");
    assertThat(cli.run("jobs", "ws", "--state", "waiting").lines()).hasSize(1);
    InProcessCli.workAll(ws);
    InProcessCli.Result table = cli.run("jobs", "ws", "--state", "waiting");
    assertThat(table.lines()).hasSize(2);
    assertThat(table.lines().get(1))
        .startsWith(shortened(id) + "  waiting")
        .contains("1/2  waits for approval of stage 2");
    assertThat(table.err())
        .isEqualTo(
            "1 job waits for approval: %s (stage 2); \"millrace approve ws %s 2\" approves the first\n"
                .formatted(id, id));
    assertThat(cli.run("jobs", "ws", "--state", "waiting,done", "--json").lines())
        .hasSize(2)
        .first()
        .asString()
        .contains(other);
    JsonObject json = Json.object(cli.run("jobs", "ws", "--state", "waiting", "--json").out());
    assertThat(json.get("id")).isEqualTo(id);
    assertThat(json.object("waits_for").values())
        .containsEntry("stage", 2L)
        .containsEntry("type", "generate");
    assertThat(Json.object(cli.run("flow", "ws", id, "--json").out()).has("waits_for")).isTrue();
    assertThat(Json.object(cli.run("flow", "ws", "--json").out()).get("waiting")).isEqualTo(1L);
    assertThat(cli.run("flow", "ws").out()).contains("waiting:    1 for approval");
    InProcessCli.Result flow = cli.run("flow", "ws", id);
    assertThat(flow.status()).isEqualTo(2);
    assertThat(flow.err())
        .contains("waits for approval of stage 2: millrace approve ws " + id + " 2")
        .doesNotContain("no server");
    assertThat(cli.run("serve", "--status", "-d", "ws").out())
        .isEqualTo("not running; 1 job waits for approval\n");

    assertThat(cli.run("pause", "ws", id).status()).isZero();
    assertThat(cli.run("jobs", "ws", "--state", "waiting").lines()).hasSize(1);
    assertThat(cli.run("jobs", "ws").lines().get(2)).startsWith(shortened(id) + "  paused");
    assertThat(cli.run("resume", "ws", id).status()).isZero();
    assertThat(cli.run("approve", "ws", shortened(id), "2").out())
        .isEqualTo(id + " stage 2 approved\n");
    assertThat(cli.run("jobs", "ws", "--state", "waiting").err()).isEmpty();
  }

  @Test
  void everyCommandTakesAPartOfAnIdWhileItIsUnique() {
    String one = cli.submit("ws", "1");
    String two = cli.submit("ws", "2", "--parent", shortened(one));
    assertThat(Json.object(cli.run("job", "ws", two, "--json").out()).get("parent")).isEqualTo(one);
    InProcessCli.workAll(ws);
    assertThat(cli.run("flow", "ws", shortened(one)).out()).isEqualTo("1\n");
    assertThat(cli.stdin(shortened(one)).run("flow", "ws", "-w").out()).isEqualTo("1\n");
    assertThat(cli.run("flow", "ws", "--children", shortened(one)).out()).isEqualTo(two + "\n");
    assertThat(cli.run("job", "ws", one.substring(13)).out()).contains("job        " + one);
    assertThat(cli.run("retry", "ws", shortened(one)).status()).isZero();
    assertThat(cli.run("abort", "ws", shortened(one)).err()).contains(one);

    InProcessCli.Result several = cli.run("flow", "ws", one.substring(0, 8));
    assertThat(several.status()).isEqualTo(1);
    assertThat(several.err())
        .contains("is a part of 3 job ids: " + one + ", " + two)
        .contains("give a longer part");
    for (String missing : new String[] {"9999999999", "123", one + "0"}) {
      assertThat(cli.run("flow", "ws", missing).err())
          .isEqualTo("Job not found: " + missing + "\n");
    }
    assertThat(cli.run("flow", "ws", "__99__").status()).isEqualTo(1);
  }

  @Test
  void filtersSelect() {
    String done = cli.submit("ws", "1", "--tag", "t");
    InProcessCli.workAll(ws);
    String queued = cli.submit("ws", "2");
    assertThat(cli.run("jobs", "ws", "--state", "done").out())
        .contains(shortened(done))
        .doesNotContain(shortened(queued));
    assertThat(cli.run("jobs", "ws", "--state", "PENDING,failed").out())
        .contains(shortened(queued))
        .doesNotContain(shortened(done));
    assertThat(cli.run("jobs", "ws", "--tag", "t", "--json").lines()).hasSize(1);
    InProcessCli.Result limited = cli.run("jobs", "ws", "--limit", "1", "--json");
    assertThat(limited.lines()).hasSize(1);
    assertThat(limited.out()).contains(queued);
    assertThat(cli.run("jobs", "ws", "--limit", "1").err()).contains("--limit 0 shows all");
    assertThat(cli.run("jobs", "ws", "--limit", "0", "--json").lines()).hasSize(2);
    assertThat(cli.run("jobs", "ws", "--state", "late").err())
        .contains("unknown state \"late\"; known: queued", ", waiting");
    assertThat(cli.run("jobs", "ws", "more").status()).isEqualTo(2);
  }

  @Test
  void aJobIsShownInFull() {
    String id = cli.submit("ws", "x", "--name", "n\033[31m", "--tag", "t");
    InProcessCli.workAll(ws);
    InProcessCli.Result result = cli.run("job", "ws", id);
    assertThat(result.out())
        .contains("job        " + id, "state      COMPLETED (done)", "tags       t")
        .contains("1  generate  COMPLETED     1       0      1")
        .contains("task 1/1 complete")
        .doesNotContain("\033");
    JsonObject json = Json.object(cli.run("job", "ws", id, "--json").out());
    assertThat(json.get("state")).isEqualTo("COMPLETED");
    assertThat(json.list("events")).isNotEmpty();
    InProcessCli.Result events = cli.run("job", "ws", id, "--events");
    assertThat(events.lines()).hasSize((int) json.integer("last_event"));
    assertThat(events.lines()).allSatisfy(line -> assertThat(Json.object(line).has("n")).isTrue());
  }

  @Test
  void aTerminalGetsColoursUnlessTheyAreOff() {
    cli.submit("ws", "x");
    InProcessCli.workAll(ws);
    assertThat(new InProcessCli(dir).onTerminal().run("jobs", "ws").out())
        .contains("\033[32mdone\033[0m");
    assertThat(new InProcessCli(dir).onTerminal().env("NO_COLOR", "1").run("jobs", "ws").out())
        .doesNotContain("\033");
    assertThat(new InProcessCli(dir).onTerminal().env("TERM", "dumb").run("jobs", "ws").out())
        .doesNotContain("\033");
    assertThat(cli.run("jobs", "ws").out()).doesNotContain("\033");
  }

  @Test
  void theWorkspaceIsFoundInFourWays() {
    String id = cli.submit("ws", "x");
    assertThat(cli.run("job", "ws", id).status()).isZero();
    assertThat(cli.run("job", "--workspace", "ws", id).status()).isZero();
    assertThat(cli.run("job", id, "-d", "ws").status()).isZero();
    assertThat(new InProcessCli(dir).env("MILLRACE_WORKSPACE", "ws").run("job", id).status())
        .isZero();
    assertThat(new InProcessCli(ws).run("job", id).status()).isZero();
    assertThat(new InProcessCli(ws).run("jobs").status()).isZero();
  }

  @Test
  void aMissingWorkspaceIsAnError() throws Exception {
    InProcessCli.Result none = cli.run("jobs");
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.err()).contains("--workspace DIR", "MILLRACE_WORKSPACE");
    assertThat(cli.run("jobs", "-d", "none").status()).isEqualTo(1);
    Files.createDirectory(dir.resolve("other"));
    assertThat(cli.run("jobs", "other").err())
        .contains("no workspace in other: it has no input/ready");
    assertThat(cli.run("job", "typo").err()).contains("\"typo\" is neither a job ID");
    assertThat(cli.run("jobs", "-d", "ftp://x").err()).contains("\"ftp://\" is not supported");
    assertThat(dir.resolve("other")).isEmptyDirectory();
  }

  @Test
  void aMissingJobIsAnError() {
    cli.submit("ws", "x");
    InProcessCli.Result result = cli.run("job", "ws", "1736700000_1_0");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).startsWith("Error: no job 1736700000_1_0");
    assertThat(cli.run("job", "ws").status()).isEqualTo(2);
    assertThat(cli.run("job", "ws", "1", "2").status()).isEqualTo(2);
  }

  @Test
  void aDamagedJobDoesNotHideTheOthers() throws Exception {
    String bad = cli.submit("ws", "x", "--tag", "t");
    String good = cli.submit("ws", "y", "--tag", "t");
    InProcessCli.workAll(ws);
    Files.writeString(
        ws.resolve("output/" + bad + "/events.jsonl"),
        "nonsense\n"
            + "{\"n\":1,\"at\":\"2026-01-01T00:00:00Z\",\"on\":\"job\",\"event\":\"submit\",\"v\":1}\n");
    InProcessCli.Result table = cli.run("jobs", "ws");
    assertThat(table.status()).isZero();
    assertThat(table.out())
        .contains(shortened(good))
        .containsPattern(shortened(bad) + " +unreadable .*events\\.jsonl");
    assertThat(cli.run("flow", "ws").out()).contains("[unreadable]  " + bad, good);
    InProcessCli.Result set = cli.run("flow", "ws", "--tag", "t", "--json");
    assertThat(set.status()).isEqualTo(1);
    assertThat(set.lines()).hasSize(2);
    InProcessCli.Result one = cli.run("flow", "ws", bad);
    assertThat(one.status()).isEqualTo(1);
    assertThat(one.err()).startsWith("Error: ").contains("events.jsonl").doesNotContain("\tat ");
  }
}
