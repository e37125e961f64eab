package dev.millrace.cli.doctor;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.attribute.PosixFilePermission.GROUP_EXECUTE;
import static java.nio.file.attribute.PosixFilePermission.GROUP_READ;
import static java.nio.file.attribute.PosixFilePermission.GROUP_WRITE;
import static java.nio.file.attribute.PosixFilePermission.OTHERS_EXECUTE;
import static java.nio.file.attribute.PosixFilePermission.OTHERS_READ;
import static java.nio.file.attribute.PosixFilePermission.OTHERS_WRITE;

import dev.millrace.cli.command.SuggestedCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Says who else than its owner can read or change the jobs of a workspace. */
final class AccessCheck {
  private static final String SUBJECT = "access";
  private static final int SHARED = 02770;

  private final Path workspace;

  AccessCheck(Path workspace) {
    this.workspace = workspace;
  }

  /** The permissions of a class of users. */
  private record Users(
      PosixFilePermission read, PosixFilePermission write, PosixFilePermission enter) {
    static final Users GROUP = new Users(GROUP_READ, GROUP_WRITE, GROUP_EXECUTE);
    static final Users OTHERS = new Users(OTHERS_READ, OTHERS_WRITE, OTHERS_EXECUTE);

    boolean mayRead(PosixFileAttributes directory) {
      return directory.permissions().contains(read) || directory.permissions().contains(enter);
    }

    boolean mayChange(PosixFileAttributes directory) {
      return directory.permissions().contains(write) && directory.permissions().contains(enter);
    }
  }

  void run(Findings findings) throws IOException {
    if (!Files.isDirectory(workspace.resolve("input"))) {
      return; // no workspace, or of someone else: another check says so
    }
    PosixFileAttributes root = attributes(workspace);
    @Nullable String all = allowed(Users.OTHERS, "every user");
    if (all == null && isShared()) {
      findings.ok(
          SUBJECT,
          "members of group " + root.group().getName() + " may submit, read and change jobs");
      return;
    }
    @Nullable String group = allowed(Users.GROUP, "group " + root.group().getName());
    if (all == null && group == null) {
      findings.ok(SUBJECT, "private to " + root.owner().getName());
      return;
    }
    findings.warn(
        SUBJECT,
        Stream.of(group, all).filter(Objects::nonNull).collect(Collectors.joining("; ")),
        "chmod -R go= "
            + SuggestedCommand.quote(workspace.toString())
            + " makes it private to "
            + root.owner().getName()
            + "; docs/operations.md shows how to share it with a group");
  }

  /** Whether it is as {@code --group} creates it. */
  private boolean isShared() throws IOException {
    return (mode(workspace) & SHARED) == SHARED
        && (mode(workspace.resolve("input")) & SHARED) == SHARED;
  }

  private static int mode(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:mode");
  }

  /** What a class of users may do, with a directory that allows it; null if nothing. */
  private @Nullable String allowed(Users users, String name) throws IOException {
    PosixFileAttributes root = attributes(workspace);
    if (!root.permissions().contains(users.enter())) {
      return null; // then nothing below can be reached
    }
    @Nullable String read = null;
    for (Path directory : directories()) {
      PosixFileAttributes found = attributes(directory);
      String where = ": " + directory + " is " + PosixFilePermissions.toString(found.permissions());
      if (users.mayChange(found)) {
        return name + " may change jobs" + where;
      }
      if (read == null && !directory.equals(workspace) && users.mayRead(found)) {
        read = name + " may read jobs" + where;
      }
    }
    return read;
  }

  private List<Path> directories() {
    List<Path> directories = new ArrayList<>(List.of(workspace));
    for (String name : DirectoriesCheck.NAMES) {
      Path directory = workspace.resolve(name);
      if (Files.isDirectory(directory, NOFOLLOW_LINKS)) {
        directories.add(directory);
      }
    }
    return directories;
  }

  private static PosixFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, PosixFileAttributes.class);
  }
}
