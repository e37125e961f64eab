package dev.millrace.http.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.inference.ClientWatch;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.stream.EventStream;
import dev.millrace.server.infer.VerifyRequest;
import dev.millrace.server.infer.VerifyResult;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A verification gives its permit back once, whatever comes first. */
class VerificationTest {
  private static final VerifyRequest REQUEST =
      new VerifyRequest(
          "generate",
          "a",
          JsonObject.create(),
          Instant.EPOCH,
          JsonObject.create(),
          TaskResult.of("b"));

  private final Semaphore permits = new Semaphore(0);
  private final AtomicInteger runs = new AtomicInteger();
  private final StringBuilder sent = new StringBuilder();
  private final Verification verification =
      new Verification(
          REQUEST,
          _ -> {
            runs.incrementAndGet();
            return new VerifyResult(true, true, "the same");
          },
          permits);

  /** Of a client that stays. */
  private static ClientWatch watch() {
    ApiRequest request =
        (ApiRequest)
            Proxy.newProxyInstance(
                ApiRequest.class.getClassLoader(),
                new Class<?>[] {ApiRequest.class},
                (_, method, _) -> method.getName().equals("isClientGone") ? Boolean.FALSE : null);
    return new ClientWatch(request, Duration.ofSeconds(10), System::nanoTime);
  }

  private void write() throws Exception {
    verification.write(
        new EventStream(bytes -> sent.append(new String(bytes, StandardCharsets.UTF_8))), watch());
  }

  @Test
  void oneThatHasRunGivesItBack() throws Exception {
    write();
    verification.abandon();
    assertThat(runs).hasValue(1);
    assertThat(permits.availablePermits()).isEqualTo(1);
    assertThat(sent).contains("\"same\":true");
  }

  /** The client leaves when the thread that runs it has not begun. */
  @Test
  void oneThatBeginsTooLateDoesNotRun() throws Exception {
    verification.abandon();
    write();
    assertThat(runs).hasValue(0);
    assertThat(permits.availablePermits()).isEqualTo(1);
    assertThat(sent).contains("\"repeated\":false");
  }
}
