package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobException;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.server.internal.UnreleasedClaims;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Claims that lost their worker are released, also by a store that fails for a while. */
class UnreleasedClaimsTest {
  private static final ClaimRequest ONE = new ClaimRequest(Set.of("work"), 1, "w", null);

  private final Deque<Throwable> thrown = new ArrayDeque<>();
  private final InMemoryServer inMemory =
      new InMemoryServer(
          StoreInterceptor.intercepting(
              call -> {
                if (call.name().equals("release") && !thrown.isEmpty()) {
                  throw thrown.remove();
                }
                return call.proceed();
              }));
  private final UnreleasedClaims claims = new UnreleasedClaims(inMemory.store);
  private final JobId id = inMemory.submit("work", "a");
  private final Claim claim = inMemory.store.claim(ONE).getFirst();

  private TaskState state() {
    return inMemory.task(id).state();
  }

  @Test
  void aClaimIsReleasedByALaterPulse() {
    thrown.addAll(List.of(new StackOverflowError("once"), new OutOfMemoryError("twice")));
    claims.release(claim);
    claims.releaseAgain();
    assertThat(claims.isEmpty()).isFalse();
    assertThat(state()).isEqualTo(TaskState.IN_PROGRESS);
    claims.releaseAgain();
    assertThat(claims.isEmpty()).isTrue();
    assertThat(state()).isEqualTo(TaskState.RETRIED);
  }

  @Test
  void aJobThatCannotBeWrittenIsLeftAlone() {
    thrown.add(new JobException("cannot write it", null));
    claims.release(claim);
    assertThat(claims.isEmpty()).isTrue();
  }

  @Test
  void anAnswerThatCountedStays() {
    inMemory.store.complete(claim, TaskResult.of("done"));
    claims.release(claim);
    assertThat(claims.isEmpty()).isTrue();
    assertThat(state()).isEqualTo(TaskState.COMPLETED);
  }
}
