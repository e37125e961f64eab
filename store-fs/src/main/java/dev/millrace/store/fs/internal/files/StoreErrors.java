package dev.millrace.store.fs.internal.files;

import dev.millrace.core.store.JobException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.DuplicateJobException;
import dev.millrace.store.fs.internal.disk.FullDisk;
import dev.millrace.store.fs.internal.disk.ReadingMarks;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Turns errors of the operating system into messages that say what to do. */
public final class StoreErrors {
  private StoreErrors() {}

  public static StoreException of(String what, IOException e) {
    return new StoreException(what + ": " + explain(e), e, trouble(e));
  }

  /** What an error says about the whole store. */
  private static Trouble trouble(IOException e) {
    String reason = reason(e);
    if (FullDisk.isFull(reason)) {
      return Trouble.FULL;
    }
    return isReadOnly(reason) ? Trouble.READ_ONLY : Trouble.FAILING;
  }

  private static boolean isReadOnly(String reason) {
    return reason.contains("Read-only file system");
  }

  /** As {@link #of}, for an error that may be caused by that job's files. */
  public static StoreException ofJob(String what, IOException e) {
    StoreException plain = of(what, e);
    boolean oneJob = isOfOneJob(plain) && !(e instanceof AccessDeniedException);
    return oneJob ? new JobException(plain.getMessage(), e) : plain;
  }

  /** As {@link #ofJob}, if only that job's own files were read. */
  public static StoreException ofReading(String what, IOException e) {
    StoreException plain = of(what, e);
    boolean oneJob = isOfOneJob(plain) || e instanceof NoSuchFileException || isBadSector(e);
    return oneJob ? new JobException(plain.getMessage(), e) : plain;
  }

  /** For anything else that reading a job's files has thrown, hostile ones included. */
  public static JobException ofReading(String what, Throwable thrown) {
    String why =
        switch (thrown) {
          case StackOverflowError _ -> "a file is nested too deeply";
          case OutOfMemoryError _ -> "it does not fit into the memory of this process";
          default ->
              thrown.getClass().getSimpleName()
                  + (thrown.getMessage() == null ? "" : ", " + thrown.getMessage());
        };
    return new JobException(what + ": " + why, thrown);
  }

  /** As {@link #ofJob}, if files were only read so far: most errors are then of these files. */
  public static StoreException ofLoading(String what, IOException e) {
    StoreException plain = of(what, e);
    return isOfAllJobs(e) || e instanceof AccessDeniedException
        ? plain
        : new JobException(plain.getMessage(), e);
  }

  private static boolean isOfAllJobs(IOException e) {
    String reason = reason(e);
    return trouble(e) != Trouble.FAILING || reason.contains("Too many open files");
  }

  /** Whether the disk cannot read a part of a file. */
  private static boolean isBadSector(IOException e) {
    return reason(e).contains("Input/output error");
  }

  /** Whether the error concerns one job only. */
  public static boolean isOfOneJob(StoreException e) {
    Throwable cause = e.getCause();
    return cause instanceof AccessDeniedException
        || cause instanceof IOException io && (isTargetInUse(io) || isOfOnePath(io))
        || cause instanceof EventLog.DamagedLogException
        || cause instanceof DuplicateJobException
        || cause instanceof ReadingMarks.UnfitJobException
        || cause instanceof Disk.NotRegularException
        || cause instanceof Disk.FileTooLargeException;
  }

  /** Whether something is wrong with the files that were to be written, and not with the disk. */
  private static boolean isOfOnePath(IOException e) {
    String reason = reason(e);
    return Stream.of("Operation not permitted", "Is a directory", "Not a directory")
        .anyMatch(reason::contains);
  }

  /** Whether the target of a rename is a directory in use. */
  public static boolean isTargetInUse(IOException e) {
    return e instanceof DirectoryNotEmptyException
        // an atomic move reports the same this way
        || (e instanceof FileSystemException file
            && "Directory not empty".equals(file.getReason()));
  }

  public static String explain(IOException e) {
    String reason = reason(e);
    if (FullDisk.isFull(reason)) {
      return reason + "; free some space, for example by pruning old jobs";
    }
    if (isReadOnly(reason)) {
      return reason + "; remount it writable or use another workspace";
    }
    if (e instanceof AccessDeniedException) {
      return "no permission for "
          + ((AccessDeniedException) e).getFile()
          + "; check who owns the workspace";
    }
    if (e instanceof EventLog.DamagedLogException) {
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
