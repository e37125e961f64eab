package dev.millrace.http.so1;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.TaskResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams on a store that fails or does not notify. */
class LogHubTest {
  private final JobStore store =
      new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC()));
  private final StringBuffer sent = new StringBuffer();
  private final AtomicInteger reads = new AtomicInteger();
  private volatile UnaryOperator<List<LogEntry>> events = UnaryOperator.identity();
  private volatile UnaryOperator<JobView> views = UnaryOperator.identity();
  private volatile Consumer<JobId> listener = _ -> {};
  private final LogHub hub =
      new LogHub(
          (JobStore)
              Proxy.newProxyInstance(
                  JobStore.class.getClassLoader(),
                  new Class<?>[] {JobStore.class},
                  this::intercept),
          new LogHub.Intervals(Duration.ofSeconds(15), Duration.ofMillis(20)));

  /** Calls the store and changes its answer; the test sends notifications. */
  @SuppressWarnings("unchecked") // the types of the store's methods
  private @Nullable Object intercept(Object proxy, Method method, Object[] args) throws Throwable {
    try {
      switch (method.getName()) {
        case "onChange" -> {
          listener = (Consumer<JobId>) args[0];
          return (Subscription) () -> {};
        }
        case "events" -> {
          reads.incrementAndGet();
          return events.apply((List<LogEntry>) method.invoke(store, args));
        }
        case "find" -> {
          return ((Optional<JobView>) method.invoke(store, args)).map(views);
        }
        default -> {
          return method.invoke(store, args);
        }
      }
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @AfterEach
  void close() {
    hub.close();
    store.close();
  }

  private JobId submit() {
    return store.submit(JobSpec.prompt("generate", "Hello"));
  }

  private Claim claim() {
    return store.claim(new ClaimRequest(Set.of("generate"), 1, "tester", null)).getFirst();
  }

  private Thread stream(JobId id) {
    return Thread.ofVirtual()
        .start(
            () -> {
              try {
                hub.stream(id, 0, bytes -> sent.append(new String(bytes, StandardCharsets.UTF_8)));
              } catch (Exception e) {
                sent.append(e);
              }
            });
  }

  private void awaitSent(String text) {
    Awaitility.await().until(() -> sent.indexOf(text) >= 0);
  }

  private void hideTheEnd() {
    events = all -> all.stream().filter(entry -> !SseFrames.isJobEnd(entry)).toList();
    views =
        view ->
            new JobView(
                view.header(),
                view.state(),
                view.times(),
                view.error(),
                view.state().isFinal() ? view.lastEvent() - 1 : view.lastEvent(),
                view.stages());
  }

  @Test
  void streamEndsWithTheJobEvenWithoutAnEntryInTheLog() throws Exception {
    hideTheEnd();
    JobId id = submit();
    Thread stream = stream(id);
    awaitSent("pending");
    store.complete(claim(), TaskResult.of("done"));
    assertThat(stream.join(So1TestServer.LONG)).isTrue();
    long before = store.find(id).orElseThrow().lastEvent() - 1;
    assertThat(sent).contains("id: " + before + "\nevent: status\ndata: {\"state\":\"success\"");
    sent.setLength(0);
    assertThat(stream(id).join(So1TestServer.LONG)).isTrue();
    assertThat(sent).contains("id: " + before + "\nevent: status\ndata: {\"state\":\"success\"");
  }

  @Test
  void newEntriesAreSentWithAndWithoutNotification() throws Exception {
    JobId id = submit();
    Thread stream = stream(id);
    awaitSent("pending");
    Claim claim = claim();
    awaitSent("running"); // without a notification
    store.complete(claim, TaskResult.of("done"));
    listener.accept(id);
    assertThat(stream.join(So1TestServer.LONG)).isTrue();
    listener.accept(id); // without streams
    assertThat(sent).contains("\"state\":\"success\"");
  }

  @Test
  void streamSurvivesATemporaryFailureOfTheStore() throws Exception {
    streamSurvives(
        _ -> {
          throw new StoreException("the disk is full");
        });
  }

  @Test
  void streamSurvivesAnErrorOfTheStore() throws Exception {
    streamSurvives(
        _ -> {
          throw new StackOverflowError("simulated");
        });
  }

  private void streamSurvives(UnaryOperator<List<LogEntry>> failure) throws Exception {
    JobId id = submit();
    Thread stream = stream(id);
    awaitSent("pending");
    events = failure;
    int before = reads.get();
    store.complete(claim(), TaskResult.of("done"));
    Awaitility.await().until(() -> reads.get() > before + 2);
    assertThat(stream.isAlive()).isTrue();
    events = UnaryOperator.identity();
    assertThat(stream.join(So1TestServer.LONG)).isTrue();
    assertThat(sent).contains("id: 2\n").contains("\"state\":\"success\"");
  }

  @Test
  void streamEndsWithACommentWhenTheLogCannotBeRead() throws Exception {
    JobId id = submit();
    events =
        _ -> {
          throw new StoreException("the disk is full");
        };
    assertThat(stream(id).join(So1TestServer.LONG)).isTrue();
    assertThat(sent).contains("retry: 2000").contains(": the log cannot be read now");
    assertThat(hub.following()).isZero();
  }

  @Test
  void streamEndsWhenTheJobIsDeleted() throws Exception {
    JobId id = submit();
    Claim claim = claim();
    events = all -> all.stream().filter(entry -> !SseFrames.isJobEnd(entry)).toList();
    Thread stream = stream(id);
    awaitSent("running");
    store.complete(claim, TaskResult.of("done"));
    store.delete(id);
    assertThat(stream.join(So1TestServer.LONG)).isTrue();
    assertThat(sent).endsWith(": the job was deleted\n\n");
  }

  @Test
  void manyStreamsReadTheLogOnce() throws Exception {
    JobId id = submit();
    Claim claim = claim();
    for (int i = 0; i < 1_000; i++) {
      store.log(claim, "info", "line " + i);
    }
    List<Thread> streams = Stream.generate(() -> stream(id)).limit(50).toList();
    Awaitility.await().until(() -> sent.toString().split("line 999\"", -1).length > 50);
    assertThat(hub.following()).isOne();
    // 16 chunks of history, polls for new entries, and the search for the start
    assertThat(reads.get()).isLessThan(200);
    store.complete(claim, TaskResult.of("done"));
    for (Thread stream : streams) {
      assertThat(stream.join(So1TestServer.LONG)).isTrue();
    }
    assertThat(hub.following()).isZero();
  }

  @Test
  void closeOfTheHubEndsItsStreams() throws Exception {
    JobId id = submit();
    Thread stream = stream(id);
    awaitSent("pending");
    hub.close();
    assertThat(stream.join(So1TestServer.LONG)).isTrue();
    assertThat(sent).contains(": the server is stopping");
    Thread late = stream(id);
    assertThat(late.join(So1TestServer.LONG)).isTrue();
    assertThat(hub.following()).isZero();
  }
}
