package dev.millrace.http.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.JobSignals;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.transport.ClientGoneException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream of a task to which nothing happens: the task may have an input of 10 MB. */
@Timeout(60)
class WaitingOutputTest {
  private final JobStore store =
      new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC()));
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger probes = new AtomicInteger();

  @AfterEach
  void close() {
    store.close();
  }

  private JobStore counted() {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              if (method.getName().equals("task")) {
                reads.incrementAndGet();
              }
              return method.invoke(store, arguments);
            });
  }

  /** Its client leaves at the third look for it. */
  private ApiRequest request(JobId job) {
    return (ApiRequest)
        Proxy.newProxyInstance(
            ApiRequest.class.getClassLoader(),
            new Class<?>[] {ApiRequest.class},
            (_, method, _) ->
                switch (method.getName()) {
                  case "pathParameter" -> new EntityId(job, 1, 1).uuid().toString();
                  case "isClientGone" -> probes.incrementAndGet() == 3;
                  default -> Optional.empty();
                });
  }

  @Test
  void theTaskIsReadOnce() throws Exception {
    JobId job = store.submit(JobSpec.prompt("generate", "a"));
    JobStore read = counted();
    try (IdResolver ids = new IdResolver(read);
        JobSignals signals = new JobSignals(read)) {
      ApiResponse.Stream stream =
          (ApiResponse.Stream)
              TaskOutputStream.of(request(job), new EntityLookup(read, ids), signals);
      reads.set(0);
      assertThatThrownBy(() -> stream.body().write(_ -> {}))
          .isInstanceOf(ClientGoneException.class);
      assertThat(probes).hasValue(3);
      assertThat(reads).hasValue(1);
    }
  }
}
