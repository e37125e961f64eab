package dev.millrace.cluster.internal.text;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** What went wrong with files, in words: the platform's own say often no more than a path. */
public final class FileErrors {
  private FileErrors() {}

  public static String of(IOException e) {
    return switch (e) {
      case NoSuchFileException none -> "there is no " + none.getFile();
      case AccessDeniedException denied -> "this user may not use " + denied.getFile();
      case FileAlreadyExistsException other -> other.getFile() + " is there, as something else";
      case NotDirectoryException file -> file.getFile() + " is no directory";
      case FileSystemException known when known.getReason() != null ->
          known.getFile() + ": " + known.getReason();
      default -> e.getMessage() == null ? "the disk cannot do it" : e.getMessage();
    };
  }
}
