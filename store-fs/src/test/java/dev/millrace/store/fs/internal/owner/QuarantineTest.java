package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.read.FsReader;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A job whose files throw anything while they are read is left alone, and read again later. */
class QuarantineTest {
  private final CapturedLog log = CapturedLog.open();
  private final AtomicInteger reads = new AtomicInteger();
  private SimDisk disk;
  private SimulatedStore first;
  private JobId bad;
  private JobId good;

  @BeforeEach
  void twoJobs() {
    first = SimulatedStore.fresh();
    bad = first.submit(JobSpec.prompt("generate", "bad"));
    good = first.submit(JobSpec.prompt("generate", "good"));
    disk = first.disk.afterKill();
  }

  @AfterEach
  void closeLog() {
    log.close();
  }

  static Stream<Supplier<Throwable>> anything() {
    return Stream.of(
        () -> new IOException("Input/output error"),
        () -> new NullPointerException("of hostile content"),
        () -> new ClassCastException("String\nis not\tLong"),
        ArithmeticException::new,
        () -> new NegativeArraySizeException("-1"),
        StackOverflowError::new,
        () -> new OutOfMemoryError("Java heap space"));
  }

  /** Every read of a file of the bad job throws. */
  private IOException fault(SimDisk.Op op, Throwable thrown) {
    Path job = SimulatedStore.PLACES.of(JobState.PENDING, bad);
    if (op.what() != What.READ || !op.path().startsWith(job) || op.path().equals(job)) {
      return null;
    }
    reads.incrementAndGet();
    return switch (thrown) {
      case IOException e -> e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(thrown);
    };
  }

  @ParameterizedTest
  @MethodSource("anything")
  void theServerStartsAndOtherJobsRun(Supplier<Throwable> thrown) {
    disk.failBy(op -> fault(op, thrown.get()));
    SimulatedStore rig = new SimulatedStore(disk, first.clock.instant(), 8);
    assertThat(rig.claim(10)).extracting(Claim::job).containsExactly(good);
    assertThat(log.lines())
        .singleElement()
        .asString()
        .contains(bad.value(), "quarantined")
        .doesNotContain("\n", "\tat ");
    assertThatThrownBy(() -> rig.pause(bad))
        .isInstanceOf(JobException.class)
        .hasMessageContaining(bad.value());
    assertThatThrownBy(() -> rig.store.find(bad)).isInstanceOf(JobException.class);
    int before = reads.get();
    for (int i = 0; i < 20; i++) {
      rig.sweep();
      rig.claim(10);
      rig.store.isIdle(SimulatedStore.TYPES);
    }
    assertThat(reads).as("it is not read again and again").hasValue(before);
    for (int number = 1; number <= disk.operations(); number++) {
      assertThat(disk.operation(number).path().toString()).doesNotContain(bad.value());
    }
    disk.heal();
    rig.later(Duration.ofMinutes(5));
    rig.sweep();
    assertThat(rig.claim(10)).extracting(Claim::job).containsExactly(bad);
  }

  /** As one of the class loader, for which nobody would quarantine a job. */
  @Test
  void anotherErrorDoesNotEndTheSweepOfTheOtherJobs() {
    disk.failBy(op -> fault(op, new IOException("Input/output error")));
    SimulatedStore rig = new SimulatedStore(disk, first.clock.instant(), 8);
    assertThat(rig.lease(1, Duration.ofSeconds(10))).extracting(Claim::job).containsExactly(good);
    disk.failBy(op -> fault(op, new NoClassDefFoundError("simulated")));
    rig.later(Duration.ofMinutes(5));
    rig.sweep();
    assertThat(rig.claim(10)).as("its lease is over").extracting(Claim::job).containsExactly(good);
  }

  @ParameterizedTest
  @MethodSource("anything")
  void itIsReadAgainAsSoonAsItsFilesChange(Supplier<Throwable> thrown) throws IOException {
    disk.failBy(op -> fault(op, thrown.get()));
    SimulatedStore rig = new SimulatedStore(disk, first.clock.instant(), 8);
    assertThat(rig.claim(10)).extracting(Claim::job).containsExactly(good);
    disk.heal();
    Path job = SimulatedStore.PLACES.of(JobState.PENDING, bad);
    disk.write(job.resolve("repaired.txt"), new byte[] {1});
    rig.sweep();
    assertThat(rig.claim(10)).extracting(Claim::job).containsExactly(bad);
  }

  /** As with a directory without permission, or a loop of links. */
  @Test
  void aPausedJobThatCannotBeLookedAtLetsTheServerStart() {
    first.pause(bad);
    disk = first.disk.afterKill();
    Path job = SimulatedStore.PLACES.of(JobState.PAUSED, bad);
    disk.failBy(op -> op.path().startsWith(job) ? new AccessDeniedException(job + "") : null);
    SimulatedStore rig = new SimulatedStore(disk, first.clock.instant(), 8);
    assertThat(rig.claim(10)).extracting(Claim::job).containsExactly(good);
    assertThat(log.lines()).anyMatch(line -> line.contains(bad.value()));
  }

  @Test
  void trashThatCannotBeDeletedLetsTheServerStart() throws IOException {
    Path trash = SimulatedStore.PLACES.internalPath("trash").resolve(bad.value());
    disk.createDirectory(trash);
    disk.failBy(
        op ->
            op.what() == What.DELETE && op.path().equals(trash)
                ? new AccessDeniedException(trash.toString())
                : null);
    SimulatedStore rig = new SimulatedStore(disk, first.clock.instant(), 8);
    assertThat(rig.claim(10)).extracting(Claim::job).containsExactly(bad, good);
    assertThat(log.lines()).anyMatch(line -> line.contains("trash"));
  }

  @Test
  void aReadyJobThatCannotBeLookedAtIsListedWithTheOthers() {
    Path job = SimulatedStore.PLACES.of(JobState.PENDING, bad);
    disk.failBy(
        op ->
            op.path().startsWith(job) && !op.path().equals(job)
                ? new AccessDeniedException(job.toString())
                : null);
    FsReader reader = new FsReader(disk, SimulatedStore.PLACES, Threading.SYSTEM);
    assertThat(reader.list(Query.all())).containsExactly(bad, good);
    assertThat(reader.counts()).containsEntry(JobState.PENDING, 2);
    assertThatThrownBy(() -> reader.find(bad)).isInstanceOf(StoreException.class);
  }
}
