package dev.millrace.store.fs.internal.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.task.Failure;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.read.FsReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Values that the terms of many tasks have in common are in a log once. */
class SharedTermsTest {
  private static final int TASKS = 300;

  private final SimulatedStore rig = SimulatedStore.fresh();
  private final JobId id =
      rig.submit(
          TestJobSpecs.with(
              TestJobSpecs.attempts(2),
              TestJobSpecs.job(
                  TestJobSpecs.stage(
                      "a",
                      IntStream.range(0, TASKS)
                          .mapToObj(String::valueOf)
                          .toArray(String[]::new)))));

  /** Terms as models have them; tasks with the same {@code kind} differ in little. */
  private static JsonObject terms(int task, int kind) {
    Map<String, Object> bias = new LinkedHashMap<>();
    for (int token = 0; token < 2_000; token++) {
      bias.put(Integer.toString(token), (long) kind);
    }
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("temperature", 1L);
    parameters.put("logit_bias", bias);
    parameters.put("stop", List.of("s".repeat(300), "kind " + kind));
    parameters.put("seed", (long) task);
    return JsonObject.create()
        .put("model", "m")
        .put("prompt_sha256", "hash of " + task)
        .put("parameters", parameters)
        .put("last", "kept last");
  }

  private Path log(JobState state) {
    return SimulatedStore.PLACES.of(state, id).resolve(EventLog.FILE);
  }

  private List<JsonObject> frozen(JobReader reader) {
    List<JsonObject> found = new ArrayList<>();
    for (List<LogEntry> page = reader.events(id, 0, 50);
        !page.isEmpty();
        page = reader.events(id, page.getLast().number(), 50)) {
      for (LogEntry entry : page) {
        if (entry.fact() instanceof Fact.TermsFrozen(int _, int _, JsonObject terms)) {
          found.add(terms);
        }
      }
    }
    return found;
  }

  private List<JsonObject> freezeAll() {
    List<JsonObject> terms = new ArrayList<>();
    for (Claim claim : rig.claim(TASKS)) {
      terms.add(terms(claim.key().task(), claim.key().task() % 2));
      rig.store.freeze(claim, terms.getLast());
    }
    return terms;
  }

  @Test
  void everyTaskAddsOnlyWhatIsItsOwn() throws Exception {
    List<JsonObject> terms = freezeAll();
    long two = 2L * Json.write(terms.getFirst()).length();
    assertThat(rig.disk.size(log(JobState.IN_PROGRESS)))
        .isLessThan(two + TASKS * 600L)
        .isLessThan(TASKS * (long) Json.write(terms.getFirst()).length() / 20);
  }

  @Test
  void everyReaderSeesTheWholeTermsInTheirOrder() {
    List<JsonObject> terms = freezeAll();
    assertThat(frozen(rig.store)).isEqualTo(terms);
    assertThat(frozen(new FsReader(rig.disk, SimulatedStore.PLACES, Threading.SYSTEM)))
        .isEqualTo(terms);
    assertThat(frozen(rig.store))
        .map(Json::write)
        .isEqualTo(terms.stream().map(Json::write).toList());
  }

  @Test
  void laterAttemptsGetTheWholeTermsFromEveryOwner() {
    List<JsonObject> terms = freezeAll();
    rig.claims.forEach(rig::release);
    List<Claim> again = rig.claim(TASKS);
    assertThat(again).extracting(Claim::frozenTerms).isEqualTo(terms);
    SimulatedStore next = new SimulatedStore(rig.disk, rig.clock.instant(), 9);
    List<Claim> third = next.claim(TASKS);
    assertThat(third).extracting(Claim::frozenTerms).isEqualTo(terms);
  }

  @Test
  void theNextOwnerSharesWhatTheLogHas() throws Exception {
    freezeAll();
    rig.claims.forEach(rig::release);
    long before = rig.disk.size(log(JobState.IN_PROGRESS));
    SimulatedStore next = new SimulatedStore(rig.disk, rig.clock.instant(), 9);
    Claim claim = next.claim(1).getFirst();
    next.store.freeze(claim, terms(7_777, 1));
    assertThat(next.disk.size(log(JobState.IN_PROGRESS)) - before).isLessThan(2_000);
    assertThat(frozen(next.store).getLast()).isEqualTo(terms(7_777, 1));
  }

  @Test
  void aRetryAdoptsTheWholeTermsAndSharesThemAgain() throws Exception {
    List<JsonObject> terms = freezeAll();
    for (Claim claim : List.copyOf(rig.claims)) {
      if (claim.key().task() < TASKS) {
        rig.complete(claim);
      } else {
        rig.fail(claim, Failure.permanent("broken"));
      }
    }
    JobId retried = rig.retry(id);
    List<JsonObject> adopted = new ArrayList<>();
    rig.store
        .events(retried, 0, 10_000)
        .forEach(
            entry -> {
              if (entry.fact() instanceof Fact.TermsFrozen of) {
                adopted.add(of.terms());
              }
            });
    assertThat(adopted).isEqualTo(terms.subList(0, TASKS - 1));
    Path copy = SimulatedStore.PLACES.of(JobState.PENDING, retried).resolve(EventLog.FILE);
    assertThat(rig.disk.size(copy)).isLessThan(rig.disk.size(log(JobState.FAILED)));
  }

  @Test
  void linesThatRepeatEverythingAreStillRead() throws Exception {
    List<Claim> claims = rig.claim(TASKS);
    long number = rig.store.find(id).orElseThrow().lastEvent();
    StringBuilder old = new StringBuilder();
    for (Claim claim : claims) {
      Fact fact = new Fact.TermsFrozen(1, claim.key().task(), terms(claim.key().task(), 1));
      old.append(LogEntryJson.write(new LogEntry(++number, rig.clock.instant(), fact)))
          .append('\n');
    }
    rig.disk.append(log(JobState.IN_PROGRESS), old.toString().getBytes(StandardCharsets.UTF_8));
    long before = rig.disk.size(log(JobState.IN_PROGRESS));
    SimulatedStore next = new SimulatedStore(rig.disk, rig.clock.instant(), 9);
    Claim claim = next.claim(1).getFirst();
    assertThat(claim.frozenTerms()).isEqualTo(terms(1, 1));
    next.store.freeze(claim, terms(2, 1));
    assertThat(next.disk.size(log(JobState.IN_PROGRESS)) - before).isLessThan(100_000);
    assertThat(frozen(next.store)).hasSize(TASKS + 1).last().isEqualTo(terms(2, 1));
  }

  @Test
  void aVersionThatDoesNotKnowSuchLinesRefusesThem() throws Exception {
    freezeAll();
    List<String> lines =
        new String(rig.disk.read(log(JobState.IN_PROGRESS), 10_000_000), StandardCharsets.UTF_8)
            .lines()
            .filter(line -> line.contains("\"shared\""))
            .toList();
    assertThat(lines).hasSizeGreaterThan(TASKS - 5);
    for (String line : lines) {
      assertThat(line)
          .contains("\"event\":\"freeze_shared\"")
          .doesNotContain("\"event\":\"freeze\"");
      assertThat(LogEntryJson.number(line)).isPositive();
    }
  }
}
