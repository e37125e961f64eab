package dev.millrace.cluster.node;

import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.PeerConnections;
import dev.millrace.cluster.internal.link.RetryingSender;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.thread.EngineThreads;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Sends messages over the node's connections, and dials other nodes on threads of its own.
 * Thread-safe.
 */
final class DialingNodeLinks implements NodeLinks, AutoCloseable {
  /** A message of an origin may come this long before this node knows it as a member. */
  private static final Duration RETRY_TIME = Duration.ofSeconds(10);

  private final Supplier<PeerConnections> connections;
  private final RetryingSender sender;

  /** Nodes that are being dialed, by one thread each. */
  private final Map<String, CompletableFuture<Optional<Unreachable>>> dialing =
      new ConcurrentHashMap<>();

  /**
   * @param connections available once this node has joined
   * @param undelivered called with messages that could not be sent
   */
  DialingNodeLinks(Supplier<PeerConnections> connections, Consumer<NodeMessage> undelivered) {
    this.connections = connections;
    this.sender =
        new RetryingSender(
            (node, message) -> connections.get().send(node, message),
            RETRY_TIME,
            (node, message, why) -> undelivered.accept(message));
  }

  @Override
  public void sendSoon(String node, NodeMessage message) {
    sender.send(node, message);
  }

  @Override
  public void sendFrame(String node, NodeMessage frame) {
    connections.get().sendOnOpenLink(node, frame);
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
    CompletableFuture<Optional<Unreachable>> other = dialing.putIfAbsent(node, mine);
    if (other != null) {
      return other;
    }
    EngineThreads.virtualWork()
        .name("millrace-dial-" + node)
        .start(
            () -> {
              Optional<Unreachable> cut = dial(node);
              dialing.remove(node);
              mine.complete(cut);
            });
    return mine;
  }

  private Optional<Unreachable> dial(String node) {
    try {
      connections.get().connect(node);
      return Optional.empty();
    } catch (RuntimeException | Error e) { // the waiting session must learn of it
      return Optional.of(new Unreachable(node, PipeProcessor.reason(e)));
    }
  }

  /** Waits until all messages are sent, at most so long. */
  void flush(long millis) {
    try {
      sender.flush(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    sender.close();
  }
}
