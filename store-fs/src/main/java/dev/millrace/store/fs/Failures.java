package dev.millrace.store.fs;

import dev.millrace.core.store.JobTrouble;
import dev.millrace.core.store.StoreException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** What the operating system says, in words that tell a person what to do. */
final class Failures {
  private Failures() {}

  static StoreException of(String what, IOException e) {
    return new StoreException(what + ": " + explain(e), e);
  }

  /** As {@link #of}, where it may be the fault of that one job's files. */
  static StoreException ofJob(String what, IOException e) {
    StoreException plain = of(what, e);
    boolean oneJob = isOfOneJob(plain) && !(e instanceof AccessDeniedException);
    return oneJob ? new JobTrouble(plain.getMessage(), e) : plain;
  }

  /** As {@link #ofJob}, where nothing but that job's own files was read. */
  static StoreException ofReading(String what, IOException e) {
    StoreException plain = of(what, e);
    boolean oneJob = isOfOneJob(plain) || e instanceof NoSuchFileException;
    return oneJob ? new JobTrouble(plain.getMessage(), e) : plain;
  }

  /** Whether it is one job that cannot be read or written, and others may well be. */
  static boolean isOfOneJob(StoreException e) {
    Throwable cause = e.getCause();
    return cause instanceof AccessDeniedException
        || cause instanceof IOException io && isTaken(io)
        || cause instanceof EventLog.Damaged
        || cause instanceof Disk.NotRegular
        || cause instanceof Disk.FileTooLarge;
  }

  /** Whether a rename met a directory that is in use. */
  static boolean isTaken(IOException e) {
    return e instanceof DirectoryNotEmptyException
        // what an atomic move says of the same
        || (e instanceof FileSystemException file
            && "Directory not empty".equals(file.getReason()));
  }

  static String explain(IOException e) {
    String reason = reason(e);
    if (reason.contains("No space left") || reason.contains("Disk quota exceeded")) {
      return reason + "; free some space, for example with \"millrace prune\"";
    }
    if (reason.contains("Read-only file system")) {
      return reason + "; remount it writable or use another workspace";
    }
    if (e instanceof AccessDeniedException) {
      return "no permission for "
          + ((AccessDeniedException) e).getFile()
          + "; check who owns the workspace";
    }
    if (e instanceof EventLog.Damaged) {
      return reason
          + "; restore the job's files, or move its directory to cancelled/ and prune it there";
    }
    if (e instanceof NoSuchFileException) {
      return ((NoSuchFileException) e).getFile() + " is not there";
    }
    return reason;
  }

  private static String reason(IOException e) {
    @Nullable String said =
        e instanceof FileSystemException file && file.getReason() != null
            ? file.getReason() + " (" + file.getFile() + ")"
            : e.getMessage();
    return said == null ? e.getClass().getSimpleName() : said;
  }
}
