package dev.millrace.http.webhook;

import static dev.millrace.http.webhook.WebhookFixture.hook;
import static dev.millrace.http.webhook.WebhookFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.task.TaskResult;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Stages that wait for a person: at a gate, or held. */
class WaitingStageWebhooksTest {
  private final WebhookFixture fixture = new WebhookFixture();
  private FakeWebhookReceiver receiver;

  @BeforeEach
  void open() throws IOException {
    receiver = new FakeWebhookReceiver(FakeWebhookReceiver.status(204));
  }

  @AfterEach
  void close() throws IOException {
    fixture.close();
    receiver.close();
  }

  @Test
  void gateAtTheStartAndAbortAreSent() {
    StageSpec gate = StageSpec.builder("work").gate(true).tasks(List.of(TaskSpec.of("y"))).build();
    fixture.open();
    JobId id = fixture.submit(List.of(gate), hook(receiver.url()));
    until("the gate is sent", () -> receiver.requests.size() == 1);
    fixture.store.abort(id, Cause.user("u", null));
    until("the note is deleted", () -> !fixture.hasNote(id));
    assertThat(receiver.types()).containsExactly("stage.waiting", "job.aborted");
  }

  /** Not a gate: the stage is held long after its turn came. */
  @Test
  void stageThatIsHeldLateIsSentOnce() {
    StageSpec two = StageSpec.of("work", List.of(TaskSpec.of("a"), TaskSpec.of("b")));
    JobId id =
        fixture.submit(
            List.of(StageSpec.of("work", List.of(TaskSpec.of("x"))), two), hook(receiver.url()));
    fixture.complete();
    Claim claim = fixture.claim();
    for (int i = 0; i < 1_100; i++) {
      fixture.store.log(claim, "info", "line " + i);
    }
    fixture.store.hold(id, 2, Cause.user("u", null));
    fixture.open();
    until("the hold is sent", () -> receiver.requests.size() == 1);
    fixture.store.complete(claim, TaskResult.of("a"));
    fixture.store.abort(id, Cause.user("u", null));
    until("the note is deleted", () -> !fixture.hasNote(id));
    assertThat(receiver.types()).containsExactly("stage.waiting", "job.aborted");
  }

  @Test
  void stageHeldBeforeItsTurnIsSentWhenItsTurnComes() {
    StageSpec one = StageSpec.of("work", List.of(TaskSpec.of("x")));
    JobId id = fixture.submit(List.of(one, one), hook(receiver.url()));
    fixture.store.hold(id, 2, Cause.user("u", null));
    fixture.complete();
    fixture.store.approve(id, 2, Cause.user("u", null));
    fixture.store.hold(id, 2, Cause.user("u", null));
    fixture.open();
    until("both are sent", () -> receiver.requests.size() == 2);
    assertThat(receiver.types()).containsExactly("stage.waiting", "stage.waiting");
    fixture.store.approve(id, 2, Cause.user("u", null));
    fixture.complete();
    until("the note is deleted", () -> !fixture.hasNote(id));
    assertThat(receiver.types()).hasSize(3).endsWith("job.completed");
  }

  /** Gates of a retry that stay approved wait for no one; a gate behind them does. */
  @Test
  void adoptedApprovalIsNotSent() {
    StageSpec one = StageSpec.of("work", List.of(TaskSpec.of("x")));
    StageSpec gate = one.toBuilder().gate(true).build();
    StageSpec last = gate.toBuilder().tasks(List.of(TaskSpec.of("y"), TaskSpec.of("z"))).build();
    JobId id = fixture.submit(List.of(gate, last, gate), hook(receiver.url()));
    for (int stage = 1; stage <= 2; stage++) {
      fixture.store.approve(id, stage, Cause.user("u", null));
      fixture.complete();
    }
    fixture.fail();
    JobId again = Objects.requireNonNull(fixture.store.retry(RetryRequest.of(id)).id());
    fixture.store.delete(id);
    fixture.open();
    fixture.complete();
    until("the last gate is sent", () -> receiver.requests.size() == 1);
    assertThat(receiver.requests.getFirst().json().object("stage").integer("order")).isEqualTo(3);
    fixture.store.abort(again, Cause.user("u", null));
    until("the note is deleted", () -> !fixture.hasNote(again));
    assertThat(receiver.types()).containsExactly("stage.waiting", "job.aborted");
  }
}
