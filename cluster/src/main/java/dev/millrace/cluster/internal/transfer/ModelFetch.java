package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.text.FileErrors;
import java.io.EOFException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gets one model from peers into the cache of a store. Each chunk is checked when it comes, and the
 * whole before it is used; what was got before a stop, a crash or a full disk is kept. A peer that
 * sends what is wrong is not asked again, one that is lost is asked again after the others.
 */
public final class ModelFetch {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** What to get, as an assignment names it. */
  public record WantedModel(String sha256, String model, long bytes) {
    public WantedModel {
      if (!Sha256Hash.isHex(sha256) || bytes < 1) {
        throw new ClusterException(
            "a model is wanted by 64 hexadecimal digits and its size, not \"%s\" and %d bytes"
                .formatted(sha256, bytes));
      }
    }
  }

  /**
   * How long it goes on with a peer.
   *
   * @param waiting while others are served there
   * @param chunk for one chunk
   * @param appearing before a peer that has the model is known here: members hear of each other at
   *     different times
   * @param pause before a peer that failed is asked again
   * @param attempts that bring nothing, before a peer is given up
   */
  record Limits(
      Duration waiting,
      Duration chunk,
      Duration appearing,
      Duration pause,
      int attempts,
      LongSupplier clock) {
    static final Limits USUAL =
        new Limits(
            Duration.ofMinutes(30),
            Duration.ofMinutes(2),
            Duration.ofSeconds(6),
            Duration.ofSeconds(2),
            3,
            System::nanoTime);
  }

  private final ModelStore store;
  private final WantedModel wanted;
  private final PeerCalls lines;
  private final Supplier<List<ModelSource>> peers;
  private final FetchDisk disk;
  private final Limits limits;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Map<String, String> givenUp = new TreeMap<>(); // peer, why
  private final Map<String, Integer> failures = new HashMap<>();
  private final Set<String> disagreeing = new HashSet<>();
  private final Set<String> believed = new HashSet<>(); // told the chunks that are gone by
  private final FetchProgress account;
  private volatile @Nullable PartialModel landing;

  ModelFetch(
      ModelStore store,
      WantedModel wanted,
      PeerCalls lines,
      Supplier<List<ModelSource>> peers,
      FetchDisk disk,
      Limits limits,
      Consumer<String> progress) {
    this.store = store;
    this.wanted = wanted;
    this.lines = lines;
    this.peers = peers;
    this.disk = disk;
    this.limits = limits;
    this.account = new FetchProgress(wanted, limits.clock(), progress);
  }

  /**
   * @param peers asked anew whenever another one is needed: those that say they have the model
   * @param progress told now and then, in words, by the thread that runs
   */
  public static ModelFetch of(
      ModelStore store,
      WantedModel wanted,
      PeerCalls lines,
      Supplier<List<ModelSource>> peers,
      Consumer<String> progress) {
    return new ModelFetch(store, wanted, lines, peers, FetchDisk.REAL, Limits.USUAL, progress);
  }

  /**
   * Fetches, checks and keeps it, on the caller's thread. Where another process is fetching it into
   * the same cache, waits for that.
   *
   * @return the model's file, the first part of a split one
   * @throws ClusterException in words, where no peer could give it, where the disk is full, or
   *     after {@link #stop}; a later fetch goes on where this one ended
   */
  public Path run() {
    Optional<Path> known = store.find(wanted.sha256());
    if (known.isPresent()) {
      return known.get();
    }
    try (PartialModelDirectory directory = own()) {
      Optional<Path> here = store.findAfterRescan(wanted.sha256());
      if (here.isPresent()) {
        directory.discard();
        return here.get();
      }
      return fetched(PartialModel.open(store.cache(), wanted, directory, disk, this::isStopped));
    } catch (IOException e) {
      throw new ClusterException(
          "%s: %s cannot be kept there: %s; what is here is kept"
              .formatted(store.cache(), wanted.model(), FileErrors.of(e)),
          e);
    }
  }

  /** Where the model is put together, once nobody else has it. */
  private PartialModelDirectory own() throws IOException {
    PartialModelDirectory own = PartialModelDirectory.open(store.cache(), wanted);
    if (own == null) {
      account.waitingForOtherProcess();
    }
    while (own == null) {
      pause(1);
      own = PartialModelDirectory.open(store.cache(), wanted);
    }
    return own;
  }

  private Path fetched(PartialModel open) throws IOException {
    landing = open;
    while (!arrived(open)) {
      ask(next(), open);
    }
    List<Path> files = open.moveIntoCache();
    store.addFetched(files, wanted.sha256(), Objects.requireNonNull(open.chunks()));
    account.finished();
    return files.getFirst();
  }

