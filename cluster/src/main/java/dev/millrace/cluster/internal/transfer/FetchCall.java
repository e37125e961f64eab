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
 * One call to one peer's {@link ModelServer}: asks for what is missing and lets nothing land that
 * does not fit. Whatever ends it is left in {@link #result}: exceptions would lose their meaning on
 * their way through a line.
 */
final class FetchCall {
  /** How a call ended. */
  enum Result {
    /** The line broke, or the peer sent less than it could: it may be better later. */
    BROKEN,
    /** The peer has or gives nothing now. */
    REFUSED,
    /** It tells other chunks than those that are gone by; nothing was taken. */
    DISAGREES,
    /** It sent what cannot be true. */
    UNTRUE,
    /** It is too slow, or lets us wait too long. */
    SLOW,
    /** This side cannot go on, whoever sends. */
    STUCK,
    /** Everything is here. */
    DONE
  }

  /** Chunks that are asked for at once. */
  private static final int RUN = 64;

  private static final int PIECE = 256 << 10;
  private static final int MOST_WORDS = 300;

  private final ModelFetch.WantedModel wanted;
  private final PartialModel landing;
  private final ModelFetch.Limits limits;
  private final FetchProgress account;
  private final BooleanSupplier stop;
  private final boolean mayDisagree;
  private Result end = Result.BROKEN;
  private String words = "";
  private int taken;
  private @Nullable ChunkHashes adopted;
  private @Nullable ClusterException stuck;

  /**
   * @param mayDisagree whether other chunks than those that are gone by are taken for true
   */
  FetchCall(
      ModelFetch.WantedModel wanted,
      PartialModel landing,
      ModelFetch.Limits limits,
      FetchProgress account,
      BooleanSupplier stop,
      boolean mayDisagree) {
    this.wanted = wanted;
    this.landing = landing;
    this.limits = limits;
    this.account = account;
    this.stop = stop;
    this.mayDisagree = mayDisagree;
  }

  Result result() {
    return end;
  }

  /** Why it ended so, where it is not done. */
  String reason() {
    return words;
  }

  /** How many chunks it brought. */
  int fetchedChunks() {
    return taken;
  }

  /** The chunks that the peer told, once they are those that are gone by. */
  @Nullable ChunkHashes adopted() {
    return adopted;
  }

  /** Why nobody else can bring it either, where it is stuck. */
  ClusterException localFailure() {
    return Objects.requireNonNull(stuck);
  }

  void fetchOver(DataInputStream in, DataOutputStream out) throws IOException {
    try {
      out.write(HexFormat.of().parseHex(wanted.sha256()));
      out.flush();
      if (greeted(in) && adopt(ChunkHashes.read(in, wanted.bytes()))) {
        ask(in, out);
      }
    } catch (InvalidModelDataException e) {
      result(Result.UNTRUE, e.getMessage());
    }
  }

  /** Waits until the peer has time for us; whether it has the model then. */
  private boolean greeted(DataInputStream in) throws IOException {
    long start = limits.clock().getAsLong();
    int said;
    while ((said = in.readUnsignedByte()) == ModelServer.WAIT) {
      if (limits.clock().getAsLong() - start > limits.waiting().toNanos()) {
        return result(Result.SLOW, "others are served there for more than " + limits.waiting());
      }
      if (stop.getAsBoolean()) {
        return stopped();
      }
    }
    return said == ModelServer.HAVE || said(said, in);
  }

  private boolean said(int said, DataInputStream in) throws IOException {
    if (said != ModelServer.REFUSED) {
      throw new InvalidModelDataException("it sent what is no part of the protocol (" + said + ")");
    }
    String why = in.readUTF();
    String plain = why.replaceAll("\\p{Cntrl}", " ");
    return result(Result.REFUSED, plain.substring(0, Math.min(plain.length(), MOST_WORDS)));
  }

  private boolean adopt(ChunkHashes told) {
    ChunkHashes before = landing.chunks();
    if (before != null && !before.equals(told) && !mayDisagree) {
      return result(Result.DISAGREES, "it has other chunk hashes than the peer before");
    }
    return here(
        () -> {
          landing.adopt(told);
          adopted = told;
          landing.checkRoom();
        });
  }

  private void ask(DataInputStream in, DataOutputStream out) throws IOException {
    while (!landing.isComplete()) {
      int first = landing.nextMissing(0);
      int count = Math.min(RUN, landing.missingUntil(first) - first);
      out.writeInt(first);
      out.writeInt(count);
      out.flush();
      for (int chunk = first; chunk < first + count; chunk++) {
        if (!take(chunk, in)) {
          return;
        }
      }
    }
    result(Result.DONE, "");
    out.writeInt(ModelServer.END);
    out.flush();
  }

  private boolean take(int chunk, DataInputStream in) throws IOException {
    if (stop.getAsBoolean()) {
      return stopped();
    }
    int said = in.readUnsignedByte();
    if (said != ModelServer.CHUNK) {
      return said(said, in);
    }
    int length = in.readInt();
    int expected = Objects.requireNonNull(landing.chunks()).length(chunk);
    if (length != expected) {
      throw new InvalidModelDataException(
          "chunk %d has %d bytes, but it sends %d".formatted(chunk, expected, length));
    }
    if (!read(in, length)) {
      return false;
    }
    if (!landing.bufferMatches(chunk)) {
      throw new InvalidModelDataException(
          "chunk %d has another hash than it said".formatted(chunk));
    }
    taken++;
    return here(
        () -> {
          landing.writeChunk(chunk);
          account.received(landing.verifiedBytes());
        });
  }

  /** Not all at once: a peer that sends a byte now and then must not hold us for ever. */
  private boolean read(DataInputStream in, int length) throws IOException {
    long start = limits.clock().getAsLong();
    for (int at = 0; at < length; ) {
      int some = in.read(landing.buffer(), at, Math.min(PIECE, length - at));
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

  /** Something on this side's disk. */
  private interface DiskAction {
    void run() throws IOException;
  }

  private boolean here(DiskAction action) {
    try {
      action.run();
      return true;
    } catch (IOException e) {
      stuck =
          new ClusterException(
              "%s cannot be kept: %s; free some space or use another cache, what is here is kept"
                  .formatted(wanted.model(), FileErrors.of(e)),
              e);
    } catch (ClusterException e) {
      stuck = e;
    }
    return result(Result.STUCK, stuck.getMessage());
  }

  private boolean stopped() {
    stuck =
        new ClusterException("fetching " + wanted.model() + " was stopped; what is here is kept");
    return result(Result.STUCK, stuck.getMessage());
  }

  private boolean result(Result how, String why) {
    end = how;
    words = why;
    return false;
  }
}
