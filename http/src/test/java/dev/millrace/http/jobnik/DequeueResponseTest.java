package dev.millrace.http.jobnik;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.StoreException;
import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import dev.millrace.http.jobnik.fixture.InterceptedStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claimed tasks reach the client, or they are released. */
class DequeueResponseTest {
  private static final int MEGABYTE = 1_000_000;

  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final JobnikTestServer api =
      new JobnikTestServer(
          InterceptedStore.memoryStore(
              (method, _) -> {
                Throwable thrown = method.equals("find") ? failure.get() : null;
                switch (thrown) {
                  case RuntimeException e -> throw e;
                  case Error e -> throw e;
                  case null, default -> {}
                }
              }));

  @AfterEach
  void close() {
    api.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "?limit=3"})
  void tasksAreReleasedWhenTheAnswerCannotBeBuilt(String query) {
    String stage = api.stage(api.job(), "t");
    api.tasks(stage, 3);
    for (Throwable thrown :
        List.of(new StoreException("the disk is gone"), new OutOfMemoryError("as if"))) {
      failure.set(thrown);
      assertThat(api.dequeue("t", "w", query).status()).isEqualTo(500);
      failure.set(null);
      JsonObject summary = api.get("/v1/stages/" + stage + "/summary").object();
      assertThat(summary.integer("inProgress")).isZero();
    }
    List<JsonObject> taken = api.dequeue("t", "w", "?limit=3").list();
    assertThat(taken).hasSize(3).allMatch(task -> task.integer("attempts") == 0);
  }

  @Test
  void tasksAreReleasedWhenTheAnswerCannotBeSent() throws IOException {
    String stage = api.stage(api.job(), "t");
    large(stage, 1, 9 * MEGABYTE);
    InetSocketAddress address = api.service.address();
    try (Socket socket = new Socket()) {
      socket.setReceiveBufferSize(8 << 10);
      socket.setSoTimeout(20_000);
      socket.connect(address);
      socket
          .getOutputStream()
          .write(
              "PATCH /v1/stages/t/tasks/dequeue HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  .getBytes(US_ASCII));
      InputStream in = socket.getInputStream();
      assertThat(new String(in.readNBytes(12), US_ASCII)).isEqualTo("HTTP/1.1 200");
      assertThat(api.status("/v1/stages/" + stage)).isEqualTo("IN_PROGRESS");
      socket.setSoLinger(true, 0); // closing resets the connection in the middle of the answer
    }
    await()
        .until(
            () -> api.get("/v1/stages/" + stage + "/summary").object().integer("inProgress") == 0);
    assertThat(api.dequeue("t").object().integer("attempts")).isZero();
  }

  @Test
  void largeTasksNeedSeveralAnswers() {
    String stage = api.stage(api.job(), "t");
    for (int i = 0; i < 5; i++) {
      large(stage, 4, MEGABYTE);
    }
    List<String> taken = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      List<JsonObject> tasks = api.dequeue("t", "w", "?limit=1000").list();
      sizes.add(tasks.size());
      tasks.forEach(task -> taken.add(task.string("id")));
    }
    assertThat(sizes).containsExactly(8, 8, 4);
    assertThat(taken).doesNotHaveDuplicates().hasSize(20);
  }

  @Test
  void smallTasksFitInOneAnswer() {
    String stage = api.stage(api.job(), "t");
    api.tasks(stage, 1_500);
    assertThat(api.dequeue("t", "w", "?limit=1000").list()).hasSize(1_000);
    assertThat(api.dequeue("t", "w", "?limit=501").list()).hasSize(500);
  }

  @Test
  void jobDataCountsForEachTask() {
    String job = api.job("{'name':'work','data':{'x':'" + "y".repeat(900_000) + "'}}");
    api.tasks(api.stage(job, "t"), 100);
    ApiReply got = api.dequeue("t", "w", "?limit=100");
    assertThat(got.list()).hasSizeBetween(8, 12);
  }

  private void large(String stage, int tasks, int characters) {
    String one = "{'data':{'x':'" + "y".repeat(characters) + "'}}";
    String all = String.join(",", Collections.nCopies(tasks, one));
    assertThat(api.post("/v1/stages/" + stage + "/tasks", "[" + all + "]").status()).isEqualTo(201);
  }
}
