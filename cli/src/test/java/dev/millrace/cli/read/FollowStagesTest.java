package dev.millrace.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.BackgroundCommand;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** {@code flow -f} on a job of stages: bars, failures, a gate. */
class FollowStagesTest extends FollowFixture {
  private static final String TWO_STAGES =
      """
      {"stages": [{"type": "generate", "collect": true, "tolerate": 1.0,
                   "tasks": ["a", "b", "c", "d"]},
                  {"type": "generate", "gate": true, "tasks": ["e", "f"]}]}
      """;

  private String submit() {
    return cli.stdin(TWO_STAGES).submit("ws", "--job", "-");
  }

  private void complete(Claim claim) {
    store.complete(claim, TaskResult.of(claim.inputText().toUpperCase(Locale.ROOT)));
  }

  @Test
  void aTerminalShowsABarForEachStage() {
    String id = submit();
    BackgroundCommand flow = followOnTerminal(id);
    List<Claim> claims = claim(4);
    complete(claims.get(0));
    assertThat(cli.run("job", "ws", id).out()).doesNotContain("waits for");
    flow.awaitErr("1 generate [██████░░░░░░░░░░░░░░░░░░]  1/4");
    store.fail(claims.get(1), Failure.permanent("sor\033ry"));
    complete(claims.get(2));
    flow.awaitErr("task 1/2 fail: sor ry\n").awaitErr("2/4, 1 failed");
    assertThat(flow.err()).as("stage 2 is not reached").doesNotContain("stage 2 waits");
    complete(claims.get(3));
    flow.awaitErr("stage 2 waits: millrace approve ws " + id + " 2");
    approve(id, 2);
    claim(2).forEach(this::complete);
    InProcessCli.Result result = flow.result();
    assertThat(result.status()).isZero();
    assertThat(result.lines()).hasSize(2).allMatch(line -> line.startsWith("{\"task\":"));
    String last = result.err().substring(result.err().lastIndexOf("\033[J"));
    assertThat(last)
        .contains("1 generate [████████████████████████]  3/4, 1 failed, ")
        .contains("\n2 generate [████████████████████████]  2/2, ");
    assertThat(result.err()).doesNotContain("claim by");
  }

  @Test
  void withoutATerminalThereIsTheLogAndNoControlCharacter() {
    String id = submit();
    BackgroundCommand flow = follow(id);
    claim(4).forEach(this::complete);
    flow.awaitErr("stage 2 waits: millrace approve ws " + id + " 2\n");
    approve(id, 2);
    claim(2).forEach(this::complete);
    InProcessCli.Result result = flow.result();
    assertThat(result.err()).contains("task 1/4 complete", "job complete").doesNotContain("\033");
    assertThat(result.lines())
        .extracting(line -> Json.object(line).get("result"))
        .containsExactly("E", "F");
  }

  @Test
  void aPauseIsShownWithTheCommandThatEndsIt() {
    String id = submit();
    cli.run("pause", "ws", id);
    try (BackgroundCommand flow = followOnTerminal(id)) {
      flow.awaitErr("paused; resume with: millrace resume ws " + id);
      cli.run("abort", "ws", id);
      assertThat(flow.result().status()).isEqualTo(1);
    }
  }
}
