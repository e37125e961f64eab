package dev.millrace.http.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.api.jobs.FoundJob;
import dev.millrace.api.jobs.JobSearchResult;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.search.JobFilter.Text;
import dev.millrace.http.search.JobSearch.Part;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The index finds what a look at every job finds, and follows every change. */
class JobSearchTest {
  private static final IndexUpdater.Intervals FAST =
      new IndexUpdater.Intervals(Duration.ofMillis(1), Duration.ofHours(1), Duration.ofHours(1));
  private static final Cause USER = Cause.user("anna", null);
  private static final Part ALL = new Part(true, 0, 1_000);
  private static final List<String> WORDS =
      List.of("mill", "River", "wheel", "SLUICE", "grain", "stone", "Zoë's", "flour");

  private final MemoryStoreFixture fixture = new MemoryStoreFixture();
  private final ManualClock clock = new ManualClock();
  private final JobStore store = fixture.open(ContractSettings.steady(clock));
  private @Nullable JobSearch search;

  @AfterEach
  void close() {
    if (search != null) {
      search.close();
    }
    store.close();
  }

  private JobSearch search() {
    if (search == null) {
      search = new JobSearch(store, 100_000, FAST);
    }
    return search;
  }

  private static JobFilter all() {
    return new JobFilter(Set.of(), null, null, null, null, null, false, null, null);
  }

  private JobSearchResult complete() {
    await().until(() -> search().find(all(), ALL).complete());
    return search().find(all(), ALL);
  }

  private JobId submit(String prompt) {
    return store.submit(JobSpec.prompt("generate", prompt));
  }

  private @Nullable FoundJob row(JobId id) {
    return search().find(all(), ALL).jobs().stream()
        .filter(job -> job.ownId().equals(id))
        .findFirst()
        .orElse(null);
  }

  @Test
  void everyFilterFindsWhatALookAtEveryJobFinds() {
    long seed = new Random().nextLong();
    System.out.println("JobSearchTest: seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 400; i++) {
      clock.advance(Duration.ofMillis(random.nextInt(3) * 700L));
      change(store.submit(spec(random)), random);
    }
    complete();
    List<JobView> jobs =
        store.list(Query.all()).stream().map(id -> store.find(id).orElseThrow()).toList();
    int found = 0;
    for (int i = 0; i < 300; i++) {
      JobFilter filter = filter(random);
      Part part = new Part(random.nextBoolean(), random.nextInt(3) * 7, random.nextInt(3) * 20);
      List<JobId> expected = expected(jobs, filter, part.newest());
      List<JobId> page = expected.stream().skip(part.offset()).limit(part.limit()).toList();
      JobSearchResult result = search().find(filter, part);
      assertThat(result.total()).as("%s", filter).isEqualTo(expected.size());
      assertThat(result.jobs()).as("%s", filter).extracting(FoundJob::ownId).isEqualTo(page);
      assertThat(search().ids(filter, part).ids())
          .isEqualTo(page.stream().map(id -> EntityId.of(id).uuid()).toList());
      found += expected.size();
    }
    assertThat(found).as("the filters let something through").isGreaterThan(1_000);
  }

  private static JobSpec spec(Random random) {
    JsonObject data = JsonObject.create();
    if (random.nextBoolean()) {
      data.put("model", pick(random, "house", "large"));
    }
    List<StageSpec> stages = new ArrayList<>();
    for (int i = random.nextInt(2); i >= 0; i--) {
      stages.add(
          StageSpec.builder(pick(random, "generate", "embed", "resize"))
              .gate(random.nextInt(4) == 0)
              .data(data)
              .tasks(List.of(TaskSpec.of(prompt(random)), TaskSpec.of("second")))
              .build());
    }
    return JobSpec.builder()
        .name(random.nextInt(3) == 0 ? prompt(random) : null)
        .tags(random.nextBoolean() ? List.of(pick(random, "red", "Blue")) : List.of())
        .held(random.nextInt(8) == 0)
        .submittedBy(random.nextBoolean() ? pick(random, "nightly", "page") : null)
        .stages(stages)
        .build();
  }

  private static String prompt(Random random) {
    return WORDS.get(random.nextInt(WORDS.size())) + " " + WORDS.get(random.nextInt(WORDS.size()));
  }

  private static String pick(Random random, String... of) {
    return of[random.nextInt(of.length)];
  }

