package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.EntryJson;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.store.JobView;
import dev.millrace.store.fs.JobFiles.At;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A job that is read again and again while it grows. */
class SnapshotTest {
  private final Rig rig = Rig.fresh();
  private final JobId id =
      rig.submit(Specs.with(Specs.attempts(9), Specs.job(Specs.stage("a", "1", "2", "3"))));
  private final AtomicInteger moves = new AtomicInteger();

  private Snapshot read(@Nullable Snapshot known) throws IOException {
    moves.set(0);
    At at = new At(rig.disk, Rig.PLACES.of(JobState.IN_PROGRESS, id));
    return Snapshot.read(id, at, JobState.IN_PROGRESS, _ -> moves.incrementAndGet(), known, null);
  }

  private static JobView view(Snapshot job) {
    return JobView.of(job.files().header(), job.fold());
  }

  @Test
  void onlyWhatItsLogHasGrownByIsFolded() throws IOException {
    rig.complete(rig.claim(1).getFirst());
    Snapshot before = read(null);
    JobView then = view(before);
    assertThat(read(before).log().entries()).isEqualTo(before.log().entries());
    assertThat(moves).as("nothing new").hasValue(0);
    rig.claim(1);
    Snapshot after = read(before);
    assertThat(moves).as("one claim").hasValue(1);
    assertThat(view(after)).isEqualTo(view(read(null)));
    assertThat(view(before)).as("the one before stays as it was read").isEqualTo(then);
  }

  @Test
  void aLogThatIsAnotherByNowIsFoldedAnew() throws IOException {
    rig.release(rig.claim(1).getFirst());
    Snapshot before = read(null);
    At at = before.at();
    Entry last = before.log().entries().getLast();
    rig.disk.truncate(
        at.file(EventLog.FILE),
        before.log().length() - Text.bytes(EntryJson.write(last) + "\n").length);
    Fact other = new Fact.Line(1, 1, "info", "long enough not to end at the same byte".repeat(9));
    EventLog.append(at, List.of(new Entry(last.number(), last.at(), other)), new Dirty());
    Snapshot after = read(before);
    assertThat(after.log().entries()).hasSameSizeAs(before.log().entries());
    assertThat(view(after)).isEqualTo(view(read(null))).isNotEqualTo(view(before));
  }

  @Test
  void aReaderThatFollowsSeesWhatANewOneSees() {
    FsReader follower = new FsReader(rig.disk, Rig.PLACES);
    Runnable compare =
        () -> {
          FsReader fresh = new FsReader(rig.disk, Rig.PLACES);
          assertThat(follower.find(id)).isEqualTo(fresh.find(id));
          assertThat(follower.tasks(id, 1, 1, 9)).isEqualTo(fresh.tasks(id, 1, 1, 9));
          assertThat(follower.events(id, 0, 99)).isEqualTo(fresh.events(id, 0, 99));
          assertThat(follower.events(id, 2, 3)).isEqualTo(fresh.events(id, 2, 3));
          assertThat(follower.events(id, 1_000, 3)).isEmpty();
        };
    rig.observe(compare);
    compare.run();
    rig.complete(rig.claim(1).getFirst());
    rig.claim(1);
    rig.pause(id);
    rig.resume(id);
    rig.release(rig.claims.getLast());
    rig.claim(2).forEach(rig::complete);
    assertThat(follower.state(id)).contains(JobState.COMPLETED);
  }
}
