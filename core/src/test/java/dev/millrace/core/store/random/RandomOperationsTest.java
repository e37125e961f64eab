package dev.millrace.core.store.random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Cause;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.fixture.StoreFixture;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.store.stats.QueueStats;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The comparison finds no difference between equal stores, and finds each injected fault. */
@Tag("slow")
class RandomOperationsTest {

  /** What a broken store does instead of one method, given the correct store and the arguments. */
  private interface Fault extends BiFunction<JobStore, Object[], Object> {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void theSpecificationAgreesWithItself(long seed) {
    RandomOperations.compare(seed, 600, new MemoryStoreFixture(), new MemoryStoreFixture());
  }

  @Test
  void theSpecificationAgreesWithItselfOnAFreshSeed() {
    long seed = ThreadLocalRandom.current().nextLong();
    System.out.println("RandomOperationsTest: seed " + seed);
    RandomOperations.compare(seed, 1_000, new MemoryStoreFixture(), new MemoryStoreFixture());
  }

  static Stream<Map.Entry<String, Fault>> faults() {
    return Stream.concat(
        faultsOfWorkers().entrySet().stream(), faultsOfUsers().entrySet().stream());
  }

  private static Map<String, Fault> faultsOfUsers() {
    return Map.of(
        "addTasks", (store, args) -> new JobControls.Added(Outcome.DONE, 1),
        "addStage", (store, args) -> new JobControls.Added(Outcome.DONE, 1),
        "replaceMetadata", (store, args) -> Outcome.DONE,
        "prioritize", (store, args) -> Outcome.DONE,
        "delete", (store, args) -> Outcome.DONE,
        "readNote", (store, args) -> Optional.of("forged"),
        "findClaim", (store, args) -> Optional.empty(),
        "retry",
            (store, args) -> {
              RetryRequest asked = (RetryRequest) args[0];
              return store.retry(new RetryRequest(asked.job(), true, asked.id()));
            },
        "onChange", (store, args) -> (Subscription) () -> {},
        "queueStats", (store, args) -> new QueueStats(Map.of(), List.of()));
  }

  private static Map<String, Fault> faultsOfWorkers() {
    return Map.of(
        "release", (store, args) -> store.fail((Claim) args[0], Failure.of("costs an attempt")),
        "claim",
            (store, args) -> {
              List<Claim> reversed = new ArrayList<>(store.claim((ClaimRequest) args[0]));
              Collections.reverse(reversed);
              return reversed;
            },
        "heartbeat", (store, args) -> ClaimSignal.CONTINUE,
        "log", (store, args) -> null,
        "sweep", (store, args) -> 0,
        "complete", (store, args) -> store.complete((Claim) args[0], TaskResult.of("forged")),
        "close",
            (store, args) -> {
              store
                  .list(JobReader.Query.all())
                  .forEach(id -> store.abort(id, Cause.user("anna", null)));
              return null;
            },
        "list", (store, args) -> List.of(),
        "resume", (store, args) -> Outcome.DONE);
  }

  @ParameterizedTest
  @MethodSource("faults")
  void everyInjectedFaultIsFound(Map.Entry<String, Fault> fault) {
    MemoryStoreFixture sound = new MemoryStoreFixture();
    StoreFixture broken =
        settings -> broken(sound.open(settings), fault.getKey(), fault.getValue());
    assertThatThrownBy(() -> RandomOperations.compare(1, 1_500, new MemoryStoreFixture(), broken))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("seed 1, step ")
        .hasMessageContaining("the stores differ");
  }

  private static JobStore broken(JobStore sound, String verb, Fault fault) {
    assertThat(JobStore.class.getMethods()).extracting(Method::getName).contains(verb);
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (proxy, method, args) -> {
              if (method.getName().equals(verb)) {
                return fault.apply(sound, args);
              }
              try {
                return method.invoke(sound, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
