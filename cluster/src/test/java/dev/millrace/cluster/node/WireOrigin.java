package dev.millrace.cluster.node;

import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.Holding;
import dev.millrace.cluster.member.Network;
import dev.millrace.cluster.member.NetworkSettings;
import dev.millrace.cluster.member.NodeState;
import dev.millrace.cluster.member.Opening;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.cluster.wire.Receiver;
import dev.millrace.engine.Engine;
import dev.millrace.engine.EngineSettings;
import dev.millrace.engine.Numerics;
import dev.millrace.engine.Prompts;
import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.model.EndModel;
import dev.millrace.engine.model.LoadSettings;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.pipe.Segment;
import dev.millrace.engine.token.Tokenizer;
import dev.millrace.engine.wheel.Speller;
import dev.millrace.engine.wheel.Wheels;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** An origin with one layer of its own and a plan that a test gives it, over real links. */
final class WireOrigin implements Receiver, AutoCloseable {
  private final BlockingQueue<Message> told = new LinkedBlockingQueue<>();
  private final EngineSettings settings;
  private final Path file;
  final Network network;
  private volatile @Nullable Wheels wheels;
  private @Nullable Engine engine;

  WireOrigin(Path file, EngineSettings settings, NetworkSettings joining) {
    this.file = file;
    this.settings = settings;
    network = Network.join(joining, state -> state, this, states -> {});
  }

  @Override
  public void received(String from, Message message) {
    Wheels at = wheels;
    if (message.kind() == Kind.FRAME && at != null) {
      at.arrived(0, message.body());
    } else {
      told.add(message);
    }
  }

  @Override
  public void lost(String node, String why) {}

  /** The next message but frames, which must be of that kind. */
  Message next(Kind kind) throws InterruptedException {
    Message next = told.poll(20, TimeUnit.SECONDS);
    if (next == null || next.kind() != kind) {
      String words =
          next != null && next.kind() == Kind.REFUSED ? ": " + Codec.texts(next.body(), 1) : "";
      throw new AssertionError(kind + " expected, not " + next + words);
    }
    return next;
  }

  void send(String node, Kind kind, long session, ByteBuffer body) {
    network.post().send(node, new Message(kind, session, body));
  }

  NodeState stateOf(String node) {
    return network.states().stream()
        .filter(state -> state.name().equals(node))
        .findFirst()
        .orElseThrow();
  }

  void awaitMember(String node) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> network.states().stream().anyMatch(state -> state.name().equals(node)));
  }

  /** Waits until a node has all it is getting; gives the hash of its first. */
  String awaitLoaded(String node) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(
            () -> {
              List<Holding> holdings = stateOf(node).holdings();
              return !holdings.isEmpty()
                  && holdings.stream().allMatch(h -> h.state() == Holding.State.LOADED);
            });
    return stateOf(node).holdings().getFirst().sha256();
  }

  /** Opens the plan at its nodes and starts an engine on it. */
  Engine open(long session, String sha256, Pipe plan) throws InterruptedException {
    try (Gguf gguf = Gguf.open(file)) {
      int own = plan.stretches().getFirst().to();
      EndModel end = EndModel.open(gguf, own, settings.loading(Engine.generating(gguf)));
      LoadSettings loading = end.settings();
      Opening opening =
          new Opening(
              sha256,
              "tiny",
              Numerics.VERSION,
              plan,
              loading.kvType(),
              loading.context(),
              loading.pages(),
              loading.maxRows(),
              loading.maxRuns(),
              4);
      Set<String> nodes = new TreeSet<>();
      plan.stretches().forEach(stretch -> nodes.add(stretch.node()));
      nodes.remove(network.name());
      for (String node : nodes) {
        send(node, Kind.OPEN, session, Codec.encode(opening));
        next(Kind.OPENED);
      }
      PipeProcessor processor =
          new PipeProcessor(
              network.name(),
              List.<Segment>copyOf(end.openSegments()),
              end.end(),
              (to, frame) -> send(to, Kind.FRAME, session, frame));
      processor.plan(plan);
      Tokenizer tokenizer = Tokenizer.of(gguf.metadata());
      Wheels turning =
          new Wheels(
              settings.turning(end.config()).withGroups(2),
              List.of(processor),
              tokenizer,
              () -> Speller.of(tokenizer.decoder()),
              System::nanoTime,
              null);
      wheels = turning;
      engine =
          Engine.of(
              new Engine.Parts(
                  tokenizer,
                  new Prompts(gguf.metadata(), tokenizer),
                  gguf.metadata(),
                  end.config(),
                  loading.context(),
                  end.weightBytes(),
                  end.kvBytesPerToken(),
                  turning,
                  end));
      return engine;
    }
  }

  @Override
  public void close() {
    if (engine != null) {
      engine.close();
    }
    network.close();
  }
}
