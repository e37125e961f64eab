package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.server.FakeTaskContext;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a task says that it only waits, so that a crash does not count against it. */
@Timeout(60)
class WaitingTaskTest {
  private static final String DATA = "{\"max_tokens\": 8, \"grammar\": \"root ::= [a-z ]+\"}";

  private static Inference inference;

  @BeforeAll
  static void open() {
    inference = Inference.open(TinyModels.serving(TinyModels.llama()));
  }

  @AfterAll
  static void close() {
    inference.close();
  }

  private static FakeTaskContext observed(FakeTaskContext task, List<String> steps) {
    task.onWait = () -> steps.add(task.frozen == null ? "waits without terms" : "waits");
    task.onBegin = () -> steps.add("begins");
    return task;
  }

  @Test
  void aTaskWaitsOnceItIsPreparedInEveryAttempt() throws Exception {
    List<String> steps = new ArrayList<>();
    FakeTaskContext first = observed(FakeTaskContext.generate("once", DATA), steps);
    TaskRunFixture.result(inference, first);
    assertThat(steps).startsWith("waits");
    assertThat(first.waits).isEqualTo(1);
    FakeTaskContext second = observed(first.again(3), steps);
    TaskRunFixture.result(inference, second);
    assertThat(second.waits).isEqualTo(1);
    assertThat(steps).doesNotContain("waits without terms");
  }

  @Test
  void aTaskWhoseConstraintCannotBeCompiledNeverWaits() throws Exception {
    FakeTaskContext task =
        FakeTaskContext.generate(
            "once", "{\"max_tokens\": 8, \"grammar\": \"root ::= [ab]* [a] [ab]{20}\"}");
    TaskRunFixture.failure(inference, task);
    assertThat(task.waits).isZero();
  }
}
