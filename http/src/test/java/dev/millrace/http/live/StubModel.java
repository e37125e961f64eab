package dev.millrace.http.live;

import dev.millrace.core.task.OutputChunk;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.TaskPhase;
import dev.millrace.server.Worker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/** Puts out the tokens that a test gives it, each to the task with that input. */
final class StubModel implements Worker {
  private static final String END = "\0end";
  private static final String FAIL = "\0fail";

  private final Map<String, BlockingQueue<String>> given = new ConcurrentHashMap<>();

  private BlockingQueue<String> queue(String input) {
    return given.computeIfAbsent(input, _ -> new LinkedBlockingQueue<>());
  }

  void say(String input, String... tokens) {
    queue(input).addAll(List.of(tokens));
  }

  void end(String input) {
    queue(input).add(END);
  }

  void fail(String input) {
    queue(input).add(FAIL);
  }

  @Override
  public String type() {
    return "generate";
  }

  @Override
  public TaskOutcome work(TaskContext task) throws Exception {
    StringBuilder text = new StringBuilder();
    task.phase(TaskPhase.STARTING, null);
    task.promptProgress(3, 7);
    BlockingQueue<String> tokens = queue(task.text());
    int count = 0;
    for (String token = tokens.take(); !token.equals(END); token = tokens.take()) {
      if (token.equals(FAIL)) {
        return TaskOutcome.failed("told to fail");
      }
      task.journal(new OutputChunk(List.of(count++), List.of(token)));
      text.append(token);
    }
    return TaskOutcome.done(text.toString());
  }
}
