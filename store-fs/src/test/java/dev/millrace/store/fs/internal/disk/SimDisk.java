package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that loses what was not synced, and that stops or fails at any operation.
 * Operations that change something are numbered from 1; so are syncs. Writing a file is two
 * operations: its name, then its bytes. Thread-safe.
 */
public final class SimDisk implements Disk {

  /** The kind of an operation. */
  public enum What {
    LOOK,
    READ,
    CREATE_DIRECTORY,
    CREATE_FILE,
    EMPTY_FILE,
    PUT_BYTES,
    TRUNCATE,
    RENAME,
    DELETE,
    SYNC_FILE,
    SYNC_DIRECTORY,
    SYNC_ALL;

    public boolean changes() {
      return this != LOOK && this != READ;
    }

    public boolean syncs() {
      return this == SYNC_FILE || this == SYNC_DIRECTORY || this == SYNC_ALL;
    }
  }

  /** One operation; {@code number} is 0 if it changes nothing. */
  public record Op(int number, What what, Path path) {
    @Override
    public String toString() {
      return number + " " + what + " " + path;
    }
  }

  /** Where the program stops in its last operation. */
  public enum Cut {
    BEFORE,
    /** With half of its bytes written; only for {@link What#PUT_BYTES}. */
    MIDDLE,
    AFTER
  }

  /** The program was stopped in the middle of an operation. */
  public static final class Stopped extends Error {
    private static final long serialVersionUID = 1L;

    Stopped(String message) {
      super(message, null, false, false);
    }
  }

  /** Decides whether an operation fails, and how: by an IOException or an Error. */
  public interface Fault {
    @Nullable Throwable at(Op op);
  }

  /** Sees each operation on the thread that makes it, which holds nothing of the disk then. */
  public interface Observer {
    /** May wait, or throw as if the operation had failed in a way that no disk reports. */
    default void before(What what, Path path) {}

    default void after(What what, Path path) {}

    /** The program was stopped. */
    default void stopped() {}
  }

  private interface Effect {
    /** Runs the operation; one that writes bytes may write only that many thousandths. */
    void apply(int thousandths) throws IOException;
  }

  private final SimFiles files;
  private final boolean canSyncAll;
  private final List<Op> done = new ArrayList<>();
  private int stopAt;
  private Cut cut = Cut.BEFORE;
  private Fault fault = op -> null;
  private volatile Observer observer = new Observer() {};
  private int left;
  private boolean stopped;

  public SimDisk() {
    this(false);
  }

  /**
   * @param canSyncAll whether there is a sync of everything
   */
  public SimDisk(boolean canSyncAll) {
    this(new SimFiles(), canSyncAll);
  }

  private SimDisk(SimFiles files, boolean canSyncAll) {
    this.files = files;
    this.canSyncAll = canSyncAll;
  }

  /** Ends the program at operation {@code number}, or never if it is 0. */
  public synchronized void stopAt(int number, Cut where) {
    stopAt = number;
    cut = where;
  }

  public synchronized void failBy(Fault newFault) {
    failBy(newFault, 500);
  }

  /**
   * @param thousandths of its bytes that a failed write leaves; 1000: a failed operation of any
   *     kind has its whole effect
   */
  public synchronized void failBy(Fault newFault, int thousandths) {
    fault = newFault;
    left = thousandths;
  }

  /** Sets who sees each operation. */
  public void observeBy(Observer newObserver) {
    observer = newObserver;
  }

  public synchronized void heal() {
    fault = op -> null;
  }

  /** Whether the program was stopped. */
  public synchronized boolean stopped() {
    return stopped;
  }

  /** Throws {@link Stopped} if the program was stopped: its answers reach nobody any more. */
  public synchronized void requireRunning() {
    if (stopped) {
      throw new Stopped("the program has ended");
    }
  }

  /** How many operations changed something. */
  public synchronized int operations() {
    return done.size();
  }

  public synchronized Op operation(int number) {
    return done.get(number - 1);
  }

  /** The disk as the next program finds it if this one is killed now. */
  public synchronized SimDisk afterKill() {
    return new SimDisk(files.copy(), canSyncAll);
  }

  /** The disk as the machine finds it if the power fails now. */
  public synchronized SimDisk afterPowerLoss(SimFiles.Loss loss, RandomGenerator random) {
    return new SimDisk(files.afterPowerLoss(loss, random), canSyncAll);
  }

  /** Puts a link, FIFO or similar there. */
  synchronized void plantOther(Path path) throws IOException {
    files.change(
        new SimFiles.Change(
            files.parent(path), path.getFileName().toString(), new Inode(Kind.OTHER)));
  }

  private void perform(What what, Path path, Effect effect) throws IOException {
    observer.before(what, path);
    try {
      performAlone(what, path, effect);
    } catch (Stopped e) {
      observer.stopped();
      throw e;
    }
    observer.after(what, path);
  }

  private synchronized void performAlone(What what, Path path, Effect effect) throws IOException {
    requireRunning();
    Op op = new Op(what.changes() ? done.size() + 1 : 0, what, path);
    if (what.changes()) {
      done.add(op);
    }
    Throwable problem = fault.at(op);
    if (problem != null) {
      if (what == What.PUT_BYTES || left == 1000) {
        effect.apply(left); // a full disk takes what fits
      }
      throw asThrown(problem);
    }
    if (op.number() == 0 || op.number() != stopAt) {
      effect.apply(1000);
      return;
    }
    stopped = true;
    if (cut == Cut.AFTER) {
      effect.apply(1000);
    } else if (cut == Cut.MIDDLE && what == What.PUT_BYTES) {
      effect.apply(500);
    }
    throw new Stopped(cut + " " + op);
  }

