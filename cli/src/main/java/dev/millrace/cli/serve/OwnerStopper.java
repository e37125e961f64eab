package dev.millrace.cli.serve;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * {@code serve --stop}: sends SIGTERM to the owner of a workspace, and again if it takes too long.
 */
final class OwnerStopper {
  /** How long to wait after the second signal. */
  private static final int LAST_SECONDS = 15;

  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

  private static final Set<String> PROGRAMS = Set.of("java", "millrace", "nrvnad");

  private final Shell shell;
  private final OwnablePlace place;
  private final boolean json;

  OwnerStopper(Shell shell, OwnablePlace place, boolean json) {
    this.shell = shell;
    this.place = place;
    this.json = json;
  }

  int run(int seconds) throws InterruptedException {
    PlaceOwner owner = place.owner();
    if (!owner.held()) {
      place.withdrawStaleAnnouncement();
      return report(0, "not running", ExitCode.OK);
    }
    if (owner.pid().isEmpty()) {
      throw new CommandException(
          "a server is just taking over " + place.location() + "; try again in a moment");
    }
    long pid = owner.pid().getAsLong();
    ProcessHandle process = verified(pid);
    process.destroy();
    if (!ended(process, seconds)) {
      shell.err().println("still running after " + seconds + " s; signalling it again");
      process.destroy();
      if (!ended(process, LAST_SECONDS)) {
        return report(pid, "still running", ExitCode.FAILED);
      }
    }
    return report(pid, "stopped", ExitCode.OK);
  }

  /** Asks often: for a process that is not a child, onExit may notice the end seconds later. */
  private static boolean ended(ProcessHandle process, int seconds) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (process.isAlive()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      Thread.sleep(POLL_INTERVAL);
    }
    return true;
  }

  /** The process that holds the lock, checked: a pid in a file may be out of date. */
  private ProcessHandle verified(long pid) {
    String problem = "the lock of " + place.location() + " names pid " + pid + ", which ";
    ProcessHandle process =
        ProcessHandle.of(pid)
            .orElseThrow(
                () -> new CommandException(problem + "is not a process here; it is not signalled"));
    if (pid == ProcessHandle.current().pid()) {
      throw new CommandException(problem + "is this process");
    }
    String command = process.info().command().orElse("");
    String program = command.substring(command.lastIndexOf('/') + 1);
    if (!command.isEmpty() && !PROGRAMS.contains(program)) {
      throw new CommandException(
          problem + "runs " + command + ", not a server; it is not signalled");
    }
    if (!place.mayBeOwnedBy(pid)) {
      throw new CommandException(problem + "has not opened the lock file; it is not signalled");
    }
    return process;
  }

  private int report(long pid, String outcome, int status) {
    if (json) {
      JsonObject out = JsonObject.create().put("outcome", outcome);
      shell.out().println(Json.write(out.putIfPresent("pid", pid == 0 ? null : pid)));
    } else {
      shell.out().println(pid == 0 ? outcome : outcome + " (pid " + pid + ")");
    }
    return status;
  }
}
