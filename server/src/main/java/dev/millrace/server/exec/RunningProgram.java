package dev.millrace.server.exec;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.exec.ProcessSignals.Signal;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A program as its record describes it.
 *
 * @param group whether it leads a process group of its number
 * @param job the job and the token of the claim that it runs for: they are in its environment, and
 *     in that of the processes that it started
 * @param directory the directory of the record, as the file system knows it: a copy is another one
 */
record RunningProgram(
    ProcessIdentity leader, boolean group, String job, String token, String directory) {

  static final String JOB = "MILLRACE_JOB";
  static final String TOKEN = "MILLRACE_TOKEN";

  static Optional<RunningProgram> read(String text) {
    try {
      JsonObject json = Json.object(text);
      return Optional.of(
          new RunningProgram(
              new ProcessIdentity(json.integer("pid"), json.string("start"), json.string("boot")),
              json.flag("group", false),
              json.string("job"),
              json.string("token"),
              json.string("directory")));
    } catch (JsonException e) {
      return Optional.empty(); // not whole: no program is let go before its record is
    }
  }

  String write() {
    return JsonObject.create()
        .put("pid", leader.pid())
        .put("start", leader.start())
        .put("boot", leader.boot())
        .put("group", group)
        .put("job", job)
        .put("token", token)
        .put("directory", directory)
        .toString();
  }

  /**
   * Whether it provably still runs. The number of a group stays taken while it has members; but if
   * the leader is gone, the group with its number may be another one, unless a member has the
   * claim's token in its environment.
   */
  boolean isRunning() {
    if (leader.isPresent()) {
      return group ? ProcessGroupMembers.anyAlive(leader.pid()) : handle().isPresent();
    }
    return group && ProcessGroupMembers.anyWith(leader.pid(), JOB + "=" + job, TOKEN + "=" + token);
  }

  private Optional<ProcessHandle> handle() {
    return ProcessHandle.of(leader.pid()).filter(ProcessHandle::isAlive);
  }

  /** Call only while it runs. */
  void send(Signal signal, Optional<ProcessSignals> signals) {
    if (group && signals.isPresent()) {
      signals.get().send(-leader.pid(), signal);
      return;
    }
    handle().stream()
        .flatMap(process -> Stream.concat(process.descendants(), Stream.of(process)))
        .forEach(
            process -> {
              if (signal == Signal.KILL) {
                process.destroyForcibly();
              } else {
                process.destroy();
              }
            });
  }

  @Override
  public String toString() {
    return (group ? "process group " : "process ") + leader.pid() + " of job " + job;
  }
}
