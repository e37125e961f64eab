package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.internal.connection.CallHandler;
import dev.millrace.cluster.internal.text.FileErrors;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Serves the models of a store to peers; the handler of the call {@code model}. It serves two calls
 * at once; others wait and get {@link #WAIT} messages. A call without progress is ended.
 *
 * <p>The caller sends a hash; the answer is {@link #HAVE} and the model's {@link ChunkHashes}, or
 * {@link #REFUSED} and the reason, after any number of {@link #WAIT}. Then the caller requests runs
 * of chunks by first and count, and gets each as {@link #CHUNK}, its length and its bytes; a first
 * of -1 ends the call.
 */
public final class ModelServer implements CallHandler {
  /** The call's name. */
  public static final String CALL = "model";

  static final int WAIT = 0;
  static final int HAVE = 1;
  static final int REFUSED = 2;
  static final int CHUNK = 3;
  static final int END = -1;

  private static final int MAX_SERVED = 2;
  private static final int MAX_WAITING = 16;

  /** A served caller must request chunks within this time. */
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(30);

  /** And read a chunk within this time. */
  private static final Duration CHUNK_TIMEOUT = Duration.ofMinutes(2);

  private static final int PIECE = 256 << 10;

  private final ModelStore store;
  private final long waitMillis;
  private final LongSupplier clock;
  private final Semaphore slots = new Semaphore(MAX_SERVED, true);
  private final Semaphore callers = new Semaphore(MAX_SERVED + MAX_WAITING);

  public ModelServer(ModelStore store) {
    this(store, TimeUnit.SECONDS.toMillis(1), System::nanoTime);
  }

  /**
   * @param waitMillis how often a waiting caller gets {@link #WAIT}
   * @param clock nanoseconds
   */
  ModelServer(ModelStore store, long waitMillis, LongSupplier clock) {
    this.store = store;
    this.waitMillis = waitMillis;
    this.clock = clock;
  }

  @Override
  public void answer(String from, DataInputStream in, DataOutputStream out) throws IOException {
    byte[] sha256 = new byte[Sha256Hash.BYTES];
    in.readFully(sha256);
    if (!callers.tryAcquire()) {
      refuse(
          out, "%d others are fetching here; try again later".formatted(MAX_SERVED + MAX_WAITING));
      return;
    }
    try {
      waitForSlot(out);
      try {
        serve(HexFormat.of().formatHex(sha256), in, out);
      } finally {
        slots.release();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      refuse(out, "this node stops");
    } finally {
      callers.release();
    }
  }

  private void waitForSlot(DataOutputStream out) throws IOException, InterruptedException {
    while (!slots.tryAcquire(waitMillis, TimeUnit.MILLISECONDS)) {
      out.writeByte(WAIT);
      out.flush();
    }
  }

  private void serve(String sha256, DataInputStream in, DataOutputStream out) throws IOException {
    HashedModel known = store.known(sha256).orElse(null);
    if (known == null) {
      refuse(out, "this node does not have model " + sha256 + " (any more)");
      return;
    }
    try (ConcatenatedFiles parts = new ConcatenatedFiles(known.files(), known.chunks().parts())) {
      out.writeByte(HAVE);
      known.chunks().write(out);
      out.flush();
      byte[] buffer = new byte[ChunkHashes.SIZE];
      boolean served = true;
      while (served) {
        long began = clock.getAsLong();
        int first = in.readInt();
        if (first == END) {
          return;
        }
        int count = in.readInt();
        if (isLate(began, REQUEST_TIMEOUT)) {
          refuse(out, "no chunk was requested for %d s".formatted(REQUEST_TIMEOUT.toSeconds()));
          return;
        }
        served = send(known.chunks(), parts, first, count, buffer, out);
      }
    }
  }

  /** Whether a caller holds its slot too long without using it. */
  private boolean isLate(long began, Duration limit) {
    return clock.getAsLong() - began > limit.toNanos();
  }

  private boolean send(
      ChunkHashes chunks,
      ConcatenatedFiles parts,
      int first,
      int count,
      byte[] buffer,
      DataOutputStream out)
      throws IOException {
    if (first < 0 || count < 1 || count > chunks.count() - first) {
      refuse(
          out,
          "chunk %d and %d more: the model has %d chunks"
              .formatted(first, count - 1L, chunks.count()));
      return false;
    }
    for (int chunk = first; chunk < first + count; chunk++) {
      int length = chunks.length(chunk);
      try {
        parts.read(ChunkHashes.start(chunk), buffer, length);
      } catch (IOException e) {
        refuse(out, "the model cannot be read: " + FileErrors.of(e));
        return false;
      }
      out.writeByte(CHUNK);
      out.writeInt(length);
      write(buffer, length, out);
    }
    out.flush();
    return true;
  }

  /** In pieces: a caller that reads a byte now and then must not hold a slot forever. */
  private void write(byte[] chunk, int length, DataOutputStream out) throws IOException {
    long began = clock.getAsLong();
    for (int at = 0; at < length; at += PIECE) {
      out.write(chunk, at, Math.min(PIECE, length - at));
      if (isLate(began, CHUNK_TIMEOUT)) {
        throw new IOException("a chunk was not read within " + CHUNK_TIMEOUT);
      }
    }
  }

  private static void refuse(DataOutputStream out, String why) throws IOException {
    out.writeByte(REFUSED);
    out.writeUTF(why);
    out.flush();
  }
}
