package dev.millrace.http.openai.response.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.infer.parameters.TaskCheck;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which responses come before the work of the queue, and how that survives a restart. */
class ResponsePriorityTest {
  private final StoredResponseFixture fixture = new StoredResponseFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void theJobItselfSaysThatSomeoneWaitsForIt() {
    JobSpec usual = fixture.store.spec(fixture.submit("anna", false).job()).orElseThrow();
    JsonObject data = usual.stages().getFirst().data();
    assertThat(data.get("interactive")).isEqualTo(true);
    assertThat(usual.priority()).isEqualTo(Priority.VERY_HIGH);
    Object input = usual.stages().getFirst().tasks().getFirst().input();
    assertThat(new TaskCheck().problem(ResponseStore.TYPE, data, input)).isNull();

    JobSpec flex = fixture.store.spec(fixture.submit("anna", false, true).job()).orElseThrow();
    assertThat(flex.stages().getFirst().data().has("interactive")).isFalse();
    assertThat(flex.priority()).isEqualTo(Priority.MEDIUM);
  }

  private List<JobId> startedAgain() {
    List<JobId> started = new ArrayList<>();
    new UnendedResponses(fixture.store).startAll(started::add);
    return started;
  }

  @Test
  void theNextServerStartsWhatHasNotEnded() {
    StoredResponse running = fixture.submit("anna", false);
    fixture.claim(running);
    StoredResponse waiting = fixture.submit("bert", true);
    StoredResponse ended = fixture.submit("anna", false);
    fixture.complete(fixture.claim(ended), "stop", "x");
    StoredResponse cancelled = fixture.submit("anna", false);
    fixture.responses.cancel(cancelled);
    fixture.submit("anna", false, true);
    fixture.store.submit(JobSpec.prompt("generate", "x"));
    assertThat(startedAgain()).containsExactly(running.job(), waiting.job());
  }

  @Test
  void theyAreReadPageByPage() {
    List<JobId> all = new ArrayList<>();
    for (int i = 0; i <= UnendedResponses.PAGE; i++) {
      all.add(fixture.submit("anna", false).job());
    }
    assertThat(startedAgain()).isEqualTo(all);
  }
}
