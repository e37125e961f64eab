package dev.millrace.cluster.node;

import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.NetworkSettings;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.link.MessageReceiver;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.member.JoinedNetwork;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.Engine;
import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.config.WeightFormats;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.EndModel;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.wheel.BatchLoop;
import dev.millrace.engine.internal.wheel.Detokenizer;
import dev.millrace.engine.internal.wheel.WheelSettings;
import dev.millrace.engine.numerics.ModelNumerics;
import dev.millrace.engine.numerics.SupportedNumerics;
import dev.millrace.engine.token.Tokenizer;
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
final class NetworkedTestOrigin implements MessageReceiver, AutoCloseable {
  private final BlockingQueue<NodeMessage> messages = new LinkedBlockingQueue<>();
  private final EngineSettings settings;
  private final Path file;
  final JoinedNetwork network;

  /** What was told after it could be reached; the network itself knows them a moment earlier. */
  private volatile List<NodeState> reachable = List.of();

  private volatile @Nullable BatchLoop wheels;
  private @Nullable Engine engine;

  NetworkedTestOrigin(Path file, EngineSettings settings, NetworkSettings joining) {
    this.file = file;
    this.settings = settings;
    network = JoinedNetwork.join(joining, state -> state, this, states -> reachable = states);
  }

  @Override
  public void received(String from, NodeMessage message) {
    BatchLoop at = wheels;
    if (message.kind() == Kind.FRAME && at != null) {
      at.receive(0, message.body());
    } else {
      messages.add(message);
    }
  }

  @Override
  public void lost(String node, String why) {}

  /** The next message but frames, which must be of that kind. */
  NodeMessage next(Kind kind) throws InterruptedException {
    NodeMessage next = messages.poll(20, TimeUnit.SECONDS);
    if (next == null || next.kind() != kind) {
      String words =
          next != null && next.kind() == Kind.REFUSED
              ? ": " + WireCodec.decodeTexts(next.body(), 1)
              : "";
      throw new AssertionError(kind + " expected, not " + next + words);
    }
    return next;
  }

  void send(String node, Kind kind, long session, ByteBuffer body) {
    network.sender().send(node, new NodeMessage(kind, session, body));
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
        .until(() -> reachable.stream().anyMatch(state -> state.name().equals(node)));
  }

  /** Waits until a node has all it is getting; gives the hash of its first. */
  String awaitLoaded(String node) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(
            () -> {
              List<HeldLayers> holdings = stateOf(node).holdings();
              return !holdings.isEmpty()
                  && holdings.stream().allMatch(h -> h.state() == HeldLayers.State.LOADED);
            });
    return stateOf(node).holdings().getFirst().sha256();
  }

  /** Opens the plan at its nodes and starts an engine on it. */
  Engine open(long session, String sha256, Pipe plan) throws InterruptedException {
    try (Gguf gguf = Gguf.open(file)) {
      int own = plan.nodeLayers().getFirst().to();
      LoadSettings wanted = LoadSettings.of(settings, ModelConfig.ofGenerator(gguf));
      EndModel end = EndModel.open(gguf, own, wanted);
      LoadSettings loading = end.settings();
      ModelNumerics numerics = new ModelNumerics(SupportedNumerics.CURRENT, WeightFormats.of(gguf));
      OpenSessionRequest opening =
          new OpenSessionRequest(
              new SessionParameters(
                  sha256,
                  "tiny",
                  numerics.newest(),
                  new SessionParameters.CacheShape(
                      loading.kvType(), loading.context(), loading.pages()),
                  new SessionParameters.BatchShape(loading.maxRows(), loading.maxRuns(), 4)),
              plan);
      Set<String> nodes = new TreeSet<>();
      plan.nodeLayers().forEach(stretch -> nodes.add(stretch.node()));
      nodes.remove(network.name());
      for (String node : nodes) {
        send(node, Kind.OPEN, session, WireCodec.encode(opening));
        next(Kind.OPENED);
      }
      PipeProcessor processor =
          new PipeProcessor(
              network.name(),
              List.<Segment>copyOf(end.openSegments()),
              end.end(),
              (to, frame) -> send(to, Kind.FRAME, session, frame));
      processor.setPlan(plan);
      Tokenizer tokenizer = Tokenizer.of(gguf.metadata());
      BatchLoop turning =
          new BatchLoop(
              WheelSettings.of(settings, wanted.pages(), wanted.context()).withGroups(2),
              List.of(processor),
              tokenizer,
              shown -> Detokenizer.of(tokenizer, shown),
              System::nanoTime,
              null);
      wheels = turning;
      engine =
          Engine.of(
              new Engine.Parts(
                  tokenizer,
                  new PromptEncoder(gguf.metadata(), tokenizer),
                  gguf.metadata(),
                  end.config().info(),
                  numerics,
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
