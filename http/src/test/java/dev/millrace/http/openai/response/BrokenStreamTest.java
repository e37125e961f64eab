package dev.millrace.http.openai.response;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.TraceContext;
import dev.millrace.engine.toolcall.AssistantOutputParser;
import dev.millrace.engine.toolcall.OutputFormat;
import dev.millrace.http.inference.ChoiceStream;
import dev.millrace.http.inference.ClientWatch;
import dev.millrace.http.inference.FakeGeneration;
import dev.millrace.http.inference.GenerationSource;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.job.JobSignals;
import dev.millrace.http.openai.request.ClientFields;
import dev.millrace.http.openai.response.store.ResponseStore;
import dev.millrace.http.openai.response.store.StoredResponse;
import dev.millrace.http.openai.response.stream.ResponseHead;
import dev.millrace.http.stream.EventStream;
import dev.millrace.server.infer.direct.AnswerFinish;
import dev.millrace.server.infer.direct.DirectRequest;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Streams of responses that something breaks: their clients are told, and never just cut off. */
class BrokenStreamTest {
  private static final JobId JOB = Work.generateId();
  private static final ResponseHead HEAD =
      new ResponseHead(
          StoredResponse.ids(JOB), 10, false, JsonObject.create().put("model", "house"));

  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
  private final EventStream events = new EventStream(sent::writeBytes);
  private final CountDownLatch failed = new CountDownLatch(1); // a call of the store

  private List<JsonObject> data() {
    return sent.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith("data: {"))
        .map(line -> Json.object(line.substring(6)))
        .toList();
  }

  private UnstoredResponse unstored(GenerationSource source, LongSupplier clock) {
    ChoiceStream answer =
        ChoiceStream.start(
            source, List.of(new DirectRequest(JsonObject.create(), 0, Instant.EPOCH, true)));
    ClientWatch client = new ClientWatch(new SilentRequest(), Duration.ofSeconds(10), clock);
    return new UnstoredResponse(
        HEAD,
        answer,
        client,
        InstantSource.fixed(Instant.EPOCH),
        ClientFields.response(JsonObject.create()));
  }

  private void assertLastIsError(String message) {
    JsonObject last = data().getLast();
    assertThat(last.string("type")).isEqualTo("error");
    assertThat(last.integer("sequence_number")).isEqualTo(data().size() - 1);
    assertThat(last.string("code")).isEqualTo("server_error");
    assertThat(last.string("message")).contains(message);
    assertThat(last.values()).containsEntry("param", null);
    assertThat(last.object("error").string("message")).isEqualTo(last.string("message"));
    assertThat(sent.toString(StandardCharsets.UTF_8)).contains("event: error\n");
  }

  @Test
  void whatBreaksInTheServerIsAnErrorEvent() throws Exception {
    FakeGeneration fake = new FakeGeneration().text("a").end(AnswerFinish.STOP);
    int[] calls = {0};
    UnstoredResponse response =
        unstored(
            _ -> fake,
            () -> {
              if (calls[0]++ == 6) {
                throw new IllegalStateException("secret detail");
              }
              return 0;
            });
    response.write(events);
    assertLastIsError("internal error");
    assertThat(sent.toString(StandardCharsets.UTF_8)).doesNotContain("secret detail");
    fake.closed.await();
  }

  @Test
  void whatBreaksInTheModelFailsTheResponse() throws Exception {
    unstored(
            _ -> {
              throw new IllegalStateException("secret detail");
            },
            () -> 0)
        .write(events);
    JsonObject last = data().getLast();
    assertThat(last.string("type")).isEqualTo("response.failed");
    assertThat(last.toString()).contains("internal error").doesNotContain("secret detail");
  }

  @Test
  void whatTheModelRefusesLateIsNamed() throws Exception {
    unstored(
            _ -> {
              throw TaskRefused.ofParameter(
                  "reasoning_effort", "parameter \"reasoning_effort\" no");
            },
            () -> 0)
        .write(events);
    JsonObject error = data().getLast().object("response").object("error");
    assertThat(error.string("code")).isEqualTo("invalid_prompt");
    assertThat(error.string("message")).isEqualTo("reasoning.effort no");
  }

  @Test
  void aServerThatStopsSaysSo() throws Exception {
    FakeGeneration fake = new FakeGeneration();
    UnstoredResponse response = unstored(_ -> fake, () -> 0);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> response.write(events)).isInstanceOf(InterruptedException.class);
    assertLastIsError("stopping");
    fake.closed.await();
  }

  @Test
  void aStoreThatFailsIsAnErrorEventWithTheNextNumber() throws Exception {
    AtomicReference<RuntimeException> fault = new AtomicReference<>();
    try (JobStore store = store(fault)) {
      stored(
          store,
          _ -> {
            if (fault.getAndSet(new StoreException("secret path")) == null) {
              wake(store);
            }
          });
      fault.set(null);
    }
    assertThat(data()).extracting(it -> it.integer("sequence_number")).containsExactly(1L, 2L);
    assertThat(data().getLast().string("type")).isEqualTo("error");
    assertThat(data().getLast().string("message")).contains("store").doesNotContain("secret");
  }

  @Test
  void aStoreThatIsAwayForAWhileBreaksNoStream() throws Exception {
    AtomicReference<RuntimeException> fault = new AtomicReference<>();
    try (JobStore store = store(fault)) {
      stored(
          store,
          _ -> {
            if (failed.getCount() > 0) {
              fault.set(new StoreException("away", null, Trouble.FAILING));
              Thread.ofVirtual().start(() -> comeBackAndEnd(store, fault));
            }
          });
    }
    assertThat(failed.getCount()).isZero();
    assertThat(data()).noneMatch(event -> event.string("type").equals("error"));
    assertThat(sent.toString(StandardCharsets.UTF_8)).endsWith("data: [DONE]\n\n");
  }

  /** Makes the stream look at the store. */
  private static void wake(JobStore store) {
    store.prioritize(JOB, Priority.LOW, Cause.user("anna", null));
  }

  /** The store is back once it was missed, and the response ends. */
  private void comeBackAndEnd(JobStore store, AtomicReference<RuntimeException> fault) {
    wake(store);
    try {
      failed.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    fault.set(null);
    store.abort(JOB, Cause.user("anna", null));
  }

  /**
   * Streams a stored response that waits for a worker.
   *
   * @param onSent called after each write
   */
  private void stored(JobStore store, Consumer<byte[]> onSent) throws Exception {
    StoredResponse response = new StoredResponse(JOB, "anna", false, HEAD);
    ResponseStore responses =
        new ResponseStore(
            store,
            (_, _) -> new AssistantOutputParser(new OutputFormat(null, false, null, List.of())));
    responses.submit(
        new ResponseStore.Submission(
            response,
            List.of(Map.of("id", "msg_1", "type", "message", "role", "user")),
            Json.object("{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"),
            TraceContext.start()));
    try (JobSignals signals = new JobSignals(store)) {
      ResponseBackend backend =
          new ResponseBackend(
              responses,
              signals,
              new InferenceAccess(),
              _ -> {},
              InstantSource.fixed(Instant.EPOCH),
              true);
      EventStream stream =
          new EventStream(
              bytes -> {
                sent.writeBytes(bytes);
                onSent.accept(bytes);
              });
      new StoredResponseStream(backend, () -> false, response, 0).write(stream);
    }
  }

  private JobStore store(AtomicReference<RuntimeException> fault) {
    JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(new ManualClock()));
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              RuntimeException now = fault.get();
              if (now != null && method.getName().equals("find")) {
                failed.countDown();
                throw now;
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
