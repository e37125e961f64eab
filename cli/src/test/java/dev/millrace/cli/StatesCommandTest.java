package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.task.TaskTransitions;
import dev.millrace.engine.internal.pipe.PipeTransitionTable;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class StatesCommandTest {
  private static InProcessCli.Result run(String... args) {
    return new InProcessCli(Path.of("").toAbsolutePath()).run(args);
  }

  @Test
  void everyRowOfEveryTableIsPrinted() {
    int rows =
        JobTransitions.TABLE.rows().size()
            + StageTransitions.TABLE.rows().size()
            + TaskTransitions.TABLE.rows().size()
            + PipeTransitionTable.SEQUENCE.rows().size();
    assertThat(run("states").lines()).hasSize(rows + 4 + 3);
    assertThat(run("states", "sequence").out()).containsPattern("HEAD +more tokens +EMBED");
    assertThat(run("states", "job").lines()).hasSize(JobTransitions.TABLE.rows().size() + 1);
    assertThat(run("states", "job").out())
        .containsPattern("pause +U +CREATED, PENDING, IN_PROGRESS +PAUSED");
  }

  @Test
  void mermaidIsRenderedFromTheTables() {
    assertThat(run("states", "task", "--mermaid").out())
        .isEqualTo(TaskTransitions.TABLE.toMermaid());
    assertThat(run("states", "--mermaid").out())
        .contains(StageTransitions.TABLE.toMermaid())
        .contains(PipeTransitionTable.SEQUENCE.toMermaid());
  }

  @Test
  void jsonIsOneObjectForEachTable() {
    assertThat(run("states", "--json").lines())
        .extracting(line -> Json.object(line).get("entity"))
        .containsExactly("job", "stage", "task", "sequence");
  }

  @Test
  void unknownStateMachinesAreRejected() {
    assertThat(run("states", "coffee").err())
        .contains("no state machine \"coffee\"; known: job, stage, task, sequence");
    assertThat(run("states", "job", "stage").status()).isEqualTo(2);
    assertThat(run("states", "--mermaid", "--json").status()).isEqualTo(2);
  }
}
