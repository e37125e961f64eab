package dev.millrace.cli.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The disk of the workspace. Where we may mount, it is a file system of its own in memory, which is
 * full when its size is set to what it holds.
 */
final class SoakDisk implements AutoCloseable {
  private static final String SIZE = "4g";

  /** What is left for a moment, so that files can still be cut off in the middle. */
  private static final long ROOM = 64 << 10;

  private final Path directory;
  private final boolean mounted;

  private SoakDisk(Path directory, boolean mounted) {
    this.directory = directory;
    this.mounted = mounted;
  }

  static SoakDisk at(Path directory) throws IOException {
    Files.createDirectories(directory);
    boolean mounted =
        run(List.of("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", directory.toString()));
    return new SoakDisk(directory, mounted);
  }

  boolean canBeFull() {
    return mounted;
  }

  /** False if more was written while it was about to be full. */
  boolean fill() throws IOException {
    FileStore store = Files.getFileStore(directory);
    long used = store.getTotalSpace() - store.getUnallocatedSpace();
    return resize(Long.toString(used + ROOM));
  }

  void free() {
    if (mounted && !resize(SIZE)) {
      throw new AssertionError("the disk at " + directory + " stays full");
    }
  }

  private boolean resize(String size) {
    return run(List.of("mount", "-o", "remount,size=" + size, directory.toString()));
  }

  @Override
  public void close() {
    if (mounted) {
      run(List.of("umount", "--lazy", directory.toString()));
    }
  }

  private static boolean run(List<String> command) {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false; // there is no such program
    } catch (InterruptedException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }
}
