package dev.millrace.cli.demo;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.core.job.JobId;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Creates the directory of a demo's workspace: {@code millrace-demo-1} in the directory for
 * temporary files, or the next number. Users copy the name into commands, so it is shorter than
 * Java's temporary names; it is still new and private to the user.
 */
final class DemoDirectory {
  private static final int MOST = 10_000;

  private DemoDirectory() {}

  static Path create(Shell shell) {
    Path parent = parent(shell);
    boolean posix = parent.getFileSystem().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] mine =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
            }
            : new FileAttribute<?>[0];
    for (int number = 1; number <= MOST; number++) {
      try {
        return Files.createDirectory(parent.resolve("millrace-demo-" + number), mine);
      } catch (FileAlreadyExistsException e) {
        // taken by an earlier demo or another user
      } catch (IOException e) {
        throw new CommandException(
            "cannot create a directory in "
                + parent
                + ": "
                + ErrorText.of(e)
                + "; set TMPDIR to a directory that you may write in");
      }
    }
    throw new CommandException(
        "there are " + MOST + " demos in " + parent + " already: rm -r millrace-demo-*");
  }

  /** The directory of a job; that of the workspace if the job was removed. */
  static Path of(OwnablePlace place, JobId id) {
    Path job = place.artifacts(id).path();
    return job == null ? Path.of(place.location()) : job;
  }

  /** Java would always use /tmp and ignore TMPDIR. */
  private static Path parent(Shell shell) {
    String preferred = shell.variable("TMPDIR");
    if (preferred == null) {
      return Path.of(System.getProperty("java.io.tmpdir"));
    }
    Path parent = shell.path(preferred).normalize();
    if (!Files.isDirectory(parent)) {
      throw new CommandException("TMPDIR is " + parent + ", which is not a directory");
    }
    return parent;
  }
}
