package dev.millrace.http.openai.response.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.http.job.JobSignals;
import dev.millrace.http.job.JobSignals.Watch;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JobSignalsTest {
  private final StoredResponseFixture fixture = new StoredResponseFixture();
  private final JobSignals signals = new JobSignals(fixture.store);
  private final StoredResponse response = fixture.submit("anna", true);
  private final Watch watch = signals.watch(response.job());

  @AfterEach
  void close() {
    watch.close();
    signals.close();
    fixture.close();
  }

  private boolean isWoken() throws InterruptedException {
    return watch.await(Duration.ZERO);
  }

  @Test
  void aClaimWakesAndHeartbeatsDoNot() throws Exception {
    assertThat(isWoken()).isFalse();
    Claim claim = fixture.claim(response);
    assertThat(isWoken()).as("it has started").isTrue();
    fixture.store.heartbeat(claim, true);
    fixture.store.appendJournal(claim, OutputChunk.WAITING);
    fixture.store.appendJournal(claim, OutputChunk.EMPTY);
    fixture.claim(fixture.submit("anna", true));
    assertThat(isWoken()).isFalse();
    fixture.journal(claim, "x");
    assertThat(isWoken()).as("it has more text").isTrue();
    assertThat(isWoken()).isFalse();
  }

  /** How a response changes without a worker's text. */
  enum Change {
    COMPLETED(it -> it.fixture.complete(it.fixture.claim(it.response), "stop", "x")),
    RELEASED(it -> it.fixture.store.release(it.fixture.claim(it.response), "stopping")),
    PAUSED(it -> it.fixture.store.pause(it.response.job(), Cause.SYSTEM)),
    CANCELLED(it -> it.fixture.responses.cancel(it.response)),
    DELETED(it -> it.fixture.responses.delete(it.response));

    private final Consumer<JobSignalsTest> change;

    Change(Consumer<JobSignalsTest> change) {
      this.change = change;
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyChangeOfStateWakes(Change change) throws Exception {
    change.change.accept(this);
    assertThat(isWoken()).isTrue();
  }
}
