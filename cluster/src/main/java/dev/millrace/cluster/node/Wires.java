package dev.millrace.cluster.node;

import dev.millrace.cluster.wire.Courier;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Switchboard;
import dev.millrace.engine.pipe.PipeProcessor;
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
final class Wires implements Roads, AutoCloseable {
  /** An origin may be heard so long before this node has learnt that it is a member. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Supplier<Switchboard> board;
  private final Courier courier;

  /** Those that are being dialled: by one thread each, whoever asks. */
  private final Map<String, CompletableFuture<Optional<Cut>>> dialled = new ConcurrentHashMap<>();

  /**
   * @param board from when on this node has joined
   * @param undelivered told of what could not be said
   */
  Wires(Supplier<Switchboard> board, Consumer<Message> undelivered) {
    this.board = board;
    this.courier =
        new Courier(
            (node, message) -> board.get().send(node, message),
            PATIENCE,
            (node, message, why) -> undelivered.accept(message));
  }

  @Override
  public void tell(String node, Message message) {
    courier.send(node, message);
  }

  @Override
  public void pass(String node, Message frame) {
    board.get().pass(node, frame);
  }

  @Override
  public void link(Collection<String> nodes, Consumer<Optional<Cut>> made) {
    List<CompletableFuture<Optional<Cut>>> all = nodes.stream().map(this::link).toList();
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenRun(
            () ->
                made.accept(
                    all.stream()
                        .map(CompletableFuture::join)
                        .flatMap(Optional::stream)
                        .findFirst()));
  }

  private CompletableFuture<Optional<Cut>> link(String node) {
    CompletableFuture<Optional<Cut>> mine = new CompletableFuture<>();
    CompletableFuture<Optional<Cut>> other = dialled.putIfAbsent(node, mine);
    if (other != null) {
      return other;
    }
    Thread.ofVirtual()
        .name("millrace-dial-" + node)
        .start(
            () -> {
              Optional<Cut> cut = dial(node);
              dialled.remove(node);
              mine.complete(cut);
            });
    return mine;
  }

  private Optional<Cut> dial(String node) {
    try {
      board.get().connect(node);
      return Optional.empty();
    } catch (RuntimeException | Error e) { // whoever waits must learn of it
      return Optional.of(new Cut(node, PipeProcessor.reason(e)));
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
