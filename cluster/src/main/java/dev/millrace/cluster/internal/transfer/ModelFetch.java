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
 * Fetches a model from peers into the cache of a store. Each chunk is checked on arrival, and the
 * whole model before use. Chunks survive a stop, a crash or a full disk. A peer that sends wrong
 * data is not asked again; a peer that is lost is asked again after the others.
 */
public final class ModelFetch {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** The model to fetch. */
  public record WantedModel(String sha256, String model, long bytes) {
    public WantedModel {
      if (!Sha256Hash.isHex(sha256) || bytes < 1) {
        throw new ClusterException(
            "a model needs a hash of 64 hexadecimal digits and a size, not \"%s\" and %d bytes"
                .formatted(sha256, bytes));
      }
    }
  }

  /**
   * How long to wait for peers.
   *
   * @param waiting while the peer serves others
   * @param chunk for one chunk
   * @param appearing for a peer that has the model to become known: members hear of each other at
   *     different times
   * @param pause before a failed peer is asked again
   * @param attempts without a chunk before a peer is given up
   */
  record Limits(
      Duration waiting,
      Duration chunk,
      Duration appearing,
      Duration pause,
      int attempts,
      LongSupplier clock) {
    static final Limits DEFAULT =
        new Limits(
            Duration.ofMinutes(30),
            Duration.ofMinutes(2),
            Duration.ofSeconds(6),
            Duration.ofSeconds(2),
            3,
            System::nanoTime);
  }

  /**
   * Where the model comes from.
   *
   * @param calls reach a peer
   * @param peers called whenever another peer is needed; returns the peers that have the model
   */
  public record Sources(PeerCalls calls, Supplier<List<ModelSource>> peers) {}

  private final ModelStore store;
  private final WantedModel wanted;
  private final Sources sources;
  private final FetchDisk disk;
  private final Limits limits;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Map<String, String> givenUp = new TreeMap<>(); // peer, why
  private final Map<String, Integer> failures = new HashMap<>();
  private final Set<String> disagreeing = new HashSet<>();
  private final Set<String> agreeing =
      new HashSet<>(); // peers that announced the chunk hashes in use
  private final FetchProgress progressLog;
  private volatile @Nullable PartialModel partial;

  ModelFetch(
      ModelStore store,
      WantedModel wanted,
      Sources sources,
      FetchDisk disk,
      Limits limits,
      Consumer<String> progress) {
    this.store = store;
    this.wanted = wanted;
    this.sources = sources;
    this.disk = disk;
    this.limits = limits;
    this.progressLog = new FetchProgress(wanted, limits.clock(), progress);
  }

  /**
   * @param progress called with progress texts, by the fetching thread
   */
  public static ModelFetch of(
      ModelStore store, WantedModel wanted, Sources sources, Consumer<String> progress) {
    return new ModelFetch(store, wanted, sources, FetchDisk.REAL, Limits.DEFAULT, progress);
  }

  /**
   * Fetches and checks the model on the caller's thread. If another process is fetching it into the
   * same cache, waits for that.
   *
   * @return the model's file, the first part of a split one
   * @throws ClusterException if no peer has it, if the disk is full, or after {@link #stop}; a
   *     later fetch continues where this one ended
   */
  public Path run() {
    Optional<Path> known = store.find(wanted.sha256());
    if (known.isPresent()) {
      return known.get();
    }
    try (PartialModelDirectory directory = lockDirectory()) {
      Optional<Path> here = store.findAfterRescan(wanted.sha256());
      if (here.isPresent()) {
        directory.discard();
        return here.get();
      }
      return fetchAll(PartialModel.open(store.cache(), wanted, directory, disk, this::isStopped));
    } catch (IOException e) {
      throw new ClusterException(
          "%s: %s cannot be kept there: %s; fetched chunks are kept"
              .formatted(store.cache(), wanted.model(), FileErrors.of(e)),
          e);
    }
  }

  /** The directory of the partial model, once no other process holds it. */
  private PartialModelDirectory lockDirectory() throws IOException {
    PartialModelDirectory lockDirectory = PartialModelDirectory.open(store.cache(), wanted);
    if (lockDirectory == null) {
      progressLog.waitingForOtherProcess();
    }
    while (lockDirectory == null) {
      pause(1);
      lockDirectory = PartialModelDirectory.open(store.cache(), wanted);
    }
    return lockDirectory;
  }

  private Path fetchAll(PartialModel open) throws IOException {
    partial = open;
    while (!isFetched(open)) {
      fetchFrom(next(), open);
    }
    List<Path> files = open.moveIntoCache();
    store.addFetched(files, wanted.sha256(), Objects.requireNonNull(open.chunks()));
    progressLog.finished();
    return files.getFirst();
  }

