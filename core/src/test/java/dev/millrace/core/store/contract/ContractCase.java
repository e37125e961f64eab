package dev.millrace.core.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.fixture.StoreFixture;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The base of all contract tests: an empty store on a manual clock. After each test every job's log
 * is folded again and must match what the store shows.
 */
abstract class ContractCase {
  static final Cause ANNA = Cause.user("anna", "because");
  static final Duration SECOND = Duration.ofSeconds(1);
  static final Duration MINUTE = Duration.ofMinutes(1);

  final ManualClock clock = new ManualClock();
  private final ContractSettings settings = ContractSettings.of(clock);
  private StoreFixture fixture;
  JobStore store;

  abstract StoreFixture fixture();

  @BeforeEach
  final void open() {
    fixture = fixture();
    store = fixture.open(settings);
  }

  @AfterEach
  final void everyLogAddsUpToWhatIsShown() {
    for (JobId id : store.list(JobReader.Query.all())) {
      JobView view = view(id);
      JobSpec spec = asSubmitted(store.spec(id).orElseThrow(), events(id));
      JobFold fold =
          JobFold.created(JobPlan.of(spec, view.createdAt()), TransitionListener.IGNORED);
      Instant last = view.createdAt();
      for (LogEntry entry : events(id)) {
        assertThat(entry.at()).as("times of %s never run backwards", id).isAfterOrEqualTo(last);
        last = entry.at();
        fold.apply(entry); // refuses a gap in the numbers
      }
      assertThat(view).isEqualTo(ViewFactory.job(JobHeader.of(id, spec), fold));
      assertThat(store.state(id)).contains(view.state());
    }
    store.close();
  }

  /** The job as submitted, without the stages and tasks that the log says were added. */
  private static JobSpec asSubmitted(JobSpec spec, List<LogEntry> events) {
    List<StageSpec> stages = new ArrayList<>(spec.stages());
    for (LogEntry entry : events.reversed()) {
      if (entry.fact() instanceof Fact.StageAdded(int number, var _, var _)) {
        assertThat(stages.removeLast().tasks()).as("tasks of stage %s", number).isEmpty();
      } else if (entry.fact() instanceof Fact.TasksAdded(int number, int more, var _, var _)) {
        StageSpec stage = stages.get(number - 1);
        List<TaskSpec> tasks = stage.tasks();
        stages.set(number - 1, stage.withTasks(tasks.subList(0, tasks.size() - more)));
      }
    }
    return spec.withStages(stages);
  }

  /** The store crashes and is opened again. */
  final void crash() {
    fixture.abandon(store);
    store = fixture.open(settings);
  }

  final ContractSettings settings() {
    return settings;
  }

  /** The store is closed and opened again. */
  final void reopen() {
    store.close();
    store = fixture.open(settings);
  }

  final JobId submit(StageSpec... stages) {
    return store.submit(ContractJobs.job(stages));
  }

  final List<Claim> claim(int limit, String... types) {
    return store.claim(new ClaimRequest(Set.of(types), limit, "worker", null));
  }

  final List<Claim> claim(int limit, Duration lease, String... types) {
    return store.claim(new ClaimRequest(Set.of(types), limit, "worker", lease));
  }

  final Claim claimOne(String... types) {
    List<Claim> claims = claim(1, types);
    assertThat(claims).as("claims of %s", (Object) types).hasSize(1);
    return claims.getFirst();
  }

  final void assertNothingToClaim(String... types) {
    assertThat(claim(100, types)).as("claims of %s", (Object) types).isEmpty();
  }

  final void complete(Claim claim, String result) {
    assertThat(store.complete(claim, TaskResult.of(result))).isEqualTo(Outcome.DONE);
  }

  final void fail(Claim claim, String error) {
    assertThat(store.fail(claim, Failure.of(error))).isEqualTo(Outcome.DONE);
  }

  /** Completes every task of the type, with its input in upper case as the result. */
  final void workOff(String type) {
    for (List<Claim> some = claim(10, type); !some.isEmpty(); some = claim(10, type)) {
      some.forEach(claim -> complete(claim, claim.inputText().toUpperCase(java.util.Locale.ROOT)));
    }
  }

  final JobView view(JobId id) {
    return store.find(id).orElseThrow();
  }

  final JobState state(JobId id) {
    return store.state(id).orElseThrow();
  }

  final StageState stageState(JobId id, int stage) {
    return view(id).stages().get(stage - 1).state();
  }

  final TaskView task(JobId id, int stage, int task) {
    return store.tasks(id, stage, task, 1).getFirst();
  }

  final TaskState taskState(JobId id, int stage, int task) {
    return task(id, stage, task).state();
  }

  final List<LogEntry> events(JobId id) {
    List<LogEntry> all = new ArrayList<>();
    for (List<LogEntry> page = store.events(id, 0, Integer.MAX_VALUE);
        !page.isEmpty();
        page = store.events(id, page.getLast().number(), Integer.MAX_VALUE)) {
      all.addAll(page);
    }
    return all;
  }

  /** Everything that a reader can see of a job. */
  final List<Object> everything(JobId id) {
    List<Object> seen = new ArrayList<>();
    JobView view = view(id);
    seen.add(view);
    view.stages().forEach(s -> seen.add(store.tasks(id, s.number(), 1, Integer.MAX_VALUE)));
    seen.add(events(id));
    seen.add(store.spec(id).orElseThrow());
    return seen;
  }

  /** Checks that all methods for {@code claim} return {@code kind} and change nothing. */
  final void assertEveryAnswerIs(Class<? extends Outcome> kind, Claim claim) {
    List<Object> before = everything(claim.job());
    assertThat(store.complete(claim, TaskResult.of("late"))).isInstanceOf(kind);
    assertThat(store.fail(claim, Failure.of("late"))).isInstanceOf(kind);
    assertThat(store.release(claim, "late")).isInstanceOf(kind);
    assertThat(store.freeze(claim, JsonObject.create().put("late", true))).isInstanceOf(kind);
    assertThat(store.appendJournal(claim, new OutputChunk(List.of(1), "late")))
        .isNotEqualTo(ClaimSignal.CONTINUE);
    store.log(claim, "info", "late");
    store.heartbeat(claim, true);
    assertThat(everything(claim.job())).isEqualTo(before);
  }
}
