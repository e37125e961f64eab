package dev.millrace.http.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Names of jobs while their store fails. */
class JobNamesTest {
  private final JobStore store =
      new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC()));
  private int reads;
  private @Nullable StoreException failure;

  @AfterEach
  void close() {
    store.close();
  }

  private JobNames names() {
    return new JobNames(
        (JobReader)
            Proxy.newProxyInstance(
                JobReader.class.getClassLoader(),
                new Class<?>[] {JobReader.class},
                (_, method, arguments) -> {
                  reads++;
                  if (failure != null) {
                    throw failure;
                  }
                  return method.invoke(store, arguments);
                }));
  }

  private JobId submit(String name) {
    StageSpec stage = StageSpec.of("resize", List.of(TaskSpec.of("a")));
    return store.submit(JobSpec.builder().name(name).stages(List.of(stage)).build());
  }

  @Test
  void aStoreThatFailsIsAskedOnceALookAndTheNameComesLater() {
    JobNames names = names();
    List<JobId> jobs = List.of(submit("one"), submit("two"), submit("three"));
    failure = new StoreException("broken for the test", null, Trouble.FAILING);
    names.beginLook();
    assertThat(jobs.stream().map(names::of)).containsOnlyNulls();
    assertThat(reads).as("each call may wait for a connection").isEqualTo(1);
    failure = null;
    names.beginLook();
    assertThat(jobs.stream().map(names::of)).containsExactly("one", "two", "three");
  }

  @Test
  void aJobThatCannotBeReadIsNotReadAgain() {
    JobNames names = names();
    JobId job = submit("one");
    failure = new StoreException("only this job");
    names.beginLook();
    assertThat(names.of(job)).isNull();
    names.beginLook();
    assertThat(names.of(job)).isNull();
    assertThat(reads).isEqualTo(1);
  }
}