  /** Whether all chunks are here and make up the wanted model. */
  private boolean isFetched(PartialModel open) throws IOException {
    if (!open.isComplete()) {
      return false;
    }
    if (open.hasWantedHash()) {
      return true;
    }
    if (open.dropWrongChunks()) {
      for (String peer : agreeing) {
        giveUp(
            peer,
            "its chunks have the hashes that it announced, but together they are another file");
      }
      agreeing.clear();
      disagreeing.clear();
    } else if (failures.merge("", 1, Integer::sum) >= limits.attempts()) {
      throw new ClusterException(
          store.cache() + ": the disk returns other bytes than were written; use another one");
    }
    return false;
  }

  /**
   * The peer with the fewest failures; peers that agree with the chunk hashes in use come first.
   */
  private ModelSource next() {
    List<ModelSource> candidates = candidates();
    long start = limits.clock().getAsLong();
    while (candidates.isEmpty()
        && givenUp.isEmpty()
        && limits.clock().getAsLong() - start < limits.appearing().toNanos()) {
      pause(1);
      candidates = candidates();
    }
    if (candidates.isEmpty()) {
      throw new ClusterException(noPeerMessage());
    }
    ModelSource best = candidates.getFirst();
    for (ModelSource peer : candidates) {
      best = rank(peer) < rank(best) ? peer : best;
    }
    pause(failures.getOrDefault(best.name(), 0));
    return best;
  }

  private List<ModelSource> candidates() {
    List<ModelSource> candidates = new ArrayList<>();
    for (ModelSource peer : sources.peers().get()) {
      if (!givenUp.containsKey(peer.name())) {
        candidates.add(peer);
      }
    }
    return candidates;
  }

  private int rank(ModelSource peer) {
    int failed = failures.getOrDefault(peer.name(), 0);
    return failed + (disagreeing.contains(peer.name()) ? limits.attempts() : 0);
  }

  private String noPeerMessage() {
    String what = "%s (%s)".formatted(wanted.model(), wanted.sha256().substring(0, 8));
    if (givenUp.isEmpty()) {
      return "no node has the file of " + what + "; start a node that has it, or copy it here";
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
          "fetching " + wanted.model() + " was stopped; fetched chunks are kept");
    }
  }

  private void fetchFrom(ModelSource peer, PartialModel open) {
    FetchCall call =
        new FetchCall(
            wanted, open, limits, progressLog, this::isStopped, disagreeing.contains(peer.name()));
    progressLog.askingPeer(peer.name(), open.verifiedBytes());
    ChunkHashes before = open.chunks();
    String broke = "it sent nothing";
    try {
      sources.calls().call(peer.at(), call::fetchOver);
    } catch (EOFException e) {
      broke = "it ended the call";
    } catch (IOException | ClusterException e) {
      broke = String.valueOf(e.getMessage());
    }
    if (call.fetchedChunks() > 0) {
      failures.remove(peer.name());
    }
    noteAgreement(peer.name(), call, before);
    switch (call.result()) {
      case DONE -> {}
      case STUCK -> throw call.localFailure();
      case UNTRUE -> giveUp(peer.name(), call.reason());
      case DISAGREES -> disagreeing.add(peer.name());
      case REFUSED, SLOW -> failed(peer.name(), call.reason());
      case BROKEN -> failed(peer.name(), broke);
    }
  }

  /** Notes which peers announced the chunk hashes in use; the others disagree. */
  private void noteAgreement(String peer, FetchCall call, @Nullable ChunkHashes before) {
    ChunkHashes announced = call.adopted();
    if (announced == null) {
      return;
    }
    if (!announced.equals(before)) {
      disagreeing.addAll(agreeing);
      agreeing.clear();
    }
    agreeing.add(peer);
    disagreeing.remove(peer);
  }

  private void failed(String peer, String why) {
    if (failures.merge(peer, 1, Integer::sum) >= limits.attempts()) {
      giveUp(peer, why);
    } else {
      LOG.log(Level.INFO, "fetching {0} from {1}: {2}; trying again", wanted.model(), peer, why);
    }
  }

  private void giveUp(String peer, String why) {
    LOG.log(
        Level.WARNING, "fetching {0}: peer {1} is not asked again: {2}", wanted.model(), peer, why);
    givenUp.put(peer, why);
  }

  /** Bytes that are fetched and verified. Any thread. */
  public long verifiedBytes() {
    PartialModel open = partial;
    return open == null ? 0 : open.verifiedBytes();
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /** Ends {@link #run} after the current chunk, or when the peer's timeout ends. Any thread. */
  public void stop() {
    stopped.countDown();
  }
}
