package dev.millrace.store.postgres.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.LeaderLease;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.db.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two servers with epochs of their own share jobs, hear of each other, and one is lost. */
class LostPostgresServerTest {
  private static final Cause ANNA = Cause.user("anna", null);

  private final Database database = EmbeddedDatabase.migrated();
  private final ContractSettings settings = ContractSettings.of(new ManualClock());
  private final PostgresStore one = open(false);
  private final PostgresStore other = open(true);

  private PostgresStore open(boolean serves) {
    return open(serves, Duration.ofMinutes(5));
  }

  private PostgresStore open(boolean serves, Duration lease) {
    return open(serves, lease, settings);
  }

  private PostgresStore open(boolean serves, Duration lease, ContractSettings with) {
    return PostgresStore.open(
        database,
        new StoreOptions("test", with.clock(), with.ids(), with.random(), serves, serves, lease));
  }

  @AfterEach
  void close() {
    other.close();
    one.abandon();
    EmbeddedDatabase.drop(database);
  }

  private void lose(PostgresStore store) {
    database.update(
        "UPDATE @servers SET alive_until = now() - interval '1 second' WHERE epoch = ?",
        store.epoch());
  }

  private static Claim claim(JobStore store) {
    return store.claim(new ClaimRequest(Set.of("a"), 1, "worker", null)).getFirst();
  }

  private JobId submit(String... inputs) {
    return one.submit(
        JobSpec.of(
            List.of(StageSpec.of("a", List.of(inputs).stream().map(TaskSpec::of).toList()))));
  }

  @Test
  void theTasksOfALostServerAreReleasedByASweepOfAnother() {
    JobId id = submit("1", "2");
    Claim lost = claim(one);
    Claim kept = claim(other);
    other.sweep();
    assertThat(other.heartbeat(lost, false)).as("its server lives").isEqualTo(ClaimSignal.CONTINUE);
    lose(one);
    other.sweep();
    assertThat(other.task(id, 1, 1).orElseThrow().state()).isEqualTo(TaskState.RETRIED);
    assertThat(other.complete(lost, TaskResult.of("late"))).isInstanceOf(Outcome.Fenced.class);
    assertThat(other.complete(kept, TaskResult.of("two"))).isEqualTo(Outcome.DONE);
    assertThat(other.complete(claim(other), TaskResult.of("one"))).isEqualTo(Outcome.DONE);
    assertThat(other.state(id)).contains(JobState.COMPLETED);
  }

  @Test
  @Timeout(30)
  void aServerWhoseTimeIsOverJoinsAgainUnderAnotherEpoch() {
    submit("1");
    long before = other.epoch();
    other.announce(JsonObject.create().put("name", "test"), true);
    lose(other);
    assertThat(other.health().trouble()).isNull();
    other.renewNow();
    assertThat(other.epoch()).isNotEqualTo(before);
    assertThat(isAlive(before)).as("it never comes back").isFalse();
    assertThat(isAlive(other.epoch())).isTrue();
    assertThat(other.health().trouble()).as("until a trial").isEqualTo(Trouble.FAILING);
    while (other.health().trouble() != null) {
      other.sweep();
    }
    Claim claim = claim(other);
    assertThat(claim.key().token().epoch()).isEqualTo(other.epoch());
    assertThat(other.complete(claim, TaskResult.of("one"))).isEqualTo(Outcome.DONE);
  }

  private boolean isAlive(long epoch) {
    return database.isTrue("SELECT alive_until > now() FROM @servers WHERE epoch = ?", epoch);
  }

  @Test
  void workersOfAServerThatJoinedAgainMayHandInWhatNobodyHasTaken() {
    submit("1", "2");
    Claim first = claim(other);
    Claim second = claim(other);
    other.freeze(first, JsonObject.create().put("seed", 7));
    other.appendJournal(first, new OutputChunk(List.of(1), List.of("a")));
    lose(other);
    other.renewNow();
    other.sweep();
    other.appendJournal(first, new OutputChunk(List.of(2), List.of("b")));
    other.writeJournalsNow();
    assertThat(other.complete(second, TaskResult.of("two"))).isEqualTo(Outcome.DONE);
    assertThat(other.release(first, "test")).isEqualTo(Outcome.DONE);
    assertThat(claim(other).journaledTokens()).containsExactly(1, 2);
  }

