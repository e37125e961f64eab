package dev.millrace.http.openai.response.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ResponseExpiryTest {
  private static final Duration KEEP = Duration.ofDays(30);

  private final StoredResponseFixture fixture = new StoredResponseFixture();
  private final List<Query> asked = new ArrayList<>();
  private final AtomicInteger found = new AtomicInteger();
  private final JobStore watched =
      (JobStore)
          Proxy.newProxyInstance(
              JobStore.class.getClassLoader(), new Class<?>[] {JobStore.class}, this::call);
  private final ResponseExpiry expiry =
      new ResponseExpiry(watched, fixture.responses, KEEP, fixture.clock);

  private Object call(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("list")) {
      asked.add((Query) arguments[0]);
    } else if (method.getName().equals("find")) {
      found.incrementAndGet();
    }
    return method.invoke(fixture.store, arguments);
  }

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
  void responsesAreDeletedAfterTheirTimeAndOtherJobsStay() {
    StoredResponse old = ended();
    JobId other = fixture.store.submit(JobSpec.prompt("generate", "x"));
    fixture.complete(fixture.claim(other), "stop", "y");
    JobId namesake =
        fixture.store.submit(
            JobSpec.builder()
                .tags(List.of(ResponseStore.TAG))
                .stages(List.of(StageSpec.builder("generate").tasks(List.of()).build()))
                .build());
    fixture.clock.advance(Duration.ofDays(1));
    StoredResponse young = ended();

    fixture.clock.advance(KEEP.minusDays(1).minusSeconds(1));
    assertThat(expiry.sweep()).isZero();
    fixture.clock.advance(Duration.ofSeconds(1));
    assertThat(expiry.sweep()).isEqualTo(1);
    assertThat(exists(old.job())).isFalse();
    assertThat(exists(young.job())).isTrue();
    fixture.clock.advance(Duration.ofDays(1));
    assertThat(expiry.sweep()).isEqualTo(1);
    assertThat(exists(young.job())).isFalse();
    assertThat(exists(other)).isTrue();
    assertThat(exists(namesake)).as("a user's own job with the same tag").isTrue();
  }

  @Test
  void responsesThatNeverEndAreCancelledAndDeleted() {
    StoredResponse waiting = fixture.submit("anna", true);
    StoredResponse paused = fixture.submit("anna", true);
    fixture.store.pause(paused.job(), Cause.user("anna", null));
    StoredResponse running = fixture.submit("anna", true);
    Claim claim = fixture.claim(running);
    fixture.clock.advance(KEEP.minusSeconds(1));
    assertThat(expiry.sweep()).isZero();
    fixture.clock.advance(Duration.ofSeconds(1));
    assertThat(expiry.sweep()).isEqualTo(3);
    assertThat(List.of(waiting, paused, running)).noneMatch(response -> exists(response.job()));
    assertThat(fixture.store.heartbeat(claim, false).isPresent()).as("still claimed").isFalse();
  }

  @Test
  void oneSweepDeletesAllHoweverManyAndReadsNoOtherJob() {
    int many = ResponseExpiry.PAGE + 1;
    for (int i = 0; i < many; i++) {
      JobId other = fixture.store.submit(JobSpec.prompt("generate", "x"));
      fixture.store.abort(other, Cause.SYSTEM);
      fixture.store.abort(fixture.submit("anna", false).job(), Cause.SYSTEM);
    }
    fixture.clock.advance(KEEP);
    assertThat(expiry.sweep()).isEqualTo(many);
    assertThat(fixture.store.counts()).isEqualTo(Map.of(JobState.ABORTED, many));
    assertThat(found.get()).isEqualTo(many);
  }

  @Test
  void jobsThatWereLookedAtAreNotLookedAtAgain() {
    JobId other = fixture.store.submit(JobSpec.prompt("generate", "x"));
    fixture.clock.advance(KEEP.plusSeconds(1));
    expiry.sweep();
    asked.clear();
    fixture.clock.advance(Duration.ofSeconds(1));
    StoredResponse late = fixture.submit("anna", false);
    fixture.clock.advance(KEEP);
    assertThat(expiry.sweep()).isEqualTo(1);
    assertThat(exists(late.job())).isFalse();
    assertThat(asked).isNotEmpty();
    assertThat(asked).allSatisfy(query -> assertThat(query.beyond()).isGreaterThan(other));
  }

  @Test
  void aWallClockThatIsSetDeletesNothing() {
    StoredResponse response = ended();
    fixture.clock.jump(KEEP.multipliedBy(2));
    assertThat(expiry.sweep()).isZero();
    assertThat(exists(response.job())).isTrue();
  }
}
