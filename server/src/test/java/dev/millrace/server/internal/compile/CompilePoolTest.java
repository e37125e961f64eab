package dev.millrace.server.internal.compile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.internal.budget.CompileBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CompilePoolTest {

  @Test
  @Timeout(60)
  void callerWithManyCompilationsLeavesThreadsToOthers() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    List<Future<Boolean>> endless = new ArrayList<>();
    Runnable carried =
        CompilePool.<Runnable, RuntimeException>callFor(
            "a",
            () -> {
              for (int i = 0; i < 500; i++) {
                endless.add(CompilePool.submit(new CompileBudget(), () -> isAwaited(end)));
              }
              return CompilePool.forSameCaller(
                  () -> endless.add(CompilePool.submit(new CompileBudget(), () -> isAwaited(end))));
            });
    for (int i = 0; i < 500; i++) {
      carried.run(); // as another thread of the same request does
    }
    try {
      String result =
          CompilePool.<String, InterruptedException>callFor(
              "b", () -> CompilePool.compile(new CompileBudget(), () -> "of b"));
      assertThat(result).isEqualTo("of b");
      assertThat(CompilePool.compile(new CompileBudget(), () -> "of a task"))
          .isEqualTo("of a task");
      assertThat(endless).noneMatch(Future::isDone);
    } finally {
      endless.forEach(each -> each.cancel(true));
      end.countDown();
    }
  }

  private static boolean isAwaited(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