  @Test
  void workersOfAServerThatJoinedAgainAreFencedFromWhatOthersHaveTaken() {
    submit("1");
    Claim lost = claim(other);
    lose(other);
    one.sweep();
    Claim next = claim(one);
    other.renewNow();
    assertThat(other.heartbeat(lost, false)).isEqualTo(ClaimSignal.LOST);
    assertThat(other.complete(lost, TaskResult.of("late"))).isInstanceOf(Outcome.Fenced.class);
    assertThat(one.complete(next, TaskResult.of("one"))).isEqualTo(Outcome.DONE);
  }

  @Test
  @Timeout(30)
  void aServerThatJoinedAgainReleasesWhatItHadAndStopsItsWorkers() throws InterruptedException {
    BlockingQueue<JobId> stopped = new LinkedBlockingQueue<>();
    try (PostgresStore third = open(true, Duration.ofSeconds(2))) {
      third.onLever(stopped::add);
      JobId id = submit("1");
      Claim lost = claim(third);
      lose(third); // its own thread notices it
      assertThat(stopped.poll(20, TimeUnit.SECONDS)).isEqualTo(id);
      assertThat(third.task(id, 1, 1).orElseThrow().state()).isEqualTo(TaskState.RETRIED);
      assertThat(third.heartbeat(lost, false)).isEqualTo(ClaimSignal.LOST);
      assertThat(third.complete(claim(third), TaskResult.of("one"))).isEqualTo(Outcome.DONE);
    }
  }

  /** Others forget after a minute what they have changed. */
  @Test
  @Timeout(30)
  void aServerThatJoinedAgainHearsOfWhatHasChangedMeanwhile() throws InterruptedException {
    ContractSettings now = ContractSettings.of(new ManualClock(Instant.now()));
    BlockingQueue<JobId> changed = new LinkedBlockingQueue<>();
    try (PostgresStore third = open(true, Duration.ofSeconds(2), now)) {
      JobId id = third.submit(JobSpec.of(List.of(StageSpec.of("a", List.of(TaskSpec.of("1"))))));
      third.onChange(changed::add);
      lose(third);
      assertThat(changed.poll(20, TimeUnit.SECONDS)).isEqualTo(id);
    }
  }

  @Test
  void ofThoseThatCanOneLeadsUntilItIsLost() {
    try (PostgresStore third = open(true);
        LeaderLease first = other.leaderLease("test");
        LeaderLease second = third.leaderLease("test")) {
      assertThat(List.of(first.isHeld(), second.isHeld())).containsExactly(true, false);
      assertThat(third.leaderLease("another").isHeld()).isTrue();
      third.renewNow();
      assertThat(second.isHeld()).as("the first lives").isFalse();
      lose(other);
      third.renewNow();
      assertThat(second.isHeld()).isTrue();
      other.renewNow();
      assertThat(first.isHeld()).as("it is lost").isFalse();
    }
  }

  @Test
  void aLeaseOfTheLeaderThatIsNotRenewedIsOver() {
    try (PostgresStore third = open(true);
        LeaderLease first = other.leaderLease("test");
        LeaderLease second = third.leaderLease("test")) {
      database.update("UPDATE @leader_leases SET until = now() - interval '1 second'");
      third.renewNow();
      assertThat(second.isHeld()).isTrue();
      other.renewNow();
      assertThat(first.isHeld()).isFalse();
    }
  }

  @Test
  void aLeaseOfTheLeaderThatIsGivenUpIsFree() {
    LeaderLease first = other.leaderLease("test");
    try (PostgresStore third = open(true);
        LeaderLease second = third.leaderLease("test")) {
      assertThat(List.of(first.isHeld(), second.isHeld())).containsExactly(true, false);
      first.close();
      assertThat(first.isHeld()).isFalse();
      other.renewNow();
      third.renewNow();
      assertThat(second.isHeld()).isTrue();
    }
  }

  @Test
  void anotherServerResumesFromTheJournalOfALostOne() {
    JobId id = submit("1");
    Claim lost = claim(one);
    one.freeze(lost, JsonObject.create().put("seed", 7));
    one.appendJournal(lost, new OutputChunk(List.of(1, 2), List.of("a", "b")));
    lose(one);
    other.sweep();
    Claim next = claim(other);
    assertThat(next.journaledTokens()).containsExactly(1, 2);
    assertThat(next.frozenTerms()).isEqualTo(Json.object("{\"seed\":7}"));
    assertThat(one.appendJournal(lost, new OutputChunk(List.of(3), List.of("late"))))
        .isEqualTo(ClaimSignal.LOST);
    other.appendJournal(next, new OutputChunk(List.of(3), List.of("c")));
    other.writeJournalsNow();
    assertThat(other.outputSoFar(id, 1, 1, 0).text()).isEqualTo("abc");
  }

