package dev.millrace.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every lever has a name, and is read back as it was written. */
class LeverJsonTest {
  private static final List<TaskSpec> TASKS = List.of(TaskSpec.of("one"), TaskSpec.of("two"));
  private static final List<Lever> ALL =
      List.of(
          new Lever.Pause(),
          new Lever.Resume(),
          new Lever.Abort(),
          new Lever.Approve(2),
          new Lever.Hold(3),
          new Lever.Prioritize(Priority.HIGH),
          new Lever.Describe(1, 2, JsonObject.create().put("a", 1)),
          new Lever.AddStage(StageSpec.of("generate", TASKS)),
          new Lever.AddTasks(4, TASKS),
          new Lever.Delete());

  @Test
  void everyKindOfLeverIsInTheTable() {
    assertThat(ALL)
        .extracting(Object::getClass)
        .containsExactlyInAnyOrderElementsOf(Arrays.asList(Lever.class.getPermittedSubclasses()));
    assertThat(ALL).extracting(LeverJson::name).containsExactlyElementsOf(LeverJson.names());
  }

  @Test
  void aLeverIsReadBackAsItWasWritten() {
    for (Lever lever : ALL) {
      String text = Json.write(LeverJson.parameters(lever));
      assertThat(LeverJson.read(LeverJson.name(lever), Json.object(text)))
          .isInstanceOf(lever.getClass())
          .extracting(read -> Json.write(LeverJson.parameters(read)))
          .isEqualTo(text);
    }
  }

  @Test
  void anUnknownLeverIsNamed() {
    assertThatThrownBy(() -> LeverJson.read("explode", JsonObject.create()))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("explode");
  }

  @Test
  void aParameterThatBreaksARuleIsRefused() {
    JsonObject urgent = JsonObject.create().put("priority", "URGENT");
    assertThatThrownBy(() -> LeverJson.read("prioritize", urgent))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
