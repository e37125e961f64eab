package dev.millrace.bench.page;

import dev.millrace.core.task.OutputChunk;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Stands in for a model: each task writes tokens at the same rate until it is stopped. */
final class TokenStub implements Worker {
  private static final List<String> WORDS =
      List.of("the ", "wheel ", "of ", "the ", "mill ", "turns ", "in ", "the ", "river, ", "and ");

  private final long pause;

  TokenStub(double tokensPerSecond) {
    this.pause = Math.round(1e9 / tokensPerSecond);
  }

  @Override
  public String type() {
    return "generate";
  }

  @Override
  public TaskOutcome work(TaskContext task) {
    long next = System.nanoTime();
    for (int token = 0; !task.cancelled(); token++) {
      task.journal(new OutputChunk(List.of(token), List.of(WORDS.get(token % WORDS.size()))));
      next += pause;
      LockSupport.parkNanos(next - System.nanoTime());
    }
    return TaskOutcome.failed("stopped");
  }
}