  private static IOException asThrown(Throwable problem) {
    if (problem instanceof Error error) {
      throw error;
    }
    return (IOException) problem;
  }

  @Override
  public Kind kind(Path path) throws IOException {
    Kind[] kind = {Kind.NOTHING};
    perform(
        What.LOOK,
        path,
        _ -> {
          Inode found = files.find(path);
          kind[0] = found == null ? Kind.NOTHING : found.kind;
        });
    return kind[0];
  }

  @Override
  public long size(Path file) throws IOException {
    long[] size = {0};
    perform(What.LOOK, file, _ -> size[0] = files.get(file).content().length);
    return size[0];
  }

  @Override
  public Instant modified(Path directory) throws IOException {
    Instant[] time = {Instant.EPOCH};
    perform(What.LOOK, directory, _ -> time[0] = files.get(directory).modified);
    return time[0];
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    perform(
        What.CREATE_DIRECTORY,
        directory,
        _ -> {
          if (files.find(directory) != null) {
            throw new FileAlreadyExistsException(directory.toString());
          }
          name(directory, new Inode(Kind.DIRECTORY));
        });
  }

  private void name(Path path, Inode inode) throws IOException {
    files.change(new SimFiles.Change(files.parent(path), path.getFileName().toString(), inode));
  }

  @Override
  public void write(Path file, byte[] content) throws IOException {
    if (!create(file)) {
      perform(What.EMPTY_FILE, file, _ -> regular(file).cut(0));
    }
    put(file, content);
  }

  @Override
  public void writeSynced(Path file, byte[] content) throws IOException {
    write(file, content);
    syncFile(file);
  }

  @Override
  public void append(Path file, byte[] content) throws IOException {
    create(file);
    put(file, content);
  }

  private boolean create(Path file) throws IOException {
    boolean missing = kind(file) == Kind.NOTHING;
    if (missing) {
      perform(What.CREATE_FILE, file, _ -> name(file, new Inode(Kind.FILE)));
    }
    return missing;
  }

  private void put(Path file, byte[] content) throws IOException {
    perform(
        What.PUT_BYTES,
        file,
        thousandths ->
            regular(file).append(content, (int) (content.length * (long) thousandths / 1000)));
  }

  private Inode regular(Path file) throws IOException {
    Inode inode = files.get(file);
    if (inode.kind != Kind.FILE) {
      throw new FileSystemException(file.toString(), null, "not a regular file");
    }
    return inode;
  }

  @Override
  public byte[] read(Path file, int most) throws IOException {
    byte[][] bytes = {{}};
    perform(
        What.READ,
        file,
        _ -> {
          Inode inode = files.get(file);
          if (inode.kind != Kind.FILE) {
            throw new NotRegularException(file);
          }
          bytes[0] = inode.content();
          if (bytes[0].length > most) {
            throw new FileTooLargeException(file, bytes[0].length, most);
          }
        });
    return bytes[0].clone();
  }

  @Override
  public byte[] read(Path file, long offset, int length) throws IOException {
    byte[] all = read(file, Integer.MAX_VALUE);
    int from = (int) Math.min(offset, all.length);
    return Arrays.copyOfRange(all, from, (int) Math.min(offset + length, all.length));
  }

  @Override
  public void truncate(Path file, long length) throws IOException {
    perform(What.TRUNCATE, file, _ -> regular(file).cut((int) length));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    perform(
        What.RENAME,
        to,
        _ -> {
          Inode moved = files.get(from);
          Inode old = files.find(to);
          if (!to.equals(from) && to.startsWith(from)) {
            throw new FileSystemException(to.toString(), null, "Invalid argument");
          }
          if (moved == old) {
            return;
          }
          if (old != null
              && old.kind == Kind.DIRECTORY
              && (moved.kind != Kind.DIRECTORY || !old.names.isEmpty())) {
            throw new DirectoryNotEmptyException(to.toString());
          }
          if (old != null && old.kind != Kind.DIRECTORY && moved.kind == Kind.DIRECTORY) {
            throw new FileSystemException(to.toString(), null, "Not a directory");
          }
          files.change(
              new SimFiles.Change(files.parent(from), from.getFileName().toString(), null),
              new SimFiles.Change(files.parent(to), to.getFileName().toString(), moved));
        });
  }

  @Override
  public void delete(Path path) throws IOException {
    perform(
        What.DELETE,
        path,
        _ -> {
          if (!files.get(path).names.isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
          }
          files.change(
              new SimFiles.Change(files.parent(path), path.getFileName().toString(), null));
        });
  }

  @Override
  public void list(Path directory, Predicate<String> visitor) throws IOException {
    List<String> names = new ArrayList<>();
    perform(
        What.READ,
        directory,
        _ -> {
          if (files.get(directory).kind != Kind.DIRECTORY) {
            throw new NotDirectoryException(directory.toString());
          }
          names.addAll(files.get(directory).names.keySet());
        });
    for (String name : names) {
      if (!visitor.test(name)) {
        return;
      }
    }
  }

  @Override
  public void syncFile(Path file) throws IOException {
    perform(What.SYNC_FILE, file, _ -> regular(file).sync());
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    perform(
        What.SYNC_DIRECTORY,
        directory,
        _ -> {
          if (files.get(directory).kind != Kind.DIRECTORY) {
            throw new NoSuchFileException(directory.toString());
          }
          files.syncNames(files.get(directory));
        });
  }

  @Override
  public boolean syncAll() throws IOException {
    if (canSyncAll) {
      perform(What.SYNC_ALL, Path.of("/"), _ -> files.syncAll());
    }
    return canSyncAll;
  }
}
