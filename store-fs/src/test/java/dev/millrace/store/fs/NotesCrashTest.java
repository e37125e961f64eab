package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Notebook;
import dev.millrace.store.fs.SimDisk.Cut;
import dev.millrace.store.fs.SimDisk.Stopped;
import dev.millrace.store.fs.SimFiles.Loss;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Notes at every operation of the disk: whole or not there, and what was acknowledged stays. */
class NotesCrashTest {
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());
  private static final String SHELF = "keys";
  private static final JobId CHOSEN = JobId.of(1_767_225_600_000_000L, 77, 1);

  /** Stops {@code act} at each of its operations and looks at what each kind of end leaves. */
  private static void everywhere(
      Consumer<Rig> before, Consumer<Rig> act, BiConsumer<Rig, String> check) {
    Rig whole = Rig.fresh();
    before.accept(whole);
    int first = whole.disk.operations() + 1;
    act.accept(whole);
    for (int n = first; n <= whole.disk.operations() + 1; n++) {
      for (Cut cut : List.of(Cut.BEFORE, Cut.MIDDLE)) {
        Rig rig = Rig.fresh();
        before.accept(rig);
        rig.disk.stopAt(n, cut);
        try {
          act.accept(rig);
        } catch (Stopped e) {
          // as it should be
        }
        String where = "stopped " + cut + " " + n + ", seed " + SEED;
        List<SimDisk> found = new ArrayList<>(List.of(rig.disk.afterKill()));
        for (Loss loss : Loss.values()) {
          found.add(rig.disk.afterPowerLoss(loss, new SplittableRandom(SEED + n)));
        }
        for (SimDisk disk : found) {
          check.accept(new Rig(disk, rig.clock.instant(), 8), where);
        }
      }
    }
  }

  @Test
  void aNoteIsTheOldOneOrTheNewOne() {
    String old = "old ".repeat(100);
    String fresh = "new ".repeat(200);
    List<String> told = new ArrayList<>();
    everywhere(
        rig -> {
          told.clear();
          told.add(old);
          rig.store.keep(SHELF, "name", old);
        },
        rig -> {
          told.add(fresh);
          rig.store.keep(SHELF, "name", fresh);
          told.removeFirst();
        },
        (rig, where) -> {
          assertThat(rig.store.note(SHELF, "name").orElse("gone")).as(where).isIn(told);
          assertThat(rig.store.names(SHELF)).as(where).containsExactly("name");
          rig.store.keep(SHELF, "name", "last");
          SimDisk lost = rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(SEED));
          assertThat(new Rig(lost, rig.clock.instant(), 9).store.note(SHELF, "name"))
              .as(where)
              .contains("last");
        });
  }

  @Test
  void whoeverIsToBeToldOfAJobIsNotedWhereverTheJobIs() {
    everywhere(
        rig -> {},
        rig -> {
          rig.submit(Specs.hooked(Specs.plain("x")));
          rig.store.submit(Specs.hooked(Specs.job(Specs.stage("a", "1"))), CHOSEN);
        },
        (rig, where) -> {
          for (JobId id : Sight.of(rig.store).jobs().keySet()) {
            assertThat(rig.store.note(Notebook.WEBHOOKS, id.value()))
                .as("%s, %s", id, where)
                .contains("{\"after\":0}");
          }
          boolean known = rig.store.state(CHOSEN).isPresent();
          assertThat(rig.store.submit(Specs.hooked(Specs.plain("again")), CHOSEN))
              .as(where)
              .isEqualTo(!known);
          assertThat(rig.store.state(CHOSEN)).as(where).isPresent();
        });
  }

  @Test
  void aNoteOfItsOwnAdvancesPastARepeatedSubmission() {
    Rig rig = Rig.fresh();
    rig.store.submit(Specs.hooked(Specs.plain("x")), CHOSEN);
    rig.store.keep(Notebook.WEBHOOKS, CHOSEN.value(), "{\"after\":7}");
    assertThat(rig.store.submit(Specs.hooked(Specs.plain("x")), CHOSEN)).isFalse();
    assertThat(rig.store.note(Notebook.WEBHOOKS, CHOSEN.value())).contains("{\"after\":7}");
  }

  @Test
  void namesCannotLeaveTheShelf() throws IOException {
    Rig rig = Rig.fresh();
    for (String name : List.of("", "..", "a/b", "A", "x.tmp", "y".repeat(129))) {
      assertThatThrownBy(() -> rig.store.keep(SHELF, name, "x"))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> rig.store.note(name, "x"))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(rig.disk.kind(Rig.PLACES.own("notes"))).isEqualTo(Disk.Kind.NOTHING);
  }
}
