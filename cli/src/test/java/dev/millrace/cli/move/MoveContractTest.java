package dev.millrace.cli.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.move.JobMover;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.MoveListener;
import dev.millrace.core.move.MoveReport;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a move keeps, whatever the two stores are. */
@Tag("slow")
class MoveContractTest {
  @TempDir Path dir;

  private MoveSide side(String kind, String name) {
    return kind.equals("fs")
        ? MoveSide.workspace(dir.resolve(name))
        : MoveSide.database(MoveDatabase.newUrl());
  }

  static MoveReport move(MoveSide from, MoveSide to, boolean delete) {
    try (MovableStore source = from.asSource();
        MovableStore target = to.asTarget()) {
      return new JobMover(source, target, MoveListener.NONE).run(delete);
    }
  }

  @ParameterizedTest
  @CsvSource({"fs,fs", "fs,pg", "pg,fs", "pg,pg"})
  void everyJobIsThereAsItWas(String one, String other) {
    MoveSide from = side(one, "from");
    MoveSide to = side(other, "to");
    Map<String, JobId> ids;
    Claim running;
    try (JobStore store = from.serve()) {
      ids = JobShapes.submitAll(store);
      running = store.findClaim(ids.get(JobShapes.RUNNING), 1, 1).orElseThrow();
      store.writeNote("keys", "a1", "{\"job\":\"x\"}");
    }
    Map<JobId, ReadJob> before = ReadJob.all(from.reader());
    Map<JobState, Integer> counts = from.reader().counts();

    MoveReport report = move(from, to, false);

    assertThat(report.left()).isEmpty();
    assertThat(report.moved()).isEqualTo(before.size());
    assertThat(from.reader().counts().values()).allMatch(count -> count == 0);
    assertThat(from.reader().list(Query.all())).isEmpty();
    Map<JobId, ReadJob> after = ReadJob.all(to.reader());
    assertSame(ids, before, after);
    assertThat(positive(to.reader().counts())).isEqualTo(positive(counts));
    generationResumes(to, ids, running);

    MoveReport back = move(to, from, true);
    assertThat(back.left()).isEmpty();
    assertThat(back.deleted()).isEqualTo(before.size());
    Map<JobId, ReadJob> returned = ReadJob.all(from.reader());
    assertThat(returned.keySet()).isEqualTo(before.keySet());
    before.keySet().stream()
        .filter(id -> !id.equals(ids.get(JobShapes.RUNNING)))
        .filter(id -> !id.equals(ids.get("released")))
        .forEach(id -> assertThat(returned.get(id)).isEqualTo(after.get(id)));
    from.close();
    to.close();
  }

  private static Map<JobState, Integer> positive(Map<JobState, Integer> counts) {
    Map<JobState, Integer> some = new LinkedHashMap<>(counts);
    some.values().removeIf(count -> count == 0);
    return some;
  }

  private static void assertSame(
      Map<String, JobId> ids, Map<JobId, ReadJob> before, Map<JobId, ReadJob> after) {
    assertThat(after.keySet()).isEqualTo(before.keySet());
    ids.forEach(
        (name, id) -> {
          ReadJob was = before.get(id);
          ReadJob is = after.get(id);
          if (name.equals(JobShapes.RUNNING)) {
            assertThat(is.tasks().getFirst().state()).isEqualTo(TaskState.RETRIED);
            assertThat(is.tasks().getFirst().attempts()).isZero();
            List<LogEntry> log = is.log();
            assertThat(log.subList(0, was.log().size())).isEqualTo(was.log());
          } else {
            assertThat(is.view()).as(name).isEqualTo(was.view());
            assertThat(is.log()).as(name).isEqualTo(was.log());
            assertThat(is.tasks()).as(name).isEqualTo(was.tasks());
          }
          assertThat(is.spec()).as(name).isEqualTo(was.spec());
          assertThat(is.partialOutput()).as(name).isEqualTo(was.partialOutput());
          assertThat(is.outputSoFar()).as(name).isEqualTo(was.outputSoFar());
        });
  }

  private static void generationResumes(MoveSide to, Map<String, JobId> ids, Claim late) {
    try (JobStore store = to.serve()) {
      assertThat(store.complete(late, TaskResult.of("late"))).isInstanceOf(Outcome.Fenced.class);
      assertThat(store.readNote("keys", "a1")).contains("{\"job\":\"x\"}");
      assertThat(store.readNote(NoteStore.WEBHOOKS, ids.get("waiting, with every field").value()))
          .contains("{\"after\":0}");
      Claim again =
          store
              .claim(new ClaimRequest(Set.of("generate"), 1, "w", null).ofJob(ids.get("released")))
              .getFirst();
      assertThat(again.journaledTokens()).containsExactly(1, 2, 3, 4);
      assertThat(again.journaledOutput().text()).isEqualTo("One däy 🌍, a");
      assertThat(again.frozenTerms()).isNotNull();
      assertThat(again.key().token().number()).isGreaterThan(late.key().token().number());
      store.release(again, "enough");
    }
  }
}
