package dev.millrace.cli.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Describes an exception to the user in one line. */
public final class ErrorText {
  private ErrorText() {}

  public static String of(Exception e) {
    String message =
        switch (e) {
          case NoSuchFileException missing -> missing.getFile() + " does not exist";
          case AccessDeniedException denied ->
              "no permission for " + denied.getFile() + "; check its owner and its mode";
          case FileSystemException file when file.getReason() != null ->
              file.getReason() + " (" + file.getFile() + ")";
          case IOException _ when e.getMessage() == null -> e.getClass().getSimpleName();
          default -> String.valueOf(e.getMessage());
        };
    return message.strip().replace('\n', ' ');
  }
}
