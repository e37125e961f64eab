package dev.millrace.server.exec;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Ends the programs of a server that was killed. A small shell in its own session reads from a pipe
 * which process groups exist. When the pipe closes, because this process ended in any way, the
 * shell ends the groups that are left. Thread-safe.
 *
 * <p>Rejected: {@code prctl(PR_SET_PDEATHSIG)} reaches neither grandchildren nor, from Java, the
 * child itself; a shell beside every program costs a process for each task.
 */
final class Watchdog implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** Lines are "+ TARGET" and "- TARGET", a target being what kill(1) takes. */
  private static final String SCRIPT =
      """
      trap '' HUP INT TERM
      cd /
      alive=' '
      while read -r op target; do
        case $op in
          +) alive="$alive$target " ;;
          -) case $alive in
               *" $target "*) alive="${alive%% "$target" *} ${alive#* "$target" }" ;;
             esac ;;
        esac
      done
      [ "$alive" = ' ' ] && exit
      for target in $alive; do kill -s TERM -- "$target" 2>/dev/null; done
      sleep "$1"
      for target in $alive; do kill -s KILL -- "$target" 2>/dev/null; done
      """;

  private final List<String> prefix;
  private final Duration grace;
  private final Set<String> targets = new LinkedHashSet<>(); // guarded by this
  private @Nullable Process shell; // guarded by this

  /**
   * @param prefix the command that starts another in its own session; empty if there is none
   */
  Watchdog(List<String> prefix, Duration grace) {
    this.prefix = prefix;
    this.grace = grace;
  }

  /** After this, {@code target} ends with this process even if that is killed. */
  synchronized void watch(String target) {
    targets.add(target);
    send("+ " + target);
  }

  synchronized void forget(String target) {
    if (targets.remove(target)) {
      send("- " + target);
    }
  }

  private void send(String line) {
    try {
      if (shell != null && write(shell, List.of(line))) {
        return;
      }
      shell = start();
      write(shell, targets.stream().map(it -> "+ " + it).toList());
    } catch (IOException e) {
      LOG.log(
          Level.WARNING, "the watchdog cannot be started: programs may outlive a killed server", e);
    }
  }

  /** False if the shell has ended. */
  private static boolean write(Process shell, List<String> lines) {
    try {
      OutputStream pipe = shell.getOutputStream();
      pipe.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.US_ASCII));
      pipe.flush();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private Process start() throws IOException {
    List<String> command = new ArrayList<>(prefix);
    String seconds = Long.toString(Math.max(1, grace.toSeconds()));
    command.addAll(List.of("/bin/sh", "-c", SCRIPT, "millrace-watchdog", seconds));
    return new ProcessBuilder(command)
        .redirectOutput(Redirect.DISCARD)
        .redirectError(Redirect.DISCARD)
        .start();
  }

  /** Ends all groups that are still watched. */
  @Override
  public synchronized void close() {
    if (shell != null) {
      try {
        shell.getOutputStream().close();
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "the watchdog had already ended", e);
      }
      shell = null;
    }
  }
}
