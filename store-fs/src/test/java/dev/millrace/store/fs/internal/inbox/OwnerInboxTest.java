package dev.millrace.store.fs.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.files.StrictUtf8;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that a killed command has left are not carried out, and nothing of them stays. */
class OwnerInboxTest {
  private static final Path INBOX = SimulatedStore.PLACES.internalPath("inbox");
  private static final Path ANSWERS = SimulatedStore.PLACES.internalPath("answers");

  private final SimulatedStore rig = SimulatedStore.fresh();
  private final CapturedLog log = CapturedLog.open();
  private final JobId job = rig.submit(JobSpec.prompt("generate", "hello"));
  private long nanos;
  private final OwnerInbox inbox = new OwnerInbox(rig.settings, rig.store, () -> nanos);

  @AfterEach
  void closeLog() {
    log.close();
  }

  private static String abort(JobId job, String op, Instant at) {
    return InboxRequest.of(job, new Lever.Abort(), SimulatedStore.ANNA).write(op, at);
  }

  private void send(String op, String request) throws IOException {
    rig.disk.write(INBOX.resolve(op + ".json"), StrictUtf8.bytes(request));
  }

  private Object answer(String op) throws IOException {
    Path file = ANSWERS.resolve(op + ".json");
    return InboxReply.read(StrictUtf8.of(file, rig.disk.read(file, 10_000)));
  }

  private List<String> names(Path directory) throws IOException {
    List<String> names = new ArrayList<>();
    rig.disk.list(directory, names::add);
    return names;
  }

  @Test
  void aPresentRequestIsCarriedOut() throws IOException {
    send("1_1_1", abort(job, "1_1_1", rig.clock.instant()));
    rig.later(InboxRequest.LIFETIME);
    inbox.processAll();
    assertThat(answer("1_1_1")).isEqualTo(Outcome.DONE);
    assertThat(rig.store.state(job)).contains(JobState.ABORTED);
  }

  /** Yesterday's request, and one of a time that has not come yet because a clock was set back. */
  @ParameterizedTest
  @ValueSource(longs = {31, 86_400, -31, -86_400})
  void anExpiredRequestIsNotCarriedOut(long seconds) throws IOException {
    send("1_1_1", abort(job, "1_1_1", rig.clock.instant()));
    rig.clock.jump(Duration.ofSeconds(seconds));
    inbox.processAll();
    assertThat(answer("1_1_1")).isSameAs(InboxReply.EXPIRED);
    assertThat(rig.store.state(job)).contains(JobState.PENDING);
    assertThat(names(INBOX)).isEmpty();
    assertThat(log.lines())
        .containsExactly(
            "the request 1_1_1.json (abort "
                + job
                + ") is too old by this machine's clock, or of the future, and is not carried out");
  }

  @Test
  void aRequestThatExpiresAgainAndAgainIsReportedOnce() throws IOException {
    for (int i = 0; i < 3; i++) {
      send("1_1_1", abort(job, "1_1_1", rig.clock.instant().minusSeconds(7_200)));
      inbox.processAll();
      assertThat(answer("1_1_1")).isSameAs(InboxReply.EXPIRED);
    }
    assertThat(log.lines()).hasSize(1);
  }

  /** Its sender may send it again as soon as it sees the answer. */
  @Test
  void anExpiredRequestIsDeletedBeforeItIsAnswered() throws IOException {
    send("1_1_1", abort(job, "1_1_1", rig.clock.instant().minusSeconds(7_200)));
    int before = rig.disk.operations();
    inbox.processAll();
    List<SimDisk.What> order = new ArrayList<>();
    for (int number = before + 1; number <= rig.disk.operations(); number++) {
      SimDisk.What what = rig.disk.operation(number).what();
      if (what == SimDisk.What.DELETE || what == SimDisk.What.RENAME) {
        order.add(what);
      }
    }
    assertThat(order).containsExactly(SimDisk.What.DELETE, SimDisk.What.RENAME);
  }

  @Test
  void anOldRequestWithoutATimeIsJudgedByItsId() throws IOException {
    String op = rig.settings.ids().get().value();
    send(op, "{\"lever\":\"abort\",\"job\":\"" + job + "\",\"op\":\"" + op + "\"}");
    rig.later(Duration.ofMinutes(1));
    inbox.processAll();
    assertThat(answer(op)).isSameAs(InboxReply.EXPIRED);
    String fresh = rig.settings.ids().get().value();
    send(fresh, "{\"lever\":\"abort\",\"job\":\"" + job + "\",\"op\":\"" + fresh + "\"}");
    inbox.processAll();
    assertThat(answer(fresh)).isEqualTo(Outcome.DONE);
  }

  @Test
  void whatNobodyFetchesIsDeletedByAClockThatNobodySets() throws IOException {
    rig.disk.write(INBOX.resolve("1_1_1.tmp"), StrictUtf8.bytes("half a requ"));
    send("1_1_2", abort(job, "1_1_2", rig.clock.instant()));
    inbox.processAll();
    inbox.deleteStale();
    rig.later(Duration.ofDays(400)); // a clock that is set wrongly deletes no answer
    inbox.deleteStale();
    assertThat(names(ANSWERS)).containsExactly("1_1_2.json");
    nanos = StaleFiles.AGE.toNanos() - 1;
    inbox.deleteStale();
    assertThat(names(INBOX)).containsExactly("1_1_1.tmp");
    nanos++;
    inbox.deleteStale();
    assertThat(names(INBOX)).isEmpty();
    assertThat(names(ANSWERS)).isEmpty();
  }
}
