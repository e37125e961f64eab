package dev.millrace.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
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
    assertThat(result.lines().get(0)).matches("ID +NAME +STATE +PRIORITY +PROGRESS +AGE +DURATION");
    assertThat(result.lines().get(1)).matches(two + " +- +PENDING +HIGH +0/1 +[0-9a-z.]+ +-");
    assertThat(result.lines().get(2))
        .matches(one + " +first +COMPLETED +MEDIUM +1/1 +[0-9a-z.]+ +[0-9a-z.]+");
  }

  @Test
  void filtersSelect() {
    String done = cli.submit("ws", "1", "--tag", "t");
    InProcessCli.workAll(ws);
    String queued = cli.submit("ws", "2");
    assertThat(cli.run("jobs", "ws", "--state", "done").out())
        .contains(done)
        .doesNotContain(queued);
    assertThat(cli.run("jobs", "ws", "--state", "PENDING,failed").out())
        .contains(queued)
        .doesNotContain(done);
    assertThat(cli.run("jobs", "ws", "--tag", "t", "--json").lines()).hasSize(1);
    InProcessCli.Result limited = cli.run("jobs", "ws", "--limit", "1", "--json");
    assertThat(limited.lines()).hasSize(1);
    assertThat(limited.out()).contains(queued);
    assertThat(cli.run("jobs", "ws", "--limit", "1").err()).contains("--limit 0 shows all");
    assertThat(cli.run("jobs", "ws", "--limit", "0", "--json").lines()).hasSize(2);
    assertThat(cli.run("jobs", "ws", "--state", "late").err())
        .contains("unknown state \"late\"; known: queued");
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
        .contains("\033[32mCOMPLETED\033[0m");
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
    assertThat(table.out()).contains(good).containsPattern(bad + " +- +UNREADABLE");
    InProcessCli.Result set = cli.run("flow", "ws", "--tag", "t", "--json");
    assertThat(set.status()).isEqualTo(1);
    assertThat(set.lines()).hasSize(2);
    InProcessCli.Result one = cli.run("flow", "ws", bad);
    assertThat(one.status()).isEqualTo(1);
    assertThat(one.err()).startsWith("Error: ").contains("events.jsonl").doesNotContain("\tat ");
  }
}
