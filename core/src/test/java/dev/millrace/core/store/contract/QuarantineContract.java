package dev.millrace.core.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.StatusCounts;
import dev.millrace.core.store.fixture.StoreFixture.Damage;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job that cannot be read is left alone; others run. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class QuarantineContract extends ContractCase {

  private JobId bad;
  private JobId good;
  private Damage damage;

  /** The first of two jobs is damaged while no store is open. */
  private void damageFirst() {
    bad = submit(ContractJobs.stage("a", "bad"));
    good = submit(ContractJobs.stage("a", "good"));
    store.close();
    damage = fixture().damage(bad);
    store = fixture().open(settings());
  }

  @Test
  void theStoreOpensAndOtherJobsRun() {
    damageFirst();
    assertThat(claim(10, "a")).extracting(Claim::job).containsExactly(good);
    assertNothingToClaim("a");
    assertThat(store.sweep()).isZero();
    assertThat(state(bad)).isEqualTo(JobState.PENDING);
    damage.repair();
  }

  @Test
  void aLeverOnItIsRefusedAndNamesIt() {
    damageFirst();
    for (int time = 0; time < 2; time++) {
      assertThatThrownBy(() -> store.abort(bad, ANNA))
          .isInstanceOf(JobException.class)
          .hasMessageContaining(bad.value())
          .hasMessageNotContaining("\n");
    }
    damage.repair();
  }

  @Test
  void itIsCountedAsUnreadable() {
    damageFirst();
    while (!store.statusCounts().complete()) {
      Thread.onSpinWait();
    }
    assertThatThrownBy(() -> store.abort(bad, ANNA)).isInstanceOf(JobException.class);
    StatusCounts counts = store.statusCounts();
    assertThat(counts.unreadable()).isEqualTo(1);
    assertThat(counts.jobs()).containsEntry(JobState.PENDING, 2L);
    damage.repair();
  }

  @Test
  void onceRepairedItRuns() {
    damageFirst();
    assertThat(claim(10, "a")).extracting(Claim::job).containsExactly(good);
    damage.repair();
    clock.advance(Duration.ofMinutes(10));
    store.sweep();
    assertThat(claim(10, "a")).extracting(Claim::job).containsExactly(bad);
  }

  @Test
  void anEndedOneCanBeDeleted() {
    bad = submit(ContractJobs.stage("a", "bad"));
    store.abort(bad, ANNA);
    store.close();
    damage = fixture().damage(bad);
    store = fixture().open(settings());
    assertThat(store.delete(bad).isDone()).isTrue();
    assertThat(store.state(bad)).isEmpty();
  }
}
