package dev.millrace.store.fs.internal.disk;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import org.jspecify.annotations.Nullable;

/**
 * Who may use what is created in a workspace. A new workspace is its owner's alone, or of a group,
 * whatever the umask is. In an older one, what is new has the mode that the umask gives it, as
 * before: its users may depend on that. The mode of {@code input/}, which every workspace has, tells
 * the three apart. Thread-safe.
 */
final class WorkspaceAccess {
  private static final int OTHERS = 0007;
  private static final int GROUP = 0070;
  private static final int SHARED_DIRECTORY = 02770; // what is created in it has its group
  private static final FileAttribute<?>[] BY_UMASK = {};
  private static final FileAttribute<?>[] DIRECTORY_OF_OWNER = {attribute("rwx------")};
  private static final FileAttribute<?>[] FILE_OF_OWNER = {attribute("rw-------")};
  private static final FileAttribute<?>[] DIRECTORY_OF_GROUP = {attribute("rwxrwx---")};
  private static final int SHARED_FILE = 0660;
  private static final FileAttribute<?>[] FILE_OF_GROUP = {attribute("rw-rw----")};

  private enum Kind {
    OWNER,
    GROUP,
    UMASK
  }

  private final Path root;
  private final @Nullable GroupPrincipal group; // of a workspace that is created
  private volatile @Nullable Kind known;

  private WorkspaceAccess(Path root, @Nullable GroupPrincipal group) {
    this.root = root;
    this.group = group;
  }

  /** As the workspace has it, or of the owner alone if there is none yet. */
  static WorkspaceAccess of(Path root) {
    return new WorkspaceAccess(root, null);
  }

  /**
   * Of a group.
   *
   * @throws IOException if there is no such group, or a directory is there that is not shared with
   *     it: modes that someone has set stay
   */
  static WorkspaceAccess ofGroup(Path root, String name) throws IOException {
    GroupPrincipal group = find(root, name);
    for (Path existing : new Path[] {root, root.resolve("input")}) {
      if (Files.exists(existing) && !isSharedWith(existing, group)) {
        throw new NotSharedException(root, existing, name);
      }
    }
    return new WorkspaceAccess(root, group);
  }

  private static GroupPrincipal find(Path root, String name) throws IOException {
    try {
      return root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(name);
    } catch (UserPrincipalNotFoundException e) {
      throw new IOException("there is no group \"" + name + "\"; \"getent group\" lists them", e);
    }
  }

  private static boolean isSharedWith(Path directory, GroupPrincipal group) throws IOException {
    return (mode(directory) & SHARED_DIRECTORY) == SHARED_DIRECTORY
        && group.equals(Files.getAttribute(directory, "posix:group"));
  }

  private static int mode(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:mode", NOFOLLOW_LINKS);
  }

  private static FileAttribute<?> attribute(String mode) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
  }

  private Kind kind() throws IOException {
    Kind present = known;
    if (present != null) {
      return present;
    }
    try {
      int mode = mode(root.resolve("input"));
      Kind found =
          (mode & (GROUP | OTHERS)) == 0
              ? Kind.OWNER
              : (mode & SHARED_DIRECTORY) == SHARED_DIRECTORY && (mode & OTHERS) == 0
                  ? Kind.GROUP
                  : Kind.UMASK;
      known = found;
      return found;
    } catch (NoSuchFileException e) {
      return group == null ? Kind.OWNER : Kind.GROUP; // it is being created
    }
  }

  /** Creates a directory that must not exist; one above the workspace gets the usual mode. */
  void createDirectory(Path directory) throws IOException {
    if (!directory.startsWith(root)) {
      Files.createDirectory(directory);
      return;
    }
    switch (kind()) {
      case OWNER -> Files.createDirectory(directory, DIRECTORY_OF_OWNER);
      case UMASK -> Files.createDirectory(directory);
      case GROUP -> {
        Files.createDirectory(directory, DIRECTORY_OF_GROUP);
        share(directory);
      }
    }
  }

  private void share(Path directory) throws IOException {
    if (group != null) {
      try {
        Files.getFileAttributeView(directory, PosixFileAttributeView.class, NOFOLLOW_LINKS)
            .setGroup(group);
      } catch (FileSystemException e) {
        Files.delete(directory);
        throw new FileSystemException(
            directory.toString(),
            null,
            "it cannot be given to group "
                + group.getName()
                + "; only a member of the group, or root, can do that");
      }
    }
    require(directory, SHARED_DIRECTORY);
  }

  /** Sets a mode unless it is there: a hardened service may not set the bit that was inherited. */
  private static void require(Path path, int mode) throws IOException {
    if ((mode(path) & mode) != mode) {
      Files.setAttribute(path, "unix:mode", mode);
    }
  }

  /** For the opening of a file that may be new; then {@link #opened} follows. */
  FileAttribute<?>[] ofNewFile() throws IOException {
    return switch (kind()) {
      case OWNER -> FILE_OF_OWNER;
      case GROUP -> FILE_OF_GROUP;
      case UMASK -> BY_UMASK;
    };
  }

  /** Gives a new file its final mode, which the umask does not limit. */
  void opened(Path file) throws IOException {
    if (kind() == Kind.GROUP) {
      require(file, SHARED_FILE);
    }
  }

  /** Creates an empty file unless it exists. */
  void createFile(Path file) throws IOException {
    if (Files.exists(file, NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Files.createFile(file, ofNewFile());
      opened(file);
    } catch (FileAlreadyExistsException e) {
      // another process was faster
    }
  }

  /** What is there is not shared with the group that was named. */
  private static final class NotSharedException extends IOException {
    private static final long serialVersionUID = 1L;

    NotSharedException(Path root, Path directory, String group) {
      super(
          "%s exists and is not shared with group %s. Modes of what exists are not changed; to share"
                  .formatted(directory, group)
              + " it: chgrp -R %s '%s' && chmod -R ug+rwX,o= '%s'".formatted(group, root, root)
              + " && find '%s' -type d -exec chmod g+s {} +".formatted(root));
    }
  }
}