  private void change(JobId id, Random random) {
    switch (random.nextInt(6)) {
      case 0 -> store.abort(id, USER);
      case 1 -> store.pause(id, USER);
      case 2 -> work(true);
      case 3 -> work(false);
      default -> {}
    }
  }

  private void work(boolean well) {
    ClaimRequest any = new ClaimRequest(Set.of("generate", "embed", "resize"), 2, "w", null);
    for (Claim claim : store.claim(any)) {
      if (well) {
        store.complete(claim, TaskResult.of("done"));
      } else {
        store.fail(claim, Failure.permanent("broken stone"));
      }
    }
  }

  private static JobFilter filter(Random random) {
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    for (int i = random.nextInt(3); i > 0; i--) {
      states.add(JobState.values()[random.nextInt(JobState.values().length)]);
    }
    Instant start = new ManualClock().instant();
    return new JobFilter(
        states,
        random.nextInt(4) == 0 ? pick(random, "generate", "embed", "none") : null,
        random.nextInt(4) == 0 ? pick(random, "red", "Blue", "blue") : null,
        random.nextInt(4) == 0 ? pick(random, "house", "large") : null,
        random.nextInt(4) == 0 ? pick(random, "nightly", "page") : null,
        random.nextInt(2) == 0 ? new Text(pick(random, "MILL", "r w", "zoë", "red", "x")) : null,
        random.nextInt(6) == 0,
        random.nextInt(4) == 0 ? start.plusSeconds(random.nextInt(300)) : null,
        random.nextInt(4) == 0 ? start.plusSeconds(random.nextInt(300)) : null);
  }

  /** The same by looking at every job, without an index. */
  private List<JobId> expected(List<JobView> jobs, JobFilter filter, boolean newest) {
    List<JobId> found =
        jobs.stream().filter(job -> accepts(filter, job)).map(job -> job.header().id()).toList();
    return newest ? found.reversed() : found;
  }

  private boolean accepts(JobFilter filter, JobView job) {
    Instant created = Instant.ofEpochMilli(job.createdAt().toEpochMilli());
    return (filter.states().isEmpty() || filter.states().contains(job.state()))
        && (filter.type() == null
            || job.stages().stream().map(StageView::type).anyMatch(filter.type()::equals))
        && (filter.tag() == null || job.header().tags().contains(filter.tag()))
        && (filter.model() == null
            || job.stages().stream()
                .anyMatch(it -> filter.model().equals(it.spec().data().string("model", null))))
        && (filter.key() == null || filter.key().equals(job.header().submittedBy()))
        && (!filter.atGate() || job.stageAtGate().isPresent())
        && (filter.from() == null || !created.isBefore(filter.from()))
        && (filter.until() == null || !created.isAfter(filter.until()))
        && (filter.text() == null || contains(filter.text().toString(), job));
  }

  private boolean contains(String text, JobView job) {
    JobId id = job.header().id();
    String prompt = String.valueOf(store.task(id, 1, 1).orElseThrow().input());
    return Stream.concat(
            Stream.of(
                String.valueOf(job.header().name()),
                prompt,
                id.value(),
                EntityId.of(id).uuid().toString()),
            job.header().tags().stream())
        .anyMatch(it -> it.toLowerCase(Locale.ROOT).contains(text.toLowerCase(Locale.ROOT)));
  }

  @Test
  void aRowHasWhatAListShows() {
    JobId id =
        store.submit(
            JobSpec.builder()
                .name("two steps")
                .tags(List.of("red"))
                .submittedBy("nightly")
                .stages(
                    List.of(
                        StageSpec.builder("generate")
                            .data(JsonObject.create().put("model", "house"))
                            .tasks(
                                List.of(
                                    TaskSpec.of("Write  about\n mills. " + "x".repeat(200)),
                                    TaskSpec.of("b")))
                            .build(),
                        StageSpec.builder("embed").gate(true).each("{{result}}").build()))
                .build());
    clock.advance(Duration.ofMillis(1_250));
    Claim first = store.claim(new ClaimRequest(Set.of("generate"), 1, "w", null)).getFirst();
    complete();
    FoundJob row = row(id);
    assertThat(row).isNotNull();
    assertThat(row.excerpt()).startsWith("Write about mills. xxx").hasSize(120);
    assertThat(row.name()).isEqualTo("two steps");
    assertThat(row.status()).isEqualTo(JobState.IN_PROGRESS);
    assertThat(row.types()).containsExactly("generate", "embed");
    assertThat(row.models()).containsExactly("house");
    assertThat(row.submittedBy()).isEqualTo("nightly");
    assertThat(row.tasks()).isEqualTo(new FoundJob.Tasks(2, 0, 0, 1));
    assertThat(row.times().started()).isEqualTo(row.times().created().plusMillis(1_250));
    assertThat(row.levers()).containsExactly("pause", "abort");

    store.complete(first, TaskResult.of("A"));
    Claim second = store.claim(new ClaimRequest(Set.of("generate"), 1, "w", null)).getFirst();
    store.complete(second, TaskResult.of("B"));
    await().until(() -> Integer.valueOf(2).equals(row(id).waitsForApproval()));
    store.approve(id, 2, USER);
    Claim third = store.claim(new ClaimRequest(Set.of("embed"), 1, "w", null)).getFirst();
    store.fail(third, Failure.permanent("no " + "room ".repeat(100)));
    await().until(() -> row(id).status() == JobState.FAILED);
    assertThat(row(id).error()).contains("no room").hasSizeLessThanOrEqualTo(200);
    assertThat(row(id).levers()).containsExactly("retry", "delete");
    assertThat(row(id).tasks().failed()).isEqualTo(1);
  }

