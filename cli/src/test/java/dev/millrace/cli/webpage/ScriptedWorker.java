package dev.millrace.cli.webpage;

import dev.millrace.core.task.OutputChunk;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/** Generates what a test says, when it says it: each task gets the tokens for its input. */
final class ScriptedWorker implements Worker {
  private static final String END = "\0end";
  private static final String FAIL = "\0fail";

  private final Map<String, BlockingQueue<String>> scripts = new ConcurrentHashMap<>();

  private BlockingQueue<String> script(String input) {
    return scripts.computeIfAbsent(input, _ -> new LinkedBlockingQueue<>());
  }

  ScriptedWorker say(String input, String... tokens) {
    script(input).addAll(List.of(tokens));
    return this;
  }

  /** The task with that input completes. */
  ScriptedWorker end(String input) {
    return say(input, END);
  }

  /** The task with that input fails. */
  ScriptedWorker fail(String input, String error) {
    return say(input, FAIL + error);
  }

  @Override
  public String type() {
    return "generate";
  }

  @Override
  public TaskOutcome work(TaskContext task) throws Exception {
    StringBuilder text = new StringBuilder();
    BlockingQueue<String> tokens = script(task.text());
    int count = 0;
    for (String token = tokens.take(); !token.equals(END); token = tokens.take()) {
      if (token.startsWith(FAIL)) {
        return TaskOutcome.failed(token.substring(FAIL.length()));
      }
      task.journal(new OutputChunk(List.of(count++), List.of(token)));
      text.append(token);
    }
    return TaskOutcome.done(text.toString());
  }
}
