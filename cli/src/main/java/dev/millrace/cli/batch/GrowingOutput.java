package dev.millrace.cli.batch;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * An output file that grows line by line as {@code OUT.partial} and gets its name when it is
 * complete. Lines of an earlier run are kept as long as they are the ones that belong there; a line
 * that was cut by a crash is removed when the file is opened. Used by one process at a time.
 */
final class GrowingOutput implements BatchOutput.Target, AutoCloseable {
  private static final int BUFFER = 1 << 16;

  private final Path out;
  private final Path partial;
  // Not a channel: an interrupt in the middle of a write would close it.
  private final RandomAccessFile file;
  private final ByteArrayOutputStream unwritten = new ByteArrayOutputStream();
  private long position; // what is before it is right
  private long kept; // what is between them is of an earlier run, and not compared yet

  private GrowingOutput(Path out, RandomAccessFile file) throws IOException {
    this.out = out;
    this.partial = partial(out);
    this.file = file;
    this.kept = wholeLines(file);
    file.setLength(kept);
  }

  /** The file that holds an output until it is complete. */
  static Path partial(Path out) {
    return out.resolveSibling(out.getFileName() + ".partial");
  }

  /**
   * Opens the partial file.
   *
   * @throws CommandException if another process writes it
   */
  static GrowingOutput open(Path out) throws IOException {
    RandomAccessFile file = new RandomAccessFile(partial(out).toFile(), "rw");
    try {
      if (!lock(file)) {
        throw new CommandException(
            "another process writes "
                + partial(out)
                + ": wait until it has ended, or name another output with --out");
      }
      return new GrowingOutput(out, file);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** The lock lasts until the file is closed or this process ends. */
  private static boolean lock(RandomAccessFile file) {
    try {
      return file.getChannel().tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // another thread of this process has it
    } catch (IOException e) {
      return true; // some network file systems have no locks
    }
  }

  /** Where the last line break ends. */
  private static long wholeLines(RandomAccessFile file) throws IOException {
    for (long end = file.length(); end > 0; ) {
      long from = Math.max(0, end - BUFFER);
      byte[] bytes = read(file, from, (int) (end - from));
      for (int i = bytes.length - 1; i >= 0; i--) {
        if (bytes[i] == '\n') {
          return from + i + 1;
        }
      }
      end = from;
    }
    return 0;
  }

  private static byte[] read(RandomAccessFile file, long from, int length) throws IOException {
    byte[] bytes = new byte[length];
    file.seek(from);
    file.readFully(bytes);
    return bytes;
  }

  /** Adds a line, with its line break. */
  @Override
  public void append(byte[] line) throws IOException {
    if (position + line.length <= kept && Arrays.equals(read(file, position, line.length), line)) {
      position += line.length;
      return;
    }
    dropRest();
    unwritten.writeBytes(line);
    if (unwritten.size() >= BUFFER) {
      flush();
    }
  }

  /** Writes what was added; what an earlier run wrote beyond it is removed. */
  void flush() throws IOException {
    dropRest();
    byte[] bytes = unwritten.toByteArray();
    unwritten.reset();
    file.seek(position);
    file.write(bytes);
    position += bytes.length;
    kept = position;
  }

  private void dropRest() throws IOException {
    if (kept > position) {
      file.setLength(position);
      kept = position;
    }
  }

  /** Gives the complete file its name. */
  void publish() throws IOException {
    flush();
    file.getFD().sync();
    try {
      Files.move(partial, out, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new CommandException(
          "the output "
              + out
              + " cannot be written: "
              + ErrorText.of(e)
              + "; all answers are in "
              + partial);
    }
    syncDirectory(out.toAbsolutePath().getParent());
  }

  private static void syncDirectory(Path directory) {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      return; // some systems cannot sync a directory; the file itself is safe
    }
  }

  /** Releases the file; an empty one is deleted. */
  @Override
  public void close() throws IOException {
    if (position == 0 && kept == 0) {
      Files.deleteIfExists(partial);
    }
    file.close();
  }
}