  @Test
  void indexFollowsSubmissionsChangesAndDeletions() {
    JobId before = submit("from before");
    assertThat(complete().jobs()).extracting(FoundJob::ownId).containsExactly(before);
    JobId after = submit("from after");
    await().until(() -> row(after) != null);
    assertThat(search().find(all(), ALL).jobs())
        .extracting(FoundJob::ownId)
        .containsExactly(after, before);
    store.abort(before, USER);
    await().until(() -> row(before).status() == JobState.ABORTED);
    store.delete(before);
    await().until(() -> row(before) == null);
    assertThat(search().find(all(), ALL))
        .extracting(JobSearchResult::complete, JobSearchResult::known)
        .containsExactly(true, 1L);
    store.abort(after, USER);
    store.prune(clock.instant().plusSeconds(1), Set.of(JobState.ABORTED));
    await().until(() -> search().find(all(), ALL).total() == 0);
  }

  @Test
  void idsAreFoundByTheirParts() {
    JobId id = submit("one");
    submit("two");
    complete();
    String uuid = EntityId.of(id).uuid().toString();
    String end = id.value().substring(id.value().length() - 6);
    for (String part : List.of(uuid, uuid.substring(9).toUpperCase(Locale.ROOT), id.value(), end)) {
      JobFilter filter =
          new JobFilter(Set.of(), null, null, null, null, new Text(part), false, null, null);
      assertThat(search().find(filter, ALL).jobs())
          .as(part)
          .extracting(FoundJob::ownId)
          .contains(id);
    }
  }

  @Test
  void onlyTheNewestAreKeptAndTheAnswerSaysSo() {
    search = new JobSearch(store, 3, FAST);
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clock.advance(Duration.ofSeconds(1));
      ids.add(submit("job " + i));
    }
    await().until(() -> search().find(all(), ALL).indexed() == 3);
    JobSearchResult some = search().find(all(), ALL);
    assertThat(some.jobs())
        .extracting(FoundJob::ownId)
        .containsExactly(ids.get(4), ids.get(3), ids.get(2));
    assertThat(some.complete()).isFalse();
    assertThat(some.known()).isEqualTo(5);
    clock.advance(Duration.ofSeconds(1));
    JobId newest = submit("the newest");
    await().until(() -> search().find(all(), ALL).jobs().getFirst().ownId().equals(newest));
    assertThat(search().find(all(), ALL))
        .extracting(JobSearchResult::indexed, JobSearchResult::known)
        .containsExactly(3, 6L);
  }

  @Test
  void indexIsGivenUpWhenNobodySearchesAndFilledAgain() {
    IndexUpdater.Intervals brief =
        new IndexUpdater.Intervals(
            Duration.ofMillis(1), Duration.ofMillis(20), Duration.ofMillis(300));
    JobIndex index = new JobIndex(10);
    try (IndexUpdater updater = new IndexUpdater(store, index, 10, brief)) {
      JobId id = submit("hello");
      assertThat(index.size()).isZero();
      for (int i = 0; i < 2; i++) {
        await()
            .until(
                () -> {
                  updater.searched();
                  return updater.isFilled() && index.find(id) != null;
                });
        await().until(() -> index.size() == 0 && !updater.isFilled());
      }
    }
  }
}
