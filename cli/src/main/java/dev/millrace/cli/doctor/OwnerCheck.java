package dev.millrace.cli.doctor;

import dev.millrace.store.fs.Owner;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Who owns the workspace, and what an owner that died has left. */
public final class OwnerCheck {
  private static final List<String> ANNOUNCEMENTS =
      List.of(".nrvnad.pid", ".nrvnad.ready", ".nrvnad.info");

  private final Path workspace;

  public OwnerCheck(Path workspace) {
    this.workspace = workspace;
  }

  public void run(Findings findings) {
    if (!DirectoriesCheck.complete(workspace)) {
      return; // to open it would make what is missing
    }
    Owner owner = Workspace.open(workspace).owner();
    List<String> left =
        ANNOUNCEMENTS.stream().filter(name -> Files.exists(workspace.resolve(name))).toList();
    if (owner.held()) {
      String pid = owner.pid().isPresent() ? "pid " + owner.pid().getAsLong() : "a process";
      findings.ok("server", pid + (owner.ready() ? " works on it" : " is starting"));
    } else if (!left.isEmpty()) {
      findings.warn(
          "server",
          "none runs, but " + String.join(", ", left) + " are left of one that died",
          "harmless: \"millrace serve --status\" or the next server removes them");
    } else {
      findings.ok("server", "none runs");
    }
  }
}
