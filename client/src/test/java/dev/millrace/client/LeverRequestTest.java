package dev.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.LeverJson;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Levers as HTTP requests. */
class LeverRequestTest {
  private static final JobId JOB = new JobId("1769850000000000_4242_7");
  private static final JsonObject MARK = JsonObject.create().put("owner", "ada");
  private static final Map<String, Object> INPUT = Map.of("n", 1L);

  static Stream<Arguments> levers() {
    return Stream.of(
        Arguments.of(new Lever.Pause(), "PUT /v1/jobs/{}/status", 0, 0),
        Arguments.of(new Lever.Resume(), "PUT /v1/jobs/{}/status", 0, 0),
        Arguments.of(new Lever.Abort(), "PUT /v1/jobs/{}/status", 0, 0),
        Arguments.of(new Lever.Approve(2), "PUT /v1/stages/{}/status", 2, 0),
        Arguments.of(new Lever.Prioritize(Priority.HIGH), "PATCH /v1/jobs/{}/priority", 0, 0),
        Arguments.of(new Lever.Describe(0, 0, MARK), "PATCH /v1/jobs/{}/user-metadata", 0, 0),
        Arguments.of(new Lever.Describe(1, 0, MARK), "PATCH /v1/stages/{}/user-metadata", 1, 0),
        Arguments.of(new Lever.Describe(1, 3, MARK), "PATCH /v1/tasks/{}/user-metadata", 1, 3),
        Arguments.of(
            new Lever.AddStage(StageSpec.builder("resize").build()),
            "POST /v1/jobs/{}/stage",
            0,
            0),
        Arguments.of(
            new Lever.AddTasks(1, List.of(TaskSpec.of(INPUT))), "POST /v1/stages/{}/tasks", 1, 0),
        Arguments.of(new Lever.Delete(), "DELETE /v1/jobs/{}", 0, 0));
  }

  @ParameterizedTest
  @MethodSource("levers")
  void requestNamesWhatTheLeverActsOn(Lever lever, String request, int stage, int task) {
    String id = new EntityId(JOB, stage, task).toString();
    assertThat(LeverRequest.of(JOB, lever, null).request()).hasToString(request.replace("{}", id));
  }

  @Test
  void everyLeverIsARequestOrSaysThatItIsNone() {
    Set<String> tried = new TreeSet<>(List.of("hold"));
    levers().forEach(row -> tried.add(LeverJson.name((Lever) row.get()[0])));
    assertThat(tried).containsExactlyInAnyOrderElementsOf(LeverJson.names());
    assertThatThrownBy(() -> LeverRequest.of(JOB, new Lever.Hold(1), null))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage("the HTTP API has no \"hold\"; use it where the server runs");
  }

  @Test
  void whatTheApiCannotAddIsRefused() {
    StageSpec full = StageSpec.of("resize", List.of(TaskSpec.of("x")));
    assertThatThrownBy(() -> LeverRequest.of(JOB, new Lever.AddStage(full), null))
        .hasMessageContaining("without tasks");
    assertThatThrownBy(
            () -> LeverRequest.of(JOB, new Lever.AddTasks(1, List.of(TaskSpec.of("text"))), null))
        .hasMessageContaining("JSON object");
  }
}
