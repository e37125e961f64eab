package dev.millrace.core.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which watchers are notified, and when. */
class ChangeNotifierTest {
  @Test
  void aChangeThatNoOneWaitsForIsNotifiedOnceItIsDurable() {
    AtomicLong durable = new AtomicLong(6);
    ChangeNotifier notifier = new ChangeNotifier(durable::get);
    List<String> told = new ArrayList<>();
    notifier.onLever(id -> told.add("stopped " + id));
    notifier.onChange(id -> told.add("changed " + id));
    JobId id = new JobId("1_2_3");
    StepBatch batch = new StepBatch();
    batch.addCommit(7);
    batch.stopped().add(id);
    batch.changed().add(id);
    notifier.notifyLater(batch);
    notifier.notifyIfDurable();
    assertThat(told).isEmpty();
    durable.set(7);
    notifier.notifyIfDurable();
    notifier.notifyIfDurable();
    assertThat(told).containsExactly("stopped " + id, "changed " + id);
  }
}