  @Test
  void nothingThatALostServerStillJournalsIsWritten() {
    JobId id = submit("1", "2");
    try (PostgresStore lost = open(true)) {
      Claim first = claim(lost);
      lost.freeze(first, JsonObject.create().put("seed", 7));
      lost.appendJournal(first, new OutputChunk(List.of(1), List.of("a")));
      lost.writeJournalsNow();
      lost.appendJournal(first, new OutputChunk(List.of(7), List.of("late")));
      lose(lost);
      other.sweep();
      Claim next = claim(other);
      lost.writeJournalsNow();
      lost.appendJournal(first, new OutputChunk(List.of(8), List.of("later")));
      lost.writeJournalsNow();
      other.appendJournal(next, new OutputChunk(List.of(2), List.of("b")));
      other.writeJournalsNow();
      boolean wasInTime = next.journaledTokens().contains(7); // before the sweep
      assertThat(other.outputSoFar(id, 1, 1, 0).text()).isEqualTo(wasInTime ? "alateb" : "ab");
      lost.abandon();
    }
  }

  @Test
  void whatIsJournaledBeforeAReleaseIsThereForTheNextClaim() {
    submit("1");
    for (int round = 1; round <= 20; round++) {
      PostgresStore server = round % 2 == 0 ? one : other;
      Claim claim = claim(server);
      if (round == 1) {
        server.freeze(claim, JsonObject.create().put("seed", 7));
      }
      assertThat(claim.journaledTokens()).hasSize(2 * (round - 1));
      server.appendJournal(claim, new OutputChunk(List.of(round), List.of("a")));
      server.appendJournal(claim, new OutputChunk(List.of(-round), List.of("b")));
      assertThat(server.release(claim, "test")).isEqualTo(Outcome.DONE);
    }
    Claim last = claim(other);
    for (int at = 0; at < 40; at++) {
      assertThat(Math.abs(last.journaledTokens().get(at))).isEqualTo(at / 2 + 1);
    }
  }

  @Test
  @Timeout(30)
  void aServerHearsOfChangesAndOfNewWorkOfAnother() throws InterruptedException {
    BlockingQueue<JobId> changed = new LinkedBlockingQueue<>();
    other.onChange(changed::add);
    long seen = other.awaitWork(0, Duration.ofMinutes(1));
    JobId id = submit("1");
    assertThat(changed.poll(20, TimeUnit.SECONDS)).isEqualTo(id);
    assertThat(other.awaitWork(seen, Duration.ofSeconds(20))).isNotEqualTo(seen);
  }

  @Test
  @Timeout(30)
  void workersOfAServerStopWhenAUserOfAnotherAborts() throws InterruptedException {
    BlockingQueue<JobId> stopped = new LinkedBlockingQueue<>();
    other.onLever(stopped::add);
    JobId id = submit("1");
    Claim claim = claim(other);
    one.abort(id, ANNA);
    assertThat(stopped.poll(20, TimeUnit.SECONDS)).isEqualTo(id);
    assertThat(other.heartbeat(claim, false)).isEqualTo(ClaimSignal.CANCEL);
  }

  @Test
  void ofTwoServersOneCreatesANote() {
    assertThat(one.writeNoteAhead("keys", "key", null, "one")).isTrue();
    assertThat(other.writeNoteAhead("keys", "key", null, "other")).isFalse();
    assertThat(other.readNote("keys", "key")).contains("one");
    assertThat(other.writeNoteAhead("keys", "key", "one", "two")).isTrue();
    assertThat(one.writeNoteAhead("keys", "key", "one", "three")).isFalse();
    assertThat(one.readNote("keys", "key")).contains("two");
  }

  @Test
  void entriesOfTwoServersHaveNumbersWithoutGaps() {
    JobId id = submit("1", "2", "3", "4");
    for (int i = 0; i < 4; i++) {
      PostgresStore from = i % 2 == 0 ? one : other;
      PostgresStore to = i % 2 == 0 ? other : one;
      assertThat(to.complete(claim(from), TaskResult.of("x"))).isEqualTo(Outcome.DONE);
    }
    List<Long> numbers = one.events(id, 0, 100).stream().map(entry -> entry.number()).toList();
    assertThat(numbers).startsWith(1L, 2L, 3L).doesNotHaveDuplicates();
    assertThat(numbers.getLast()).isEqualTo(numbers.size());
    assertThat(other.events(id, 5, 100)).isEqualTo(one.events(id, 5, 100));
  }
}
