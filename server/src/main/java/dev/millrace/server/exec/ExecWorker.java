package dev.millrace.server.exec;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TraceContext;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs a program for every task of a type: {@code /bin/sh -c COMMAND} with the input on stdin. Its
 * output is the result, byte for byte, and must be UTF-8. Exit status 0 is success; any other is a
 * failed attempt with the last line of stderr as its message. Lines of stderr go to the job's log
 * as they are printed.
 *
 * <p>The environment describes the task: {@code MILLRACE_JOB}, {@code MILLRACE_STAGE}, {@code
 * MILLRACE_TASK}, {@code MILLRACE_TYPE}, {@code MILLRACE_ATTEMPT}, {@code MILLRACE_TOKEN}, which is
 * different in every attempt, and {@code MILLRACE_DATA}, the parameters of the stage as JSON, with
 * the schema or grammar that the job asks for. {@code TRACEPARENT} and {@code TRACESTATE} hold the
 * trace of the task, if it has one, as in W3C Trace Context. Of the server's environment it has what
 * {@link ExecEnvironment} lets through. The result of a job with a schema must at least be JSON.
 *
 * <p>When the program exits, is cancelled or runs out of time, or the server stops at once or is
 * killed, all processes that it started are ended: TERM, and KILL after the grace period. Only
 * processes that started their own session are left alone. If the server is killed together with
 * the watchdog that does this, {@link RunningPrograms} let the next server do it. Thread-safe.
 */
public final class ExecWorker implements Worker {
  /** The variables that describe a task. */
  static final Set<String> TASK_VARIABLES =
      Set.of(
          RunningProgram.JOB,
          "MILLRACE_STAGE",
          "MILLRACE_TASK",
          "MILLRACE_TYPE",
          "MILLRACE_ATTEMPT",
          RunningProgram.TOKEN,
          "MILLRACE_DATA",
          "TRACEPARENT",
          "TRACESTATE");

  private static final String JSON_SCHEMA = "json_schema";

  /** Less than the size limit of an environment variable on all systems. */
  private static final int MAX_DATA = 30_000;

  private final String type;
  private final String command;
  private final ExecLimits limits;
  private final ExecEnvironment environment;
  private final ProcessGroupLauncher groups;
  private final ExecutorService pumps;

  public ExecWorker(String type, String command) {
    this(type, command, ExecLimits.DEFAULT);
  }

  public ExecWorker(String type, String command, ExecLimits limits) {
    this(type, command, limits, RunningPrograms.unrecorded(), ExecEnvironment.of(System.getenv()));
  }

  /**
   * @param programs where its programs are recorded while they run
   */
  public ExecWorker(
      String type,
      String command,
      ExecLimits limits,
      RunningPrograms programs,
      ExecEnvironment environment) {
    this.type = StageSpec.requireType(type);
    if (command.isBlank()) {
      throw new IllegalArgumentException("type \"" + type + "\" has no command");
    }
    this.command = command;
    this.limits = limits;
    this.environment = environment;
    this.groups = ProcessGroupLauncher.open(environment.serverPath(), limits.grace(), programs);
    // Platform threads: a read from a pipe would pin the carrier of a virtual thread.
    this.pumps =
        Executors.newCachedThreadPool(
            MonitoredThreads.work().name("exec-" + type + "-", 1).factory());
  }

  /** A worker from {@code TYPE=COMMAND}, the form of the command line. */
  public static ExecWorker parse(String typeAndCommand) {
    int equals = typeAndCommand.indexOf('=');
    if (equals < 1) {
      throw new IllegalArgumentException("expected TYPE=COMMAND, got \"" + typeAndCommand + "\"");
    }
    return new ExecWorker(
        typeAndCommand.substring(0, equals), typeAndCommand.substring(equals + 1));
  }

  @Override
  public String type() {
    return type;
  }

  @Override
  public TaskOutcome work(TaskContext task) throws IOException {
    String data = data(task);
    if (data.length() > MAX_DATA) {
      return new TaskOutcome.Failed(
          Failure.permanent(
              "the stage's data has "
                  + data.length()
                  + " characters; a program can be given at most "
                  + MAX_DATA
                  + " (MILLRACE_DATA)"));
    }
    ProcessGroup group = groups.start(command, environment(task, data));
    try {
      return checked(
          task, new Execution(group, limits, task::log).run(task, pumps, () -> groups.end(group)));
    } finally {
      groups.end(group);
    }
  }

  /** The stage's data; a grammar that only repeats the schema gives way if there is no room. */
  private static String data(TaskContext task) {
    String all = task.data().toString();
    if (all.length() <= MAX_DATA || !task.data().has(JSON_SCHEMA)) {
      return all;
    }
    JsonObject less = JsonObject.create();
    less.values().putAll(task.data().values());
    less.values().remove("grammar");
    return less.toString();
  }

  /**
   * Fails a job that asked for JSON if the result is not JSON; the text is kept as partial output.
   */
  private static TaskOutcome checked(TaskContext task, TaskOutcome outcome) {
    if (outcome instanceof TaskOutcome.Done(TaskResult result) && task.data().has(JSON_SCHEMA)) {
      try {
        Json.parse(result.text());
      } catch (JsonException e) {
        return new TaskOutcome.Failed(
            new Failure(
                "Structured job produced invalid JSON: " + e.getMessage(), true, result.text()));
      }
    }
    return outcome;
  }

  private Map<String, String> environment(TaskContext task, String data) {
    Claim claim = task.claim();
    Map<String, String> environment = new HashMap<>(this.environment.variables());
    environment.put(RunningProgram.JOB, claim.job().value());
    environment.put("MILLRACE_STAGE", Integer.toString(claim.key().stage()));
    environment.put("MILLRACE_TASK", Integer.toString(claim.key().task()));
    environment.put("MILLRACE_TYPE", claim.type());
    environment.put("MILLRACE_ATTEMPT", Integer.toString(claim.attempt()));
    environment.put(RunningProgram.TOKEN, claim.key().token().toString());
    environment.put("MILLRACE_DATA", data);
    TraceContext trace = task.trace();
    if (trace != null) {
      environment.put("TRACEPARENT", trace.parent());
    }
    if (trace != null && trace.state() != null) {
      environment.put("TRACESTATE", trace.state());
    }
    return environment;
  }

  @Override
  public void close() {
    pumps.shutdown();
    groups.close();
  }

  @Override
  public String toString() {
    return type + "=" + command;
  }
}
