package dev.millrace.core.store;

import static dev.millrace.core.store.Jobs.stage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.store.Reading.QueuePlace;
import org.junit.jupiter.api.Test;

/** Where a job stands in line. */
abstract class QueueContract extends ContractCase {

  private void assertPlace(JobId id, int ahead, int waiting) {
    QueuePlace place = store.queuePlace(id).orElseThrow();
    assertThat(place.ahead()).as("ahead of %s", id).isEqualTo(ahead);
    assertThat(place.waiting()).as("all that wait").isEqualTo(waiting);
  }

  @Test
  void jobsStandInClaimOrder() {
    JobId first = submit(stage("generate", "1"));
    clock.advance(SECOND);
    JobId second = submit(stage("embed", "2"));
    clock.advance(SECOND);
    JobId urgent = store.submit(Jobs.priority(Priority.VERY_HIGH, Jobs.job(stage("a", "3"))));
    assertPlace(urgent, 0, 3);
    assertPlace(first, 1, 3);
    assertPlace(second, 2, 3);
    assertThat(store.queuePlace(first).orElseThrow().eta()).as("nothing was measured").isNull();

    assertThat(claimOne("a", "generate", "embed").job()).isEqualTo(urgent);
    assertThat(store.queuePlace(urgent)).as("it has begun").isEmpty();
    assertPlace(first, 0, 2);
    crash();
    assertPlace(second, 2, 3); // behind the one that a crash put back
  }

  @Test
  void aBatchThatHasMoreToClaimStillStandsAhead() {
    JobId batch = submit(Jobs.tasks("a", 2));
    clock.advance(SECOND);
    JobId next = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    assertThat(store.queuePlace(batch)).isEmpty();
    assertPlace(next, 1, 2);
    claimOne("a");
    assertPlace(next, 0, 1);
    store.release(claim, "x");
    assertPlace(next, 1, 2);
  }

  @Test
  void whatDoesNotWaitHasNoPlace() {
    assertThat(store.queuePlace(new JobId("1_2_3"))).isEmpty();
    JobId held = store.submit(Jobs.held(Jobs.job(stage("a", "x"))));
    JobId gated = submit(Jobs.gate(stage("a", "x")));
    JobId paused = submit(stage("a", "x"));
    store.pause(paused, ANNA);
    JobId done = submit(stage("b", "x"));
    workOff("b");
    JobId waits = submit(stage("a", "y"));
    for (JobId id : new JobId[] {held, gated, paused, done}) {
      assertThat(store.queuePlace(id)).as("%s", id).isEmpty();
    }
    assertPlace(waits, 0, 1);
    store.resume(paused, ANNA);
    assertPlace(waits, 1, 2);
    assertPlace(paused, 0, 2);
  }
}
