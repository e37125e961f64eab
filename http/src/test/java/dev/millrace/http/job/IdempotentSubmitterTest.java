package dev.millrace.http.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
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

/** A request with a key creates one job, however often it is sent. */
class IdempotentSubmitterTest {
  private static final String API = "jobnik";
  private static final JobSpec SPEC = JobSpec.prompt("t", "x");

  private final ManualClock clock = new ManualClock();
  private final JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(clock));
  private final IdempotentSubmitter submitter = new IdempotentSubmitter(store, clock);

  /** A request with only these fields. */
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
    return submitter.submit(API, Request.of(who, key, body), () -> SPEC).id();
  }

  private int jobs() {
    return store.list(Query.all()).size();
  }

  @Test
  void requestsWithoutAKeyEachCreateAJob() {
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
  void acceptedRequestIsNotCheckedAgain() {
    JobId first = submit("a", "k", "{'x':1}");
    Supplier<JobSpec> refused =
        () -> {
          throw new Problem(Problem.Kind.INVALID, "its webhook is barred by now");
        };
    assertThat(submitter.submit(API, Request.of("a", "k", "{'x':1}"), refused).id())
        .isEqualTo(first);
    assertThatThrownBy(() -> submitter.submit(API, Request.of("a", "other", "{'x':1}"), refused))
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
      assertThatThrownBy(() -> submitter.submit(API, other, () -> SPEC))
          .isInstanceOfSatisfying(
              Problem.class,
              problem -> assertThat(problem.kind()).isEqualTo(Problem.Kind.CONFLICT));
    }
    assertThat(jobs()).isEqualTo(1);
  }

  @Test
  void keysOfDifferentPrincipalsAreIndependent() {
    assertThat(submit("a", "k", "{}")).isNotEqualTo(submit("b", "k", "{'other':1}"));
    assertThat(submit("a", "bk", "{}")).isNotEqualTo(submit("ab", "k", "{}"));
  }

  @Test
  void keysOfDifferentApisAreIndependent() {
    Request request = Request.of("a", "k", "{'x':1}");
    JobId first = submitter.submit("jobnik", request, () -> SPEC).id();
    IdempotentSubmitter.Submitted other = submitter.submit("so1", request, () -> SPEC);
    assertThat(other.created()).isTrue();
    assertThat(other.id()).isNotEqualTo(first);
    IdempotentSubmitter.Submitted again = submitter.submit("so1", request, () -> SPEC);
    assertThat(again).isEqualTo(new IdempotentSubmitter.Submitted(other.id(), false));
  }

  /** The note of a key as it was when all APIs shared their keys. */
  private JobId sharedNote(Request request, boolean submitted) {
    JobId id = Work.generateId();
    String body =
        RequestFingerprint.of("POST", request.path(), RequestFingerprint.canonical(request.body()));
    JsonObject note =
        JsonObject.create()
            .put("id", id.value())
            .put("fingerprint", body)
            .put("at", clock.instant().toString());
    String name = RequestFingerprint.of(request.who(), String.valueOf(request.key()));
    store.writeNote(IdempotentSubmitter.SHELF, name, note.toString());
    if (submitted) {
      store.submit(SPEC, id);
    }
    return id;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void keyThatAllApisSharedStillCountsForItsDay(boolean submitted) {
    Request request = Request.of("a", "k", "{'x':1}");
    JobId id = sharedNote(request, submitted);
    assertThat(submitter.submit(API, request, () -> SPEC).id()).isEqualTo(id);
    assertThat(submitter.submit(API, request, () -> SPEC).id()).isEqualTo(id);
    for (String api : List.of(API, "so1")) {
      assertThatThrownBy(() -> submitter.submit(api, Request.of("a", "k", "{'x':2}"), () -> SPEC))
          .as(api)
          .hasMessageContaining("another request");
    }
    assertThat(jobs()).isEqualTo(1);
    clock.advance(IdempotentSubmitter.KEY_LIFETIME);
    assertThat(submitter.submit(API, request, () -> SPEC).created()).isTrue();
    assertThat(submitter.submit("so1", request, () -> SPEC).created()).isTrue();
    assertThat(jobs()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "tab\t", "ümlaut"})
  void malformedKeyIsRefused(String key) {
    assertThatThrownBy(() -> submit("a", key, "{}"))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.kind()).isEqualTo(Problem.Kind.INVALID));
    assertThat(jobs()).isZero();
  }

  @Test
  void keyExpiresAfterADay() {
    JobId first = submit("a", "k", "{}");
    clock.advance(IdempotentSubmitter.KEY_LIFETIME.minusSeconds(1));
    assertThat(submit("a", "k", "{}")).isEqualTo(first);
    clock.advance(Duration.ofSeconds(1));
    assertThat(submit("a", "k", "{'other':1}")).isNotEqualTo(first);
    assertThat(jobs()).isEqualTo(2);
  }

  @Test
  void settingTheClockExpiresNoKey() {
    JobId first = submit("a", "k", "{}");
    clock.jump(IdempotentSubmitter.KEY_LIFETIME.multipliedBy(2));
    assertThat(submit("a", "k", "{}")).isEqualTo(first);
    clock.jump(IdempotentSubmitter.KEY_LIFETIME.multipliedBy(-2));
    assertThat(submit("a", "k", "{}")).isEqualTo(first);
    clock.advance(IdempotentSubmitter.KEY_LIFETIME);
    assertThat(submit("a", "k", "{'other':1}")).isNotEqualTo(first);
  }

  @Test
  void expiredNotesAreDeleted() {
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
    CountDownLatch proceed = new CountDownLatch(1);
    AtomicBoolean closed = new AtomicBoolean();
    AtomicInteger callsAfterClose = new AtomicInteger();
    JobStore slow =
        watched(
            method -> {
              if (method.equals("noteNames")) {
                sweeping.countDown();
                proceed.await();
              } else if (closed.get()) {
                callsAfterClose.incrementAndGet();
              }
            });
    submit("a", "old", "{}");
    IdempotentSubmitter other = new IdempotentSubmitter(slow, clock);
    other.submit(API, Request.of("a", "k", "{}"), () -> SPEC);
    sweeping.await();
    Thread closing = Thread.ofVirtual().start(other::close);
    await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
    closed.set(true);
    proceed.countDown();
    closing.join();
    assertThat(callsAfterClose).as("calls of the store after the end").hasValue(0);
  }

  /** Runs before each call of the store. */
  private interface Before {
    void request(String method) throws Exception;
  }

  private JobStore watched(Before before) {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              before.request(method.getName());
              return method.invoke(store, arguments);
            });
  }

  @Test
  void concurrentRepetitionsCreateOneJob() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<JobId>> sent = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        sent.add(threads.submit(() -> submit("a", "k", "{'x':1}")));
      }
      Set<JobId> created = new HashSet<>();
      for (Future<JobId> one : sent) {
        created.add(one.get());
      }
      assertThat(created).hasSize(1);
    }
    assertThat(jobs()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"createNote", "submit"})
  void repetitionRepairsACrash(String verb) {
    for (boolean done : new boolean[] {false, true}) {
      String key = verb + done;
      int before = jobs();
      IdempotentSubmitter crashing = new IdempotentSubmitter(crashing(verb, done), clock);
      Request request = Request.of("a", key, "{'x':1}");
      assertThatThrownBy(() -> crashing.submit(API, request, () -> SPEC))
          .isInstanceOf(StoreException.class);
      JobId id = submitter.submit(API, request, () -> SPEC).id();
      assertThat(submitter.submit(API, request, () -> SPEC).id()).isEqualTo(id);
      assertThat(jobs()).as("after a crash at %s", key).isEqualTo(before + 1);
    }
  }

  /** A store that crashes at the call of {@code verb}, before or after doing it. */
  private JobStore crashing(String verb, boolean done) {
    AtomicReference<@Nullable Object> crashed = new AtomicReference<>();
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              boolean crashes = method.getName().equals(verb);
              try {
                if (crashed.get() == null && (!crashes || done)) {
                  Object response = method.invoke(store, arguments);
                  if (!crashes) {
                    return response;
                  }
                }
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              crashed.set(verb);
              throw new StoreException("crash");
            });
  }

  @Test
  void invalidJobLeavesTheKeyFree() {
    JobSpec huge = JobSpec.prompt("t", "x".repeat(JobSpec.MAX_PROMPT_BYTES + 1));
    assertThatThrownBy(() -> submitter.submit(API, Request.of("a", "k", "{'x':1}"), () -> huge))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(store.noteNames(IdempotentSubmitter.SHELF)).isEmpty();
    submit("a", "k", "{'x':2}");
    assertThat(jobs()).isEqualTo(1);
  }

  @Test
  void deletedJobIsNotCreatedAgain() {
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
  void noteContainsNeitherKeyNorBody() {
    submit("a", "secret-key", "{'prompt':'private'}");
    String name = store.noteNames(IdempotentSubmitter.SHELF).getFirst();
    assertThat(name + store.readNote(IdempotentSubmitter.SHELF, name).orElseThrow())
        .doesNotContain("secret-key")
        .doesNotContain("private");
  }
}
