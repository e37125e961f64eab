package dev.millrace.server.infer;

import dev.millrace.engine.Engine;
import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationLoop;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.WarmUp;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.config.WeightFormats;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.LocalModel;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.wheel.BatchLoop;
import dev.millrace.engine.internal.wheel.Detokenizer;
import dev.millrace.engine.internal.wheel.WheelSettings;
import dev.millrace.engine.numerics.ModelNumerics;
import dev.millrace.engine.numerics.SupportedNumerics;
import dev.millrace.engine.token.Tokenizer;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.server.infer.model.RemoteModelOpener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A model that acts as if its layers were at other nodes: a test decides when all are available,
 * and when their values turn out to be wrong.
 */
final class FakeRemoteModel implements RemoteModelOpener {
  static final String SHA256 = "ab".repeat(32);
  private static final List<Pipe.NodeLayers> WHOLE = List.of(new Pipe.NodeLayers("here", 0, 2));

  private final Path file;
  private final SupportedNumerics supported;
  final List<GenerationRequest> submitted = new CopyOnWriteArrayList<>();
  private final List<Runnable> hooks = new CopyOnWriteArrayList<>();
  private volatile boolean ready;
  private volatile @Nullable RuntimeException trouble;
  private volatile int left;
  private volatile int weighed;
  private volatile int opened;
  private volatile int closed;
  private volatile int revocations; // still to come
  private volatile int apart; // a revocation comes in each so many steps
  private volatile @Nullable BatchLoop wheels;
  private long epoch = 1; // guarded by this
  private boolean held; // guarded by this

  FakeRemoteModel(NamedModel model) {
    this(model, SupportedNumerics.CURRENT);
  }

  /** A model of an engine that has made-up versions of the arithmetic. */
  FakeRemoteModel(NamedModel model, SupportedNumerics supported) {
    file = model.file();
    this.supported = supported;
  }

  /** The model with that name. */
  NamedModel named(String name) {
    return new NamedModel(name, file, this);
  }

  void becomeReady() {
    ready = true;
    plan();
    hooks.forEach(Runnable::run);
  }

  void loseLayers() {
    ready = false;
    plan();
  }

  /** Applies the plan of the nodes: without layers, nothing is computed. */
  private synchronized void plan() {
    BatchLoop turning = wheels;
    if (turning != null) {
      turning.setPlan(0, ready ? new Pipe(++epoch, "here", 2, WHOLE) : null, "as the test says");
    }
  }

  /** Makes opening fail with that exception from now on; null: it succeeds. */
  void trouble(@Nullable RuntimeException why) {
    trouble = why;
  }

  /** Whether opening blocks. */
  synchronized void hold(boolean held) {
    this.held = held;
    notifyAll();
  }

  private synchronized void await() {
    try {
      while (held) {
        wait();
      }
    } catch (InterruptedException e) {
      throw new EngineException("interrupted while waiting for the network", e);
    }
  }

  /** Ends the engine. */
  void breakDown() {
    BatchLoop turning = wheels;
    if (turning != null) {
      turning.close();
    }
  }

  /** How often the model was closed. */
  int left() {
    return left;
  }

  /** How often its memory was read. */
  int weighed() {
    return weighed;
  }

  /** Revokes the next {@code count} generations, each after {@code steps} steps. */
  void revoke(int count, int steps) {
    apart = steps;
    revocations = count;
  }

  int opened() {
    return opened;
  }

  int closed() {
    return closed;
  }

  @Override
  public Engine open(EngineSettings settings) {
    opened++;
    await();
    RuntimeException why = trouble;
    if (why != null) {
      throw why;
    }
    try (Gguf gguf = Gguf.open(file)) {
      Tokenizer tokenizer = Tokenizer.of(gguf.metadata());
      LoadSettings load = LoadSettings.of(settings, ModelConfig.ofGenerator(gguf));
      LocalModel model = LocalModel.open(gguf, load);
      BatchLoop turning =
          new BatchLoop(
              WheelSettings.of(settings, load.pages(), load.context()),
              List.of(PipeProcessor.local(List.of(new Doubted(model.segment())), model.end())),
              tokenizer,
              shown -> Detokenizer.of(tokenizer, shown),
              System::nanoTime,
              null);
      wheels = turning;
      plan();
      return Engine.of(
          new Engine.Parts(
              tokenizer,
              new PromptEncoder(model.metadata(), tokenizer),
              model.metadata(),
              model.config().info(),
              new ModelNumerics(supported, WeightFormats.of(gguf)),
              model.context(),
              model.weightBytes(),
              model.kvBytesPerToken(),
              new RecordingLoop(turning, submitted),
              () -> {
                closed++;
                model.close();
              }));
    }
  }

  @Override
  public long bytes(Path gguf, EngineSettings settings) {
    weighed++;
    return 1 << 20;
  }

  @Override
  public String sha256() {
    return SHA256;
  }

  @Override
  public boolean ready() {
    return ready;
  }

  @Override
  public String waitReason() {
    return ready ? "" : "layers 1 to 1 are nowhere";
  }

  @Override
  public void onReady(Runnable hook) {
    hooks.add(hook);
    if (ready) {
      hook.run();
    }
  }

  @Override
  public Map<String, Double> metrics() {
    return Map.of("nodes", ready ? 2.0 : 1.0);
  }

  @Override
  public void close() {
    if (wheels != null) {
      wheels = null;
      ready = false;
      left++;
    }
  }

  /** Layers that revoke a generation in the middle. */
  private final class Doubted implements Segment {
    private final Segment segment;
    private int steps;

    Doubted(Segment segment) {
      this.segment = segment;
    }

    @Override
    public int from() {
      return segment.from();
    }

    @Override
    public int to() {
      return segment.to();
    }

    @Override
    public void forward(Batch batch) {
      segment.forward(batch);
      BatchLoop turning = wheels;
      if (turning != null && revocations > 0 && ++steps == apart) {
        steps = 0;
        revocations--;
        turning.revoke(0, "node b computed something else");
      }
    }
  }

  /** Keeps the requests that are submitted to a loop. */
  private record RecordingLoop(GenerationLoop loop, List<GenerationRequest> submitted)
      implements GenerationLoop {
    @Override
    public Generation submit(GenerationRequest request, GenerationListener listener) {
      submitted.add(request);
      return loop.submit(request, listener);
    }

    @Override
    public void run() {
      loop.run();
    }

    @Override
    public WarmUp warmUp(Duration most) {
      return loop.warmUp(most);
    }

    @Override
    public WheelStats stats() {
      return loop.stats();
    }

    @Override
    public void close() {
      loop.close();
    }
  }
}
