package dev.millrace.http.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.Problem;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One request, sent any number of times, makes one job. */
class IdempotentSubmitterTest {
  private static final JobSpec SPEC = JobSpec.prompt("t", "x");

  private final ManualClock clock = new ManualClock();
  private final JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(clock));
  private final IdempotentSubmitter once = new IdempotentSubmitter(store, clock);

  /** A request of which only this matters. */
  private record Request(String who, @Nullable String key, String path, @Nullable Object body)
      implements ApiRequest {
    static Request of(String who, @Nullable String key, String body) {
      return new Request(who, key, "/v1/jobs", Json.parse(body.replace('\'', '"')));
    }

    @Override
    public String requestId() {
      return "7";
    }

    @Override
    public Principal principal() {
      return new Principal(who, Set.of());
    }

    @Override
    public String pathParameter(String name) {
      throw new AssertionError(name);
    }

    @Override
    public Optional<String> query(String name) {
      return Optional.empty();
    }

    @Override
    public Optional<String> header(String name) {
      return name.equals(IdempotentSubmitter.HEADER) ? Optional.ofNullable(key) : Optional.empty();
    }

    @Override
    public @Nullable TraceContext trace() {
      return null;
    }
  }

  private JobId submit(String who, @Nullable String key, String body) {
    return once.submit(Request.of(who, key, body), () -> SPEC);
  }

  private int jobs() {
    return store.list(Query.all()).size();
  }

  @Test
  void withoutAKeyEachRequestMakesAJob() {
    assertThat(submit("a", null, "{}")).isNotEqualTo(submit("a", null, "{}"));
    assertThat(store.noteNames(IdempotentSubmitter.SHELF)).isEmpty();
  }

  @Test
  void repetitionGetsTheSameJob() {
    JobId first = submit("a", "k", "{'x':1,'y':[2]}");
    assertThat(submit("a", "k", "{'y':[2.0],'x':1}")).isEqualTo(first);
    assertThat(jobs()).isEqualTo(1);
  }

  @Test
  void whatWasGrantedOnceIsNotCheckedAnew() {
    JobId first = submit("a", "k", "{'x':1}");
    Supplier<JobSpec> refused =
        () -> {
          throw new Problem(Problem.Kind.INVALID, "its webhook is barred by now");
        };
    assertThat(once.submit(Request.of("a", "k", "{'x':1}"), refused)).isEqualTo(first);
    assertThatThrownBy(() -> once.submit(Request.of("a", "other", "{'x':1}"), refused))
        .isInstanceOf(Problem.class);
    assertThat(store.noteNames(IdempotentSubmitter.SHELF)).hasSize(1);
  }

  @Test
  void otherBodyOrPathIsAConflict() {
    submit("a", "k", "{'x':1}");
    for (Request other :
        List.of(
            Request.of("a", "k", "{'x':2}"),
            Request.of("a", "k", "{'x':'1'}"),
            new Request("a", "k", "/v1/pipelines", Json.parse("{\"x\":1}")))) {
      assertThatThrownBy(() -> once.submit(other, () -> SPEC))
          .isInstanceOfSatisfying(
              Problem.class,
              problem -> assertThat(problem.kind()).isEqualTo(Problem.Kind.CONFLICT));
    }
    assertThat(jobs()).isEqualTo(1);
  }

  @Test
  void keysBelongToWhoSendsThem() {
    assertThat(submit("a", "k", "{}")).isNotEqualTo(submit("b", "k", "{'other':1}"));
    assertThat(submit("a", "bk", "{}")).isNotEqualTo(submit("ab", "k", "{}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "tab\t", "ümlaut"})
  void nonsenseIsNoKey(String key) {
    assertThatThrownBy(() -> submit("a", key, "{}"))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.kind()).isEqualTo(Problem.Kind.INVALID));
    assertThat(jobs()).isZero();
  }

  @Test
  void keyIsForgottenAfterADay() {
    JobId first = submit("a", "k", "{}");
    clock.advance(IdempotentSubmitter.KEY_LIFETIME.minusSeconds(1));
    assertThat(submit("a", "k", "{}")).isEqualTo(first);
    clock.advance(Duration.ofSeconds(1));
    assertThat(submit("a", "k", "{'other':1}")).isNotEqualTo(first);
    assertThat(jobs()).isEqualTo(2);
  }

  @Test
  void notesThatAreOverGoWithTime() {
    for (int i = 0; i < 5; i++) {
      submit("a", "k" + i, "{}");
    }
    assertThat(store.noteNames(IdempotentSubmitter.SHELF)).hasSize(5);
    clock.advance(IdempotentSubmitter.KEY_LIFETIME);
    submit("a", "fresh", "{}");
    await().until(() -> store.noteNames(IdempotentSubmitter.SHELF).size() == 1);
    JobId fresh = submit("a", "fresh", "{}");
    assertThat(jobs()).isEqualTo(6);
    assertThat(store.state(fresh)).isPresent();
  }

  @Test
  void closingEndsASweep() throws Exception {
    CountDownLatch sweeping = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicBoolean closed = new AtomicBoolean();
    AtomicInteger late = new AtomicInteger();
    JobStore slow =
        watched(
            method -> {
              if (method.equals("noteNames")) {
                sweeping.countDown();
                goOn.await();
              } else if (closed.get()) {
                late.incrementAndGet();
              }
            });
    submit("a", "old", "{}");
    IdempotentSubmitter other = new IdempotentSubmitter(slow, clock);
    other.submit(Request.of("a", "k", "{}"), () -> SPEC);
    sweeping.await();
    Thread closing = Thread.ofVirtual().start(other::close);
    await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
    closed.set(true);
    goOn.countDown();
    closing.join();
    assertThat(late).as("notes that were looked at after the end").hasValue(0);
  }

  /** What a test does before each call of the store. */
  private interface Before {
    void call(String method) throws Exception;
  }

  private JobStore watched(Before before) {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              before.call(method.getName());
              return method.invoke(store, arguments);
            });
  }

  @Test
  void concurrentRepetitionsMakeOneJob() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<JobId>> sent = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        sent.add(threads.submit(() -> submit("a", "k", "{'x':1}")));
      }
      Set<JobId> made = new HashSet<>();
      for (Future<JobId> one : sent) {
        made.add(one.get());
      }
      assertThat(made).hasSize(1);
    }
    assertThat(jobs()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"writeNote", "submit"})
  void crashInTheMiddleIsRepairedByARepetition(String verb) {
    for (boolean done : new boolean[] {false, true}) {
      String key = verb + done;
      int before = jobs();
      IdempotentSubmitter dying = new IdempotentSubmitter(dying(verb, done), clock);
      Request request = Request.of("a", key, "{'x':1}");
      assertThatThrownBy(() -> dying.submit(request, () -> SPEC))
          .isInstanceOf(StoreException.class);
      JobId id = once.submit(request, () -> SPEC);
      assertThat(once.submit(request, () -> SPEC)).isEqualTo(id);
      assertThat(jobs()).as("after a crash at %s", key).isEqualTo(before + 1);
    }
  }

  /** The store until somebody calls {@code verb}, which it does or does not do before it dies. */
  private JobStore dying(String verb, boolean done) {
    AtomicReference<@Nullable Object> dead = new AtomicReference<>();
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              boolean dies = method.getName().equals(verb);
              try {
                if (dead.get() == null && (!dies || done)) {
                  Object answer = method.invoke(store, arguments);
                  if (!dies) {
                    return answer;
                  }
                }
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              dead.set(verb);
              throw new StoreException("crash");
            });
  }

  @Test
  void jobThatBreaksARuleLeavesTheKeyFree() {
    JobSpec huge = JobSpec.prompt("t", "x".repeat(JobSpec.MAX_PROMPT_BYTES + 1));
    assertThatThrownBy(() -> once.submit(Request.of("a", "k", "{'x':1}"), () -> huge))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(store.noteNames(IdempotentSubmitter.SHELF)).isEmpty();
    submit("a", "k", "{'x':2}");
    assertThat(jobs()).isEqualTo(1);
  }

  @Test
  void deletedJobIsNotMadeAgain() {
    JobId id = submit("a", "k", "{}");
    store.abort(id, Cause.user("a", null));
    store.delete(id);
    assertThatThrownBy(() -> submit("a", "k", "{}"))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.kind()).isEqualTo(Problem.Kind.CONFLICT))
        .hasMessageContaining("deleted");
    assertThat(jobs()).isZero();
  }

  @Test
  void noteSaysNothingOfTheKeyOrTheBody() {
    submit("a", "secret-key", "{'prompt':'private'}");
    String name = store.noteNames(IdempotentSubmitter.SHELF).getFirst();
    assertThat(name + store.readNote(IdempotentSubmitter.SHELF, name).orElseThrow())
        .doesNotContain("secret-key")
        .doesNotContain("private");
  }
}
