package dev.millrace.http.webhook;

import static org.awaitility.Awaitility.await;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** A store with a webhook service, and shortcuts for tests. */
final class WebhookFixture implements AutoCloseable {
  static final String SECRET = "a secret of the tests";
  static final Duration LONG = Duration.ofSeconds(30);

  final ManualClock clock = new ManualClock(Instant.now());
  private final MemoryStoreFixture stores = new MemoryStoreFixture();
  JobStore store = stores.open(ContractSettings.steady(Clock.systemUTC()));
  WebhookSettings settings =
      WebhookSettings.of(WebhookAllowList.of(List.of("127.0.0.0/8")), SECRET)
          .withClock(clock)
          .withTimeout(Duration.ofSeconds(20));
  AllowedAddressResolver.Resolver resolver = InetAddress::getAllByName;
  SSLSocketFactory tls = (SSLSocketFactory) SSLSocketFactory.getDefault();
  int capacity = WebhookScheduler.CAPACITY;
  private @Nullable WebhookService hooks;

  WebhookService open() {
    hooks =
        WebhookService.open(
            store, settings, new WebhookService.Environment(resolver, tls, capacity));
    return hooks;
  }

  /** Simulates a crash: nothing is finished, and another owner opens the store. */
  void crash() {
    close();
    store = stores.open(ContractSettings.steady(Clock.systemUTC()));
  }

  void step(Duration by) {
    clock.advance(by);
    if (hooks != null) {
      hooks.wake();
    }
  }

  static Webhook hook(String url, Webhook.Event... on) {
    return new Webhook(url, Set.of(on));
  }

  JobId submit(Webhook... webhooks) {
    return submit(List.of(StageSpec.of("work", List.of(TaskSpec.of("x")))), webhooks);
  }

  JobId submit(List<StageSpec> stages, Webhook... webhooks) {
    return store.submit(
        JobSpec.builder()
            .name("told")
            .tags(List.of("tag"))
            .stages(stages)
            .webhooks(Arrays.asList(webhooks))
            .build());
  }

  Claim claim() {
    return store.claim(new ClaimRequest(Set.of("work"), 1, "test", null)).getFirst();
  }

  void complete() {
    store.complete(claim(), TaskResult.of("done"));
  }

  void fail() {
    store.fail(claim(), Failure.permanent("broken"));
  }

  /** Submits a job and completes it. */
  JobId done(Webhook... webhooks) {
    JobId id = submit(webhooks);
    complete();
    return id;
  }

  boolean hasNote(JobId id) {
    return store.readNote(NoteStore.WEBHOOKS, id.value()).isPresent();
  }

  String note(JobId id) {
    return store.readNote(NoteStore.WEBHOOKS, id.value()).orElse("");
  }

  static void until(String what, Callable<Boolean> happened) {
    await(what).atMost(LONG).pollInterval(Duration.ofMillis(5)).until(happened);
  }

  @Override
  public void close() {
    if (hooks != null) {
      hooks.close();
    }
    store.close();
  }
}
