package dev.millrace.cli.doctor;

import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.store.fs.OwnerStatus;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks which server owns the workspace, and whether a dead one left files. */
public final class OwnerCheck {
  private static final List<String> ANNOUNCEMENTS =
      List.of(".nrvnad.pid", ".nrvnad.ready", ".nrvnad.info");

  private final Path workspace;

  public OwnerCheck(Path workspace) {
    this.workspace = workspace;
  }

  /** The URL of the server of a workspace; null if none runs, or it has no HTTP. */
  static @Nullable String httpAddress(@Nullable Path workspace) {
    return workspace != null
            && DirectoriesCheck.complete(workspace)
            && Workspace.open(workspace).owner().info().get("http") instanceof String address
        ? address
        : null;
  }

  public void run(Findings findings) {
    if (!DirectoriesCheck.complete(workspace)) {
      return; // opening it would create missing directories
    }
    OwnerStatus owner = Workspace.open(workspace).owner();
    List<String> left =
        ANNOUNCEMENTS.stream().filter(name -> Files.exists(workspace.resolve(name))).toList();
    if (owner.held()) {
      String pid = owner.pid().isPresent() ? "pid " + owner.pid().getAsLong() : "a process";
      findings.ok("server", pid + (owner.ready() ? " owns it" : " is starting"));
    } else if (!left.isEmpty()) {
      findings.warn(
          "server",
          "none runs, but " + String.join(", ", left) + " are left of a dead one",
          "harmless: "
              + SuggestedCommand.of("serve").on(workspace.toString()).with("--status").quoted()
              + " or the next server removes them");
    } else {
      findings.ok("server", "none runs");
    }
  }
}
