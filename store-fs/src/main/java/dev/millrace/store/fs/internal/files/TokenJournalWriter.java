package dev.millrace.store.fs.internal.files;

import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.fs.internal.disk.Disk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;

/**
 * Appends the output of one claim to its task's journal. What a crash left is never overwritten in
 * place, so that a power loss cannot mix it with new output.
 *
 * <p>Guarded by the job's lock.
 */
public final class TokenJournalWriter {
  private final FencingToken claim;
  private final FencingToken entry;
  private boolean opened;
  private boolean named; // since it last said that it waits

  /**
   * @param claim the task's present claim
   * @param entry the log entry that the journal belongs to
   */
  public TokenJournalWriter(FencingToken claim, FencingToken entry) {
    this.claim = claim;
    this.entry = entry;
  }

  public boolean isOf(FencingToken presentClaim, FencingToken presentEntry) {
    return claim.equals(presentClaim) && entry.equals(presentEntry);
  }

  public void append(Disk disk, Path file, OutputChunk piece) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (!opened) {
      if (open(disk, file)) {
        out.writeBytes(TokenJournal.head(entry));
      }
    }
    if (piece.waits()) {
      out.writeBytes(TokenJournal.waitMark(claim));
    } else if (!named) {
      out.writeBytes(TokenJournal.mark(claim));
    }
    if (!piece.isEmpty()) {
      out.writeBytes(TokenJournal.line(piece));
    }
    disk.append(file, out.toByteArray());
    opened = true;
    named = !piece.waits();
  }

  /** Prepares the file for appending; true if it is a new file. */
  private boolean open(Disk disk, Path file) throws IOException {
    TokenJournal.Content found = TokenJournal.read(disk, file, entry);
    if (!found.whole() && found.good().length == 0) {
      disk.delete(file);
    } else if (!found.whole()) {
      Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
      disk.writeSynced(temporary, found.good());
      disk.rename(temporary, file);
    } else if (found.good().length == 0 && disk.kind(file.getParent()) == Disk.Kind.NOTHING) {
      directory(disk, file.getParent());
    }
    return found.good().length == 0;
  }

  private static void directory(Disk disk, Path dir) throws IOException {
    try {
      disk.createDirectory(dir);
    } catch (FileAlreadyExistsException e) {
      // already deleted
    }
  }
}
