package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader.QueuePosition;
import dev.millrace.core.store.stats.QueueHead;
import dev.millrace.core.store.stats.QueueHead.QueuedJob;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A job's position in the queue. */
abstract class QueuePositionContract extends ContractCase {

  private void assertPlace(JobId id, int ahead, int waiting) {
    QueuePosition place = store.queuePosition(id).orElseThrow();
    assertThat(place.ahead()).as("ahead of %s", id).isEqualTo(ahead);
    assertThat(place.waiting()).as("all that wait").isEqualTo(waiting);
  }

  @Test
  void positionsFollowTheClaimOrder() {
    JobId first = submit(stage("generate", "1"));
    clock.advance(SECOND);
    JobId second = submit(stage("embed", "2"));
    clock.advance(SECOND);
    JobId urgent =
        store.submit(ContractJobs.priority(Priority.VERY_HIGH, ContractJobs.job(stage("a", "3"))));
    assertPlace(urgent, 0, 3);
    assertPlace(first, 1, 3);
    assertPlace(second, 2, 3);
    assertThat(store.queuePosition(first).orElseThrow().eta()).as("nothing was measured").isNull();

    assertThat(claimOne("a", "generate", "embed").job()).isEqualTo(urgent);
    assertThat(store.queuePosition(urgent)).as("it has begun").isEmpty();
    assertPlace(first, 0, 2);
    crash();
    assertPlace(second, 2, 3); // after the job that a crash enqueued again
  }

  @Test
  void theHeadOfTheQueueIsInClaimOrder() {
    assertThat(store.queueHead(10)).isEqualTo(new QueueHead(List.of(), 0));
    JobId first = submit(ContractJobs.tasks("generate", 2));
    clock.advance(SECOND);
    JobId second = submit(stage("embed", "2"));
    clock.advance(SECOND);
    JobId urgent =
        store.submit(ContractJobs.priority(Priority.VERY_HIGH, ContractJobs.job(stage("a", "3"))));
    QueueHead head = store.queueHead(2);
    assertThat(head.waiting()).isEqualTo(3);
    assertThat(head.first()).extracting(QueuedJob::id).containsExactly(urgent, first);
    assertThat(head.first()).extracting(QueuedJob::type).containsExactly("a", "generate");
    assertThat(head.first())
        .extracting(QueuedJob::priority)
        .containsExactly(Priority.VERY_HIGH, Priority.MEDIUM);
    assertThat(head.first().getLast().createdAt())
        .isEqualTo(store.find(first).orElseThrow().createdAt());

    claimOne("a");
    claimOne("generate");
    assertThat(store.queueHead(9).first())
        .as("one task of the first still waits")
        .extracting(QueuedJob::id)
        .containsExactly(first, second);
  }

  @Test
  void aStartedBatchWithMoreToClaimIsStillAhead() {
    JobId batch = submit(ContractJobs.tasks("a", 2));
    clock.advance(SECOND);
    JobId next = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    assertThat(store.queuePosition(batch)).isEmpty();
    assertPlace(next, 1, 2);
    claimOne("a");
    assertPlace(next, 0, 1);
    store.release(claim, "x");
    assertPlace(next, 1, 2);
  }

  @Test
  void aJobThatDoesNotWaitHasNoPosition() {
    assertThat(store.queuePosition(new JobId("1_2_3"))).isEmpty();
    JobId held = store.submit(ContractJobs.held(ContractJobs.job(stage("a", "x"))));
    JobId gated = submit(ContractJobs.gate(stage("a", "x")));
    JobId paused = submit(stage("a", "x"));
    store.pause(paused, ANNA);
    JobId done = submit(stage("b", "x"));
    workOff("b");
    JobId waits = submit(stage("a", "y"));
    for (JobId id : new JobId[] {held, gated, paused, done}) {
      assertThat(store.queuePosition(id)).as("%s", id).isEmpty();
    }
    assertPlace(waits, 0, 1);
    store.resume(paused, ANNA);
    assertPlace(waits, 1, 2);
    assertPlace(paused, 0, 2);
  }
}