  /** Whether all is here and is what was wanted. */
  private boolean arrived(PartialModel open) throws IOException {
    if (!open.isComplete()) {
      return false;
    }
    if (open.hasWantedHash()) {
      return true;
    }
    if (open.dropWrongChunks()) {
      for (String peer : believed) {
        giveUp(peer, "its chunks are those that it said, but together they are another file");
      }
      believed.clear();
      disagreeing.clear();
    } else if (failures.merge("", 1, Integer::sum) >= limits.attempts()) {
      throw new ClusterException(
          store.cache() + ": the disk gives back other bytes than were written; use another one");
    }
    return false;
  }

  /** The peer that has failed least often, those that agree with what is here first. */
  private ModelSource next() {
    List<ModelSource> left = left();
    long start = limits.clock().getAsLong();
    while (left.isEmpty()
        && givenUp.isEmpty()
        && limits.clock().getAsLong() - start < limits.appearing().toNanos()) {
      pause(1);
      left = left();
    }
    if (left.isEmpty()) {
      throw new ClusterException(nobody());
    }
    ModelSource best = left.getFirst();
    for (ModelSource peer : left) {
      best = rank(peer) < rank(best) ? peer : best;
    }
    pause(failures.getOrDefault(best.name(), 0));
    return best;
  }

  private List<ModelSource> left() {
    List<ModelSource> left = new ArrayList<>();
    for (ModelSource peer : peers.get()) {
      if (!givenUp.containsKey(peer.name())) {
        left.add(peer);
      }
    }
    return left;
  }

  private int rank(ModelSource peer) {
    int failed = failures.getOrDefault(peer.name(), 0);
    return failed + (disagreeing.contains(peer.name()) ? limits.attempts() : 0);
  }

  private String nobody() {
    String what = "%s (%s)".formatted(wanted.model(), wanted.sha256().substring(0, 8));
    if (givenUp.isEmpty()) {
      return "no node has the file of " + what + "; give one with it, or put it here";
    }
    StringBuilder text = new StringBuilder("no node could give the file of " + what);
    givenUp.forEach((peer, why) -> text.append("; ").append(peer).append(": ").append(why));
    return text.toString();
  }

  private void pause(int failed) {
    try {
      if (failed > 0) {
        stopped.await(failed * limits.pause().toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      stop();
      Thread.currentThread().interrupt();
    }
    if (isStopped()) {
      throw new ClusterException(
          "fetching " + wanted.model() + " was stopped; what is here is kept");
    }
  }

  private void ask(ModelSource peer, PartialModel open) {
    FetchCall dialogue =
        new FetchCall(
            wanted, open, limits, account, this::isStopped, disagreeing.contains(peer.name()));
    account.askingPeer(peer.name(), open.verifiedBytes());
    ChunkHashes before = open.chunks();
    String broke = "it said nothing";
    try {
      lines.call(peer.at(), dialogue::fetchOver);
    } catch (EOFException e) {
      broke = "it ended the call";
    } catch (IOException | ClusterException e) {
      broke = String.valueOf(e.getMessage());
    }
    if (dialogue.fetchedChunks() > 0) {
      failures.remove(peer.name());
    }
    believe(peer.name(), dialogue, before);
    switch (dialogue.result()) {
      case DONE -> {}
      case STUCK -> throw dialogue.localFailure();
      case UNTRUE -> giveUp(peer.name(), dialogue.reason());
      case DISAGREES -> disagreeing.add(peer.name());
      case REFUSED, SLOW -> failed(peer.name(), dialogue.reason());
      case BROKEN -> failed(peer.name(), broke);
    }
  }

  /** Who told what is gone by now; those who told what was gone by before tell something else. */
  private void believe(String peer, FetchCall dialogue, @Nullable ChunkHashes before) {
    ChunkHashes told = dialogue.adopted();
    if (told == null) {
      return;
    }
    if (!told.equals(before)) {
      disagreeing.addAll(believed);
      believed.clear();
    }
    believed.add(peer);
    disagreeing.remove(peer);
  }

  private void failed(String peer, String why) {
    if (failures.merge(peer, 1, Integer::sum) >= limits.attempts()) {
      giveUp(peer, why);
    } else {
      LOG.log(Level.INFO, "fetching {0} from {1}: {2}; going on", wanted.model(), peer, why);
    }
  }

  private void giveUp(String peer, String why) {
    LOG.log(Level.WARNING, "fetching {0}: not asked again: {1}: {2}", wanted.model(), peer, why);
    givenUp.put(peer, why);
  }

  /** Bytes that are here and verified. Any thread. */
  public long verifiedBytes() {
    PartialModel open = landing;
    return open == null ? 0 : open.verifiedBytes();
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /** Ends {@link #run} with the next chunk, or when the peer's silence ends. Any thread. */
  public void stop() {
    stopped.countDown();
  }
}
