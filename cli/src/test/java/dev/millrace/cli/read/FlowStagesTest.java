package dev.millrace.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import org.junit.jupiter.api.Test;

/** {@code flow}, {@code job} and {@code approve} on jobs of stages. */
class FlowStagesTest extends CommandFixture {
  private static final String FAN_OUT_AND_IN =
      """
      {"stages": [{"type": "generate", "tasks": ["a", "b"]},
                  {"type": "generate", "gate": true, "tasks": [{"template": "{{results}}"}]}]}
      """;
  private static final String COLLECTING =
      """
      {"stages": [{"type": "generate", "collect": true, "tasks": ["good", "bad", "fine"]}]}
      """;

  private String submit(String document) {
    return cli.stdin(document).submit("ws", "--job", "-");
  }

  @Test
  void aGateIsApprovedAndTheLastStageIsTheResult() {
    String id = submit(FAN_OUT_AND_IN);
    assertThat(cli.run("approve", "ws", id, "2").err())
        .contains("stage 2 cannot be approved yet; stage 1 is PENDING");
    InProcessCli.workAll(ws);
    assertThat(cli.run("flow", "ws", id).status()).isEqualTo(2);
    assertThat(cli.run("flow", "ws", id, "--stage", "2").err())
        .isEqualTo("Stage 2 of " + id + " not ready (state: WAITING)\n");
    InProcessCli.Result first = cli.run("flow", "ws", id, "--stage", "1");
    assertThat(first.status()).isZero();
    assertThat(first.lines())
        .extracting(line -> Json.object(line).get("result"))
        .containsExactly("A", "B");
    assertThat(cli.run("job", "ws", id).out())
        .contains("waits for: millrace approve ws " + id + " 2");
    InProcessCli.Result approved = cli.run("approve", "ws", id, "2", "--comment", "looks good");
    assertThat(approved).isEqualTo(new InProcessCli.Result(0, id + " stage 2 approved\n", ""));
    InProcessCli.workAll(ws);
    assertThat(cli.run("flow", "ws", id)).isEqualTo(new InProcessCli.Result(0, "A\nB\n", ""));
    assertThat(cli.run("job", "ws", id, "--events").out()).contains("\"comment\":\"looks good\"");
  }

  @Test
  void severalResultsAreOneJsonLineEach() {
    String id = submit(COLLECTING);
    InProcessCli.work(
        ws, claim -> claim.inputText().equals("bad") ? Failure.permanent("sorry") : "ok");
    InProcessCli.Result result = cli.run("flow", "ws", id);
    assertThat(result.status()).isZero();
    assertThat(result.lines())
        .containsExactly(
            "{\"task\":1,\"result\":\"ok\",\"state\":\"COMPLETED\"}",
            "{\"task\":2,\"state\":\"FAILED\",\"error\":\"sorry\"}",
            "{\"task\":3,\"result\":\"ok\",\"state\":\"COMPLETED\"}");
    JsonObject whole = Json.object(cli.run("flow", "ws", id, "--json").out());
    assertThat(whole.list("results")).hasSize(3);
    assertThat(whole.list("stages")).hasSize(1);
    assertThat(whole.get("mode")).isEqualTo("job");
  }

  @Test
  void tasksAreListed() {
    String id = submit(COLLECTING);
    InProcessCli.work(
        ws, claim -> claim.inputText().equals("bad") ? Failure.permanent("sor\033ry") : "o\nk");
    InProcessCli.Result table = cli.run("flow", "ws", id, "--tasks");
    assertThat(table.status()).isZero();
    assertThat(table.lines().getFirst())
        .isEqualTo("STAGE       TASK  STATE      ATTEMPTS  TOOK  RESULT OR ERROR");
    assertThat(table.out()).contains("sor ry", "o k").doesNotContain("\033");
    InProcessCli.Result lines = cli.run("flow", "ws", id, "--tasks", "--json");
    assertThat(lines.lines()).hasSize(3);
    JsonObject bad = Json.object(lines.lines().get(1));
    assertThat(bad.get("state")).isEqualTo("FAILED");
    assertThat(bad.integer("attempts")).isEqualTo(1);
    assertThat(Json.object(lines.lines().getFirst()).integer("attempts")).isEqualTo(1);
    assertThat(bad.get("input")).isEqualTo("bad");
    assertThat(cli.run("flow", "ws", id, "--tasks", "--stage", "1", "--json").lines()).hasSize(3);
  }

  @Test
  void aFailedStageFailsTheJob() {
    String id = submit(FAN_OUT_AND_IN);
    InProcessCli.work(ws, claim -> Failure.permanent("sorry"));
    InProcessCli.Result result = cli.run("flow", "ws", id);
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("Job failed: " + id, "stage 1 (generate): task");
    assertThat(cli.run("flow", "ws", id, "--stage", "1").status()).isEqualTo(1);
    InProcessCli.Result later = cli.run("flow", "ws", id, "--stage", "2", "-w");
    assertThat(later.status()).isEqualTo(1);
    assertThat(later.err()).isEqualTo("Stage 2 of " + id + " never began (its job is FAILED)\n");
  }
}
