package dev.millrace.cli.doctor;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The directories of a workspace: there, real, on one file system, ours to write. */
public final class DirectoriesCheck {
  static final List<String> PLACES =
      List.of(
          "input/writing", "input/ready", "processing", "paused", "output", "failed", "cancelled");

  private final Path workspace;

  public DirectoriesCheck(Path workspace) {
    this.workspace = workspace;
  }

  /** Whether nothing is missing, so that opening the workspace changes nothing. */
  static boolean complete(Path workspace) {
    return PLACES.stream().allMatch(place -> Files.isDirectory(workspace.resolve(place)))
        && Files.isDirectory(workspace.resolve(".millrace/trash"));
  }

  public void run(Findings findings) throws IOException {
    List<Path> present = present(findings);
    devices(findings, present);
    permissions(findings, present);
  }

  private List<Path> present(Findings findings) {
    List<String> missing = new ArrayList<>();
    List<Path> present = new ArrayList<>(List.of(workspace));
    for (String name : PLACES) {
      Path place = workspace.resolve(name);
      if (Files.isDirectory(place, NOFOLLOW_LINKS)) {
        present.add(place);
      } else if (Files.exists(place, NOFOLLOW_LINKS)) {
        findings.fail("places", place + " is not a directory", "move it away");
      } else {
        missing.add(name);
      }
    }
    if (missing.contains("input/ready")) {
      findings.fail(
          "places",
          workspace + " is not a workspace: no input/ready",
          "\"millrace work " + workspace + " PROMPT\" makes it one");
    } else if (!missing.isEmpty()) {
      findings.warn(
          "places",
          "missing: " + String.join(", ", missing),
          "the next command that writes makes them; an older nrvna workspace lacks some");
    } else {
      findings.ok("places", "all " + PLACES.size() + " are there");
    }
    return present;
  }

  private void devices(Findings findings, List<Path> present) throws IOException {
    Object device = device(workspace);
    for (Path place : present) {
      if (!device.equals(device(place))) {
        findings.fail(
            "rename",
            place + " is on another file system than " + workspace,
            "unmount it: a job changes its state by a rename, which must be atomic");
        return;
      }
    }
  }

  private static Object device(Path path) throws IOException {
    return Files.getAttribute(path, "unix:dev");
  }

  private void permissions(Findings findings, List<Path> present) throws IOException {
    for (Path place : present) {
      if (!Files.isWritable(place) || !Files.isReadable(place) || !Files.isExecutable(place)) {
        findings.fail(
            "permissions",
            System.getProperty("user.name") + " may not read and write " + place,
            "chown it to the user that runs the server, or run as its owner "
                + Files.getOwner(place));
        return;
      }
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(place);
      if (mode.contains(PosixFilePermission.OTHERS_WRITE)) {
        findings.warn(
            "permissions",
            place + " is " + PosixFilePermissions.toString(mode) + ": everybody may change it",
            "chmod o-w " + place);
        return;
      }
    }
    findings.ok("permissions", "ours to read and write, owner " + Files.getOwner(workspace));
  }
}
