package dev.millrace.cluster.node;

import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.PeerConnections;
import dev.millrace.cluster.internal.link.RetryingSender;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Roads over a switchboard; other threads dial and wait. Thread-safe. */
final class NetworkLinks implements NodeLinks, AutoCloseable {
  /** An origin may be heard so long before this node has learnt that it is a member. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Supplier<PeerConnections> board;
  private final RetryingSender courier;

  /** Those that are being dialled: by one thread each, whoever asks. */
  private final Map<String, CompletableFuture<Optional<Unreachable>>> dialled =
      new ConcurrentHashMap<>();

  /**
   * @param board from when on this node has joined
   * @param undelivered told of what could not be said
   */
  NetworkLinks(Supplier<PeerConnections> board, Consumer<NodeMessage> undelivered) {
    this.board = board;
    this.courier =
        new RetryingSender(
            (node, message) -> board.get().send(node, message),
            PATIENCE,
            (node, message, why) -> undelivered.accept(message));
  }

  @Override
  public void sendSoon(String node, NodeMessage message) {
    courier.send(node, message);
  }

  @Override
  public void sendFrame(String node, NodeMessage frame) {
    board.get().sendOnOpenLink(node, frame);
  }

  @Override
  public void connect(Collection<String> nodes, Consumer<Optional<Unreachable>> made) {
    List<CompletableFuture<Optional<Unreachable>>> all = nodes.stream().map(this::link).toList();
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenRun(
            () ->
                made.accept(
                    all.stream()
                        .map(CompletableFuture::join)
                        .flatMap(Optional::stream)
                        .findFirst()));
  }

  private CompletableFuture<Optional<Unreachable>> link(String node) {
    CompletableFuture<Optional<Unreachable>> mine = new CompletableFuture<>();
    CompletableFuture<Optional<Unreachable>> other = dialled.putIfAbsent(node, mine);
    if (other != null) {
      return other;
    }
    Thread.ofVirtual()
        .name("millrace-dial-" + node)
        .start(
            () -> {
              Optional<Unreachable> cut = dial(node);
              dialled.remove(node);
              mine.complete(cut);
            });
    return mine;
  }

  private Optional<Unreachable> dial(String node) {
    try {
      board.get().connect(node);
      return Optional.empty();
    } catch (RuntimeException | Error e) { // whoever waits must learn of it
      return Optional.of(new Unreachable(node, PipeProcessor.reason(e)));
    }
  }

  /** Waits until all is said that was to be told, but not longer than that. */
  void flush(long millis) {
    try {
      courier.flush(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    courier.close();
  }
}
