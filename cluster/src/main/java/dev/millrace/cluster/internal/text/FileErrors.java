package dev.millrace.cluster.internal.text;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says in words what went wrong with a file; messages of the JDK are often just a path. */
public final class FileErrors {
  private FileErrors() {}

  public static String of(IOException e) {
    return switch (e) {
      case NoSuchFileException none -> none.getFile() + " does not exist";
      case AccessDeniedException denied -> "this user has no access to " + denied.getFile();
      case FileAlreadyExistsException other -> other.getFile() + " exists and is something else";
      case NotDirectoryException file -> file.getFile() + " is not a directory";
      case FileSystemException known when known.getReason() != null ->
          known.getFile() + ": " + known.getReason();
      default -> e.getMessage() == null ? "the disk failed" : e.getMessage();
    };
  }
}
