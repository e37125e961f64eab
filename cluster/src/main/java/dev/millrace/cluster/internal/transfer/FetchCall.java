package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.text.FileErrors;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One call to a peer's {@link ModelServer}: requests missing chunks, and keeps only those with the
 * right hash. Its end is in {@link #result}, because exceptions would lose their meaning on the way
 * through a connection.
 */
final class FetchCall {
  /** How a call ended. */
  enum Result {
    /** The connection broke, or the peer sent too little: it may work later. */
    BROKEN,
    /** The peer does not have the model, or is busy. */
    REFUSED,
    /** Its chunk hashes differ from those in use; nothing was fetched. */
    DISAGREES,
    /** It sent data that cannot be right. */
    UNTRUE,
    /** It is too slow, or keeps us waiting too long. */
    SLOW,
    /** This side cannot continue with any peer. */
    STUCK,
    /** All chunks are here. */
    DONE
  }

  /** Chunks per request. */
  private static final int CHUNKS_PER_REQUEST = 64;

  private static final int PIECE = 256 << 10;
  private static final int MAX_REASON = 300;

  private final ModelFetch.WantedModel wanted;
  private final PartialModel partial;
  private final ModelFetch.Limits limits;
  private final FetchProgress progress;
  private final BooleanSupplier stop;
  private final boolean mayDisagree;
  private Result result = Result.BROKEN;
  private String reason = "";
  private int fetchedChunks;
  private @Nullable ChunkHashes adopted;
  private @Nullable ClusterException localFailure;

  /**
   * @param mayDisagree whether to adopt chunk hashes that differ from those in use
   */
  FetchCall(
      ModelFetch.WantedModel wanted,
      PartialModel partial,
      ModelFetch.Limits limits,
      FetchProgress progress,
      BooleanSupplier stop,
      boolean mayDisagree) {
    this.wanted = wanted;
    this.partial = partial;
    this.limits = limits;
    this.progress = progress;
    this.stop = stop;
    this.mayDisagree = mayDisagree;
  }

  Result result() {
    return result;
  }

  /** Why it ended, if it is not done. */
  String reason() {
    return reason;
  }

  /** How many chunks it fetched. */
  int fetchedChunks() {
    return fetchedChunks;
  }

  /** The peer's chunk hashes, once they are in use. */
  @Nullable ChunkHashes adopted() {
    return adopted;
  }

  /** Why no other peer can help either, if it is stuck. */
  ClusterException localFailure() {
    return Objects.requireNonNull(localFailure);
  }

  void fetchOver(DataInputStream in, DataOutputStream out) throws IOException {
    try {
      out.write(HexFormat.of().parseHex(wanted.sha256()));
      out.flush();
      if (awaitTurn(in) && adopt(ChunkHashes.read(in, wanted.bytes()))) {
        requestChunks(in, out);
      }
    } catch (InvalidModelDataException e) {
      result(Result.UNTRUE, e.getMessage());
    }
  }

  /** Waits until the peer has time; returns whether it has the model. */
  private boolean awaitTurn(DataInputStream in) throws IOException {
    long start = limits.clock().getAsLong();
    int answer;
    while ((answer = in.readUnsignedByte()) == ModelServer.WAIT) {
      if (limits.clock().getAsLong() - start > limits.waiting().toNanos()) {
        return result(Result.SLOW, "it has served others for more than " + limits.waiting());
      }
      if (stop.getAsBoolean()) {
        return stopped();
      }
    }
    return answer == ModelServer.HAVE || answer(answer, in);
  }

  private boolean answer(int answer, DataInputStream in) throws IOException {
    if (answer != ModelServer.REFUSED) {
      throw new InvalidModelDataException(
          "it sent bytes that are not part of the protocol (" + answer + ")");
    }
    String why = in.readUTF();
    String plain = why.replaceAll("\\p{Cntrl}", " ");
    return result(Result.REFUSED, plain.substring(0, Math.min(plain.length(), MAX_REASON)));
  }

  private boolean adopt(ChunkHashes announced) {
    ChunkHashes before = partial.chunks();
    if (before != null && !before.equals(announced) && !mayDisagree) {
      return result(Result.DISAGREES, "its chunk hashes differ from those of the previous peer");
    }
    return onDisk(
        () -> {
          partial.adopt(announced);
          adopted = announced;
          partial.checkRoom();
        });
  }

  private void requestChunks(DataInputStream in, DataOutputStream out) throws IOException {
    while (!partial.isComplete()) {
      int first = partial.nextMissing(0);
      int count = Math.min(CHUNKS_PER_REQUEST, partial.missingUntil(first) - first);
      out.writeInt(first);
      out.writeInt(count);
      out.flush();
      for (int chunk = first; chunk < first + count; chunk++) {
        if (!fetchChunk(chunk, in)) {
          return;
        }
      }
    }
    result(Result.DONE, "");
    out.writeInt(ModelServer.END);
    out.flush();
  }

  private boolean fetchChunk(int chunk, DataInputStream in) throws IOException {
    if (stop.getAsBoolean()) {
      return stopped();
    }
    int answer = in.readUnsignedByte();
    if (answer != ModelServer.CHUNK) {
      return answer(answer, in);
    }
    int length = in.readInt();
    int expected = Objects.requireNonNull(partial.chunks()).length(chunk);
    if (length != expected) {
      throw new InvalidModelDataException(
          "chunk %d has %d bytes, but it sends %d".formatted(chunk, expected, length));
    }
    if (!read(in, length)) {
      return false;
    }
    if (!partial.bufferMatches(chunk)) {
      throw new InvalidModelDataException(
          "chunk %d does not have the hash that it announced".formatted(chunk));
    }
    fetchedChunks++;
    return onDisk(
        () -> {
          partial.writeChunk(chunk);
          progress.received(partial.verifiedBytes());
        });
  }

  /** In pieces: a peer that sends a byte now and then must not block us forever. */
  private boolean read(DataInputStream in, int length) throws IOException {
    long start = limits.clock().getAsLong();
    for (int at = 0; at < length; ) {
      int some = in.read(partial.buffer(), at, Math.min(PIECE, length - at));
      if (some < 0) {
        throw new EOFException("it ended in the middle of a chunk");
      }
      at += some;
      if (at < length && limits.clock().getAsLong() - start > limits.chunk().toNanos()) {
        return result(Result.SLOW, "a chunk takes longer than " + limits.chunk());
      }
    }
    return true;
  }

  /** An action on the local disk. */
  private interface DiskAction {
    void run() throws IOException;
  }

  private boolean onDisk(DiskAction action) {
    try {
      action.run();
      return true;
    } catch (IOException e) {
      localFailure =
          new ClusterException(
              "%s cannot be kept: %s; free some space or use another cache; fetched chunks are kept"
                  .formatted(wanted.model(), FileErrors.of(e)),
              e);
    } catch (ClusterException e) {
      localFailure = e;
    }
    return result(Result.STUCK, localFailure.getMessage());
  }

  private boolean stopped() {
    localFailure =
        new ClusterException(
            "fetching " + wanted.model() + " was stopped; fetched chunks are kept");
    return result(Result.STUCK, localFailure.getMessage());
  }

  private boolean result(Result how, String why) {
    result = how;
    reason = why;
    return false;
  }
}
