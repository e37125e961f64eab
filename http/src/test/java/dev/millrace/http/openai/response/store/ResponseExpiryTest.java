package dev.millrace.http.openai.response.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ResponseExpiryTest {
  private static final Duration KEEP = Duration.ofDays(30);

  private final StoredResponseFixture fixture = new StoredResponseFixture();
  private final ResponseExpiry expiry = new ResponseExpiry(fixture.store, KEEP, fixture.clock);

  @AfterEach
  void close() {
    expiry.close();
    fixture.close();
  }

  private StoredResponse ended() {
    StoredResponse response = fixture.submit("anna", false);
    fixture.complete(fixture.claim(response), "stop", "x");
    return response;
  }

  private boolean exists(JobId job) {
    return fixture.store.state(job).isPresent();
  }

  @Test
  void endedResponsesAreDeletedAfterTheirTimeAndOtherJobsStay() {
    StoredResponse old = ended();
    JobId other = fixture.store.submit(JobSpec.prompt("generate", "x"));
    fixture.complete(fixture.claim(other), "stop", "y");
    StoredResponse running = fixture.submit("anna", false);
    fixture.clock.advance(Duration.ofDays(1));
    StoredResponse young = ended();

    fixture.clock.advance(KEEP.minusDays(1).minusSeconds(1));
    assertThat(expiry.sweep()).isZero();
    fixture.clock.advance(Duration.ofSeconds(1));
    assertThat(expiry.sweep()).isEqualTo(1);
    assertThat(exists(old.job())).isFalse();
    assertThat(exists(other)).isTrue();
    assertThat(exists(running.job())).as("not ended").isTrue();
    assertThat(exists(young.job())).isTrue();
    fixture.clock.advance(Duration.ofDays(1));
    assertThat(expiry.sweep()).isEqualTo(1);
    assertThat(exists(young.job())).isFalse();
  }

  @Test
  void aSweepLooksAtABoundedNumberOfJobsAndTheNextContinues() {
    for (int i = 0; i < ResponseExpiry.MAX_JOBS; i++) {
      JobId other = fixture.store.submit(JobSpec.prompt("generate", "x"));
      fixture.complete(fixture.claim(other), "stop", "y");
    }
    fixture.clock.advance(Duration.ofMillis(1));
    StoredResponse last = ended();
    fixture.clock.advance(KEEP);
    assertThat(expiry.sweep()).isZero();
    assertThat(exists(last.job())).isTrue();
    assertThat(expiry.sweep()).isEqualTo(1);
    assertThat(exists(last.job())).isFalse();
  }

  @Test
  void aWallClockThatIsSetDeletesNothing() {
    StoredResponse response = ended();
    fixture.clock.jump(KEEP.multipliedBy(2));
    assertThat(expiry.sweep()).isZero();
    assertThat(exists(response.job())).isTrue();
  }
}
