package dev.millrace.store.fs.internal.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.NoteStore;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.Cut;
import dev.millrace.store.fs.internal.disk.SimDisk.Stopped;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.VisibleState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Notes at every operation of the disk: complete or absent, and what was acknowledged stays. */
class NoteFilesCrashTest {
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());
  private static final String SHELF = "keys";
  private static final JobId CHOSEN = JobId.of(1_767_225_600_000_000L, 77, 1);

  /** Stops {@code act} at each of its operations and checks what each kind of end leaves. */
  private static void everywhere(
      Consumer<SimulatedStore> before,
      Consumer<SimulatedStore> act,
      BiConsumer<SimulatedStore, String> check) {
    SimulatedStore whole = SimulatedStore.fresh();
    before.accept(whole);
    int first = whole.disk.operations() + 1;
    act.accept(whole);
    for (int n = first; n <= whole.disk.operations() + 1; n++) {
      for (Cut cut : List.of(Cut.BEFORE, Cut.MIDDLE)) {
        SimulatedStore rig = SimulatedStore.fresh();
        before.accept(rig);
        rig.disk.stopAt(n, cut);
        try {
          act.accept(rig);
        } catch (Stopped e) {
          // expected
        }
        String where = "stopped " + cut + " " + n + ", seed " + SEED;
        List<SimDisk> found = new ArrayList<>(List.of(rig.disk.afterKill()));
        for (Loss loss : Loss.values()) {
          found.add(rig.disk.afterPowerLoss(loss, new SplittableRandom(SEED + n)));
        }
        for (SimDisk disk : found) {
          check.accept(new SimulatedStore(disk, rig.clock.instant(), 8), where);
        }
      }
    }
  }

  @Test
  void afterACrashANoteIsTheOldOneOrTheNewOne() {
    String old = "old ".repeat(100);
    String fresh = "new ".repeat(200);
    List<String> told = new ArrayList<>();
    everywhere(
        rig -> {
          told.clear();
          told.add(old);
          rig.store.writeNote(SHELF, "name", old);
        },
        rig -> {
          told.add(fresh);
          rig.store.writeNote(SHELF, "name", fresh);
          told.removeFirst();
        },
        (rig, where) -> {
          assertThat(rig.store.readNote(SHELF, "name").orElse("gone")).as(where).isIn(told);
          assertThat(rig.store.noteNames(SHELF)).as(where).containsExactly("name");
          rig.store.writeNote(SHELF, "name", "last");
          SimDisk lost = rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(SEED));
          assertThat(new SimulatedStore(lost, rig.clock.instant(), 9).store.readNote(SHELF, "name"))
              .as(where)
              .contains("last");
        });
  }

  @Test
  void everyVisibleJobHasTheNoteThatWasWrittenAheadOfIt() {
    JobId next = JobId.of(1_767_225_600_000_000L, 77, 2);
    List<JobId> acknowledged = new ArrayList<>();
    everywhere(
        _ -> acknowledged.clear(),
        rig -> {
          for (JobId id : List.of(CHOSEN, next)) {
            rig.store.writeNoteAhead(SHELF, id.value(), null, "made " + id);
            rig.store.submit(TestJobSpecs.plain("x"), id);
            acknowledged.add(id);
          }
        },
        (rig, where) -> {
          for (JobId id : List.of(CHOSEN, next)) {
            if (rig.store.state(id).isPresent()) {
              assertThat(rig.store.readNote(SHELF, id.value())).as(where).contains("made " + id);
            }
          }
          for (JobId id : acknowledged) {
            assertThat(rig.store.state(id)).as("%s, %s", id, where).isPresent();
          }
        });
  }

  @Test
  void aNoteWrittenAheadTakesNoSyncOfItsOwn() {
    SimulatedStore rig = SimulatedStore.fresh();
    rig.store.writeNoteAhead(SHELF, "first", null, "x"); // its directories are new, and synced once
    int before = rig.disk.operations();
    rig.store.writeNoteAhead(SHELF, "second", null, "x");
    for (int n = before + 1; n <= rig.disk.operations(); n++) {
      assertThat(rig.disk.operation(n).what().syncs())
          .as(rig.disk.operation(n).toString())
          .isFalse();
    }
    assertThat(rig.store.readNote(SHELF, "second")).contains("x");
  }

  @Test
  void everyVisibleJobWithWebhooksHasItsNote() {
    everywhere(
        rig -> {},
        rig -> {
          rig.submit(TestJobSpecs.hooked(TestJobSpecs.plain("x")));
          rig.store.submit(
              TestJobSpecs.hooked(TestJobSpecs.job(TestJobSpecs.stage("a", "1"))), CHOSEN);
        },
        (rig, where) -> {
          for (JobId id : VisibleState.of(rig.store).jobs().keySet()) {
            assertThat(rig.store.readNote(NoteStore.WEBHOOKS, id.value()))
                .as("%s, %s", id, where)
                .contains("{\"after\":0}");
          }
          boolean known = rig.store.state(CHOSEN).isPresent();
          assertThat(rig.store.submit(TestJobSpecs.hooked(TestJobSpecs.plain("again")), CHOSEN))
              .as(where)
              .isEqualTo(!known);
          SimDisk lost = rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(SEED));
          SimulatedStore after = new SimulatedStore(lost, rig.clock.instant(), 9);
          assertThat(after.store.state(CHOSEN)).as(where).isPresent();
          assertThat(after.store.readNote(NoteStore.WEBHOOKS, CHOSEN.value()))
              .as(where)
              .isPresent();
        });
  }

  @Test
  void aRepeatedSubmissionKeepsAnAdvancedNote() {
    SimulatedStore rig = SimulatedStore.fresh();
    rig.store.submit(TestJobSpecs.hooked(TestJobSpecs.plain("x")), CHOSEN);
    rig.store.writeNote(NoteStore.WEBHOOKS, CHOSEN.value(), "{\"after\":7}");
    assertThat(rig.store.submit(TestJobSpecs.hooked(TestJobSpecs.plain("x")), CHOSEN)).isFalse();
    assertThat(rig.store.readNote(NoteStore.WEBHOOKS, CHOSEN.value())).contains("{\"after\":7}");
  }

  @Test
  void namesCannotLeaveTheCollection() throws IOException {
    SimulatedStore rig = SimulatedStore.fresh();
    for (String name : List.of("", "..", "a/b", "A", "x.tmp", "y".repeat(129))) {
      assertThatThrownBy(() -> rig.store.writeNote(SHELF, name, "x"))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> rig.store.readNote(name, "x"))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(rig.disk.kind(SimulatedStore.PLACES.internalPath("notes")))
        .isEqualTo(Disk.Kind.NOTHING);
  }
}
