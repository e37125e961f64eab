package dev.millrace.cli.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.move.JobMover;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.MoveListener;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A move is killed before and after each of its steps, and repeated. */
@Tag("slow")
class MoveCrashTest {
  @TempDir Path dir;

  /** Whether the move came to its end. */
  private static boolean run(MoveSide from, MoveSide to, int crashAt, boolean delete) {
    CrashingStore.Steps steps = new CrashingStore.Steps(crashAt);
    try (MovableStore source = from.asSource();
        MovableStore target = to.asTarget()) {
      new JobMover(
              new CrashingStore(source, steps), new CrashingStore(target, steps), MoveListener.NONE)
          .run(delete);
      return true;
    } catch (CrashingStore.Crash e) {
      return false;
    }
  }

  @ParameterizedTest
  @CsvSource({"fs,pg", "pg,fs", "pg,pg"})
  void noCrashLosesOrDoublesAJob(String one, String other) {
    MoveSide from = side(one, "from");
    MoveSide to = side(other, "to");
    Map<JobId, ReadJob> before = new LinkedHashMap<>();
    boolean done = false;
    for (int crashAt = 0; !done; crashAt++) {
      JobId id;
      try (JobStore store = from.serve()) {
        id = store.submit(JobSpec.prompt("generate", "job of crash " + crashAt));
        store.pause(id, Cause.user(null, null));
      }
      before.put(id, ReadJob.of(from.reader(), id));
      done = run(from, to, crashAt, true);
      assertOneOfEach(from, to, before.keySet());
    }
    assertThat(ReadJob.all(to.reader())).isEqualTo(before);
    assertThat(taken(from)).isEmpty();
    try (MovableStore target = to.asTarget();
        MovableStore source = from.asSource()) {
      assertThat(target.arrivedFrom(source.identity())).isEmpty();
    }
    from.close();
    to.close();
  }

  private MoveSide side(String kind, String name) {
    return kind.equals("fs")
        ? MoveSide.workspace(dir.resolve(name))
        : MoveSide.database(MoveDatabase.newUrl());
  }

  private static Set<JobId> taken(MoveSide side) {
    Set<JobId> taken = new HashSet<>();
    try (MovableStore store = side.asSource()) {
      store.forEachTakenOut(job -> taken.add(job.id()));
    }
    return taken;
  }

  private static void assertOneOfEach(MoveSide from, MoveSide to, Set<JobId> jobs) {
    Set<JobId> there = new HashSet<>(to.reader().list(Query.all()));
    Set<JobId> here = new HashSet<>(from.reader().list(Query.all()));
    assertThat(Collections.disjoint(there, here)).as("in both").isTrue();
    Set<JobId> others = new HashSet<>(jobs);
    others.removeAll(there);
    others.removeAll(here);
    if (!others.isEmpty()) {
      assertThat(taken(from)).containsAll(others);
    }
  }
}
