package dev.millrace.store.fs.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.Cut;
import dev.millrace.store.fs.internal.disk.SimDisk.Op;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What goes wrong in one life of a process, and where: all of it comes from the seed. */
final class Faults implements SimDisk.Observer {
  private static final int MOST_OPERATIONS = 900;
  private static final int MOST_ACKNOWLEDGEMENTS = 40;
  private static final int SLOWEST_SYNC_MILLIS = 40;

  private final RandomGenerator random;
  private final Scheduler scheduler;
  private final SimDisk disk;
  private final Cut cut;
  private final int stopAfter;
  private final int acknowledgements;
  private final int fullFrom;
  private final int fullUntil;
  private final int failingSync;
  private final int errorsOneIn;
  private final boolean slowSyncs;
  private final @Nullable Loss loss;
  private boolean live;
  private int operations;
  private int syncs;
  private int acknowledged;
  private boolean injected;
  private boolean error;

  Faults(RandomGenerator random, Scheduler scheduler, SimDisk disk) {
    this.random = random;
    this.scheduler = scheduler;
    this.disk = disk;
    this.cut = Cut.values()[random.nextInt(3)];
    int end = random.nextInt(8);
    this.stopAfter = end < 3 ? 1 + random.nextInt(MOST_OPERATIONS) : 0;
    this.acknowledgements =
        end >= 3 && end < 6
            ? 1 + random.nextInt(1 + random.nextInt(MOST_ACKNOWLEDGEMENTS))
            : Integer.MAX_VALUE;
    boolean full = oneIn(5);
    this.fullFrom = full ? random.nextInt(MOST_OPERATIONS) : Integer.MAX_VALUE;
    this.fullUntil = full ? fullFrom + random.nextInt(40) : 0;
    this.failingSync = oneIn(10) ? random.nextInt(60) : Integer.MAX_VALUE;
    this.errorsOneIn = oneIn(5) ? 100 + random.nextInt(400) : 0;
    this.slowSyncs = oneIn(3);
    this.loss =
        oneIn(4) ? null : oneIn(3) ? Loss.NOTHING_SURVIVES : Loss.values()[random.nextInt(4)];
    if (stopAfter > 0) {
      disk.stopAt(disk.operations() + stopAfter, cut);
    }
    disk.failBy(this::problem, random.nextInt(1_001));
    disk.observeBy(this);
  }

  private boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  /** From here on operations fail; opening a store is only interrupted. */
  void begin() {
    live = true;
  }

  void end() {
    live = false;
  }

  /** Whether something failed that a caller may have been told of. */
  boolean injected() {
    return injected;
  }

  /** Whether an Error was thrown: what it met is logged, but not counted. */
  boolean threwError() {
    return error;
  }

  /** Someone was told that something is durable: a good moment for the power to fail. */
  void acknowledged() {
    if (live && ++acknowledged == acknowledgements) {
      scheduler.kill();
      throw new Scheduler.Killed();
    }
  }

  /** As {@link #acknowledged()}; the job is there by now. */
  void acknowledged(JobHistory job) {
    assertThat(job.mayBeGone || new DurableText(disk).has(job.id))
        .as("%s was acknowledged and is durable", job)
        .isTrue();
    acknowledged();
  }

  /** As {@link #acknowledged()}; the note has that text by now, or one of another writer. */
  void acknowledged(String name, NoteHistory note) {
    Optional<String> text = new DurableText(disk).note(HistoryCheck.NOTES, name);
    assertThat(note.allows(text)).as("note %s was acknowledged: %s", name, text).isTrue();
    acknowledged();
  }

  /** As {@link #acknowledged()}; what was told about a job is in its files by now. */
  void acknowledged(JobHistory job, String text) {
    assertThat(job.mayBeGone || new DurableText(disk).has(job.id, text))
        .as("%s of %s was acknowledged and is durable", text, job)
        .isTrue();
    acknowledged();
  }

  /** The disk as the next process finds it. */
  SimDisk survivor() {
    return loss == null ? disk.afterKill() : disk.afterPowerLoss(loss, random);
  }

  @Override
  public void before(What what, Path path) {
    scheduler.step(what.name(), shown(path));
    if (what.syncs() && slowSyncs) {
      pause();
    }
    throwError(2);
  }

  @Override
  public void after(What what, Path path) {
    if (what.syncs() && slowSyncs) {
      pause();
    }
    throwError(2);
  }

  /** The names of some temporary files are those of the real process. */
  private static Object shown(Path path) {
    return path.startsWith("/ws/input/writing") || path.toString().endsWith(".tmp")
        ? "a temporary file"
        : path;
  }

  private void pause() {
    try {
      scheduler.sleep(Duration.ofMillis(random.nextInt(1, SLOWEST_SYNC_MILLIS)));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void throwError(int share) {
    if (live && errorsOneIn > 0 && random.nextInt(errorsOneIn * share) == 0) {
      injected = true;
      error = true;
      if (random.nextBoolean()) {
        throw new OutOfMemoryError("simulated");
      }
      throw new StackOverflowError("simulated");
    }
  }

  private @Nullable IOException problem(Op op) {
    if (!live) {
      return null;
    }
    operations++;
    if (op.what().syncs() && syncs++ == failingSync) {
      injected = true;
      return new IOException("simulated failure of a sync");
    }
    boolean writes =
        op.what() == What.PUT_BYTES
            || op.what() == What.CREATE_FILE
            || op.what() == What.CREATE_DIRECTORY;
    if (writes && operations >= fullFrom && operations < fullUntil) {
      injected = true;
      return new FileSystemException(op.path().toString(), null, "No space left on device");
    }
    return null;
  }

  @Override
  public void stopped() {
    scheduler.kill();
  }

  @Override
  public String toString() {
    return (stopAfter > 0 ? "stops " + cut + " operation " + stopAfter : "")
        + (acknowledgements < Integer.MAX_VALUE
            ? "stops after acknowledgement " + acknowledgements
            : "")
        + (fullUntil > 0 ? ", full disk" : "")
        + (failingSync < Integer.MAX_VALUE ? ", sync " + failingSync + " fails" : "")
        + (errorsOneIn > 0 ? ", errors" : "")
        + (slowSyncs ? ", slow syncs" : "")
        + ", then "
        + (loss == null ? "killed" : "power loss, " + loss);
  }
}
