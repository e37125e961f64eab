package dev.millrace.cli.doctor;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.millrace.cli.command.SuggestedCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks the directories of a workspace: present, no links, on one file system, writable. */
public final class DirectoriesCheck {
  static final List<String> NAMES =
      List.of(
          "input/writing", "input/ready", "processing", "paused", "output", "failed", "cancelled");

  private final Path workspace;

  public DirectoriesCheck(Path workspace) {
    this.workspace = workspace;
  }

  /** Whether none is missing: then opening the workspace changes nothing. */
  static boolean complete(Path workspace) {
    return NAMES.stream().allMatch(directory -> Files.isDirectory(workspace.resolve(directory)))
        && Files.isDirectory(workspace.resolve(".millrace/trash"));
  }

  public void run(Findings findings) throws IOException {
    if (!Files.isExecutable(workspace)) {
      notAllowed(findings, workspace);
      return;
    }
    List<Path> present = present(findings);
    devices(findings, present);
    permissions(findings, present);
  }

  private List<Path> present(Findings findings) {
    List<String> missing = new ArrayList<>();
    List<Path> present = new ArrayList<>(List.of(workspace));
    for (String name : NAMES) {
      Path directory = workspace.resolve(name);
      if (Files.isDirectory(directory, NOFOLLOW_LINKS)) {
        present.add(directory);
      } else if (Files.exists(directory, NOFOLLOW_LINKS)) {
        findings.fail("places", directory + " is not a directory", "move it away");
      } else {
        missing.add(name);
      }
    }
    if (missing.contains("input/ready")) {
      findings.fail(
          "places",
          workspace + " is not a workspace: no input/ready",
          SuggestedCommand.of("work")
              .on(workspace.toString())
              .with(SuggestedCommand.PROMPT)
              .to("creates one there"));
    } else if (!missing.isEmpty()) {
      findings.warn(
          "places",
          "missing: " + String.join(", ", missing),
          "the next command that writes creates them; older nrvna workspaces lack some");
    } else {
      findings.ok("places", "all " + NAMES.size() + " exist");
    }
    return present;
  }

  private void devices(Findings findings, List<Path> present) throws IOException {
    Object device = device(workspace);
    for (Path directory : present) {
      if (!device.equals(device(directory))) {
        findings.fail(
            "rename",
            directory + " is on another file system than " + workspace,
            "unmount it: a job changes its state by a rename, which must be atomic");
        return;
      }
    }
  }

  private static Object device(Path path) throws IOException {
    return Files.getAttribute(path, "unix:dev");
  }

  private void permissions(Findings findings, List<Path> present) throws IOException {
    if (Files.getFileStore(workspace).isReadOnly()) {
      findings.fail(
          "permissions",
          "the file system of " + workspace + " is mounted read-only: jobs can only be read",
          "remount it writable; a kernel does this by itself after errors of the disk, see dmesg");
      return;
    }
    for (Path directory : present) {
      if (!Files.isWritable(directory)
          || !Files.isReadable(directory)
          || !Files.isExecutable(directory)) {
        notAllowed(findings, directory);
        return;
      }
    }
    findings.ok("permissions", "readable and writable, owner " + Files.getOwner(workspace));
  }

  private static void notAllowed(Findings findings, Path directory) throws IOException {
    findings.fail(
        "permissions",
        System.getProperty("user.name") + " may not read and write " + directory,
        "chown it to the user that runs the server, or run as its owner "
            + Files.getOwner(directory));
  }
}
