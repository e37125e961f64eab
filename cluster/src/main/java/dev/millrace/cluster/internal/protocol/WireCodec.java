package dev.millrace.cluster.internal.protocol;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.PipeStretch;
import dev.millrace.cluster.internal.protocol.SessionParameters.BatchShape;
import dev.millrace.cluster.internal.protocol.SessionParameters.CacheShape;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.numerics.NumericsVersion;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Encodes and decodes what nodes send each other. Decoding is strict: bytes that are cut off, too
 * long, invalid, or followed by more are a {@link ClusterException}.
 */
public final class WireCodec {
  /** The largest encoded state of a node. */
  public static final int MAX_STATE_BYTES = 1 << 20;

  private static final int NAME = 64;
  private static final int HOST = 255;
  private static final int HASH = 128;
  private static final int NUMERICS = 1_024;
  private static final int MODEL = 1_024;
  private static final int REASON = 8_192;
  private static final int TEXT = 65_536;
  private static final int MANY = 8_192;
  private static final int FEW = 256;

  private WireCodec() {}

  /** At most {@value #MAX_STATE_BYTES} bytes; a larger state is refused. */
  public static ByteBuffer encode(NodeState state) {
    ByteBuffer bytes = write(new WireEncoder(), state).toBuffer();
    if (bytes.remaining() > MAX_STATE_BYTES) {
      throw new ClusterException(
          "the state of node \"%s\" takes %d bytes, where %d is the limit: let it hold fewer models"
              .formatted(state.name(), bytes.remaining(), MAX_STATE_BYTES));
    }
    return bytes;
  }

  public static NodeState state(ByteBuffer bytes) {
    if (bytes.remaining() > MAX_STATE_BYTES) {
      throw new ClusterException(
          "a node's state of %d bytes, where %d is the limit"
              .formatted(bytes.remaining(), MAX_STATE_BYTES));
    }
    return read("a node's state", bytes, WireCodec::state);
  }

  public static ByteBuffer encode(OpenSessionRequest request) {
    SessionParameters parameters = request.parameters();
    Pipe pipe = request.pipe();
    CacheShape cache = parameters.cache();
    BatchShape batch = parameters.batch();
    return new WireEncoder()
        .text(parameters.sha256(), HASH)
        .text(parameters.model(), MODEL)
        .text(parameters.numerics().toString(), NUMERICS)
        .number(pipe.epoch())
        .text(pipe.origin(), NAME)
        .number(pipe.layers())
        .list(pipe.nodeLayers(), ClusterProtocol.MAX_LAYERS, WireCodec::write)
        .number(cache.kvType().ordinal())
        .number(cache.context())
        .number(cache.pages())
        .number(batch.maxRows())
        .number(batch.maxRuns())
        .number(batch.inFlight())
        .toBuffer();
  }

  public static OpenSessionRequest decodeOpenRequest(ByteBuffer bytes) {
    return read("a request to open a session", bytes, WireCodec::openRequest);
  }

  private static OpenSessionRequest openRequest(WireDecoder in) {
    String sha256 = in.text(HASH);
    String model = in.text(MODEL);
    NumericsVersion numerics = NumericsVersion.parse(in.text(NUMERICS));
    Pipe pipe = pipe(in);
    CacheShape cache = new CacheShape(in.enumValue(KvType.values()), in.integer(), in.integer());
    BatchShape batch = new BatchShape(in.integer(), in.integer(), in.integer());
    return new OpenSessionRequest(
        new SessionParameters(sha256, model, numerics, cache, batch), pipe);
  }

  public static ByteBuffer encode(LoadLayersRequest request) {
    return new WireEncoder()
        .text(request.sha256(), HASH)
        .text(request.model(), MODEL)
        .number(request.from())
        .number(request.to())
        .number(request.fileBytes())
        .number(request.bytes())
        .toBuffer();
  }

  public static LoadLayersRequest decodeLoadRequest(ByteBuffer bytes) {
    return read(
        "a request to load layers",
        bytes,
        in ->
            new LoadLayersRequest(
                in.text(HASH),
                in.text(MODEL),
                in.integer(),
                in.integer(),
                in.number(),
                in.number()));
  }

  /** Texts: the reason of a REFUSED, node and reason of an UNREACHED. A text over 64 KiB is cut. */
  public static ByteBuffer encode(String... texts) {
    WireEncoder out = new WireEncoder();
    for (String text : texts) {
      out.truncatedText(text, TEXT);
    }
    return out.toBuffer();
  }

  /** Exactly so many texts. */
  public static List<String> decodeTexts(ByteBuffer bytes, int count) {
    return read(
        "a message of texts",
        bytes,
        in -> IntStream.range(0, count).mapToObj(i -> in.text(TEXT)).toList());
  }

  /** Numbers: the sequence of a RECORDS_ASKED, the groups of a PROBED. */
  public static ByteBuffer encode(long... numbers) {
    WireEncoder out = new WireEncoder();
    for (long number : numbers) {
      out.number(number);
    }
    return out.toBuffer();
  }

  /** Exactly so many numbers. */
  public static long[] decodeNumbers(ByteBuffer bytes, int count) {
    return read(
        "a message of numbers",
        bytes,
        in -> IntStream.range(0, count).mapToLong(i -> in.number()).toArray());
  }

  static WireEncoder write(WireEncoder out, NodeState state) {
    out.text(state.name(), NAME).number(state.incarnation()).number(state.revision());
    out.number(state.protocol()).text(state.numerics().toString(), NUMERICS);
    write(out, state.linkAddress());
    write(out, state.memberAddress());
    out.number(state.memory()).number(state.used());
    out.list(state.holdings(), MANY, WireCodec::write);
    out.list(state.files(), MANY, (each, hash) -> each.text(hash, HASH));
    out.number(state.sessions()).number(state.sequences()).number(state.cacheBytes());
    out.list(state.needs(), FEW, WireCodec::write);
    out.list(state.pipes(), FEW, WireCodec::write);
    return out.list(state.expelled(), MANY, (each, name) -> each.text(name, NAME));
  }

  static NodeState state(WireDecoder in) {
    String name = in.text(NAME);
    long incarnation = in.number();
    long revision = in.number();
    return new NodeState(
        new NodeState.Identity(
            name, incarnation, in.integer(), SupportedNumerics.parse(in.text(NUMERICS))),
        revision,
        new NodeState.Addresses(address(in), address(in)),
        new NodeState.Inventory(
            in.number(),
            in.number(),
            in.list(MANY, WireCodec::holding),
            in.list(MANY, each -> each.text(HASH))),
        new NodeState.Load(in.integer(), in.integer(), in.number()),
        new NodeState.OriginPart(
            in.list(FEW, WireCodec::need),
            in.list(FEW, WireCodec::pipeState),
            in.list(MANY, each -> each.text(NAME))));
  }

  public static void write(WireEncoder out, HostPort address) {
    out.text(address.host(), HOST).number(address.port());
  }

  public static HostPort address(WireDecoder in) {
    return new HostPort(in.text(HOST), in.integer());
  }

  private static void write(WireEncoder out, HeldLayers holding) {
    out.text(holding.sha256(), HASH).text(holding.model(), MODEL).number(holding.layers());
    out.number(holding.from()).number(holding.to()).number(holding.state().ordinal());
    out.flag(holding.idle());
    out.number(holding.bytes()).number(holding.speed()).truncatedText(holding.problem(), REASON);
  }

  private static HeldLayers holding(WireDecoder in) {
    return new HeldLayers(
        in.text(HASH),
        in.text(MODEL),
        in.integer(),
        in.integer(),
        in.integer(),
        in.enumValue(HeldLayers.State.values()),
        in.flag(),
        in.number(),
        in.real(),
        in.text(REASON));
  }

  private static void write(WireEncoder out, ModelRequirements need) {
    out.text(need.sha256(), HASH).text(need.model(), MODEL).number(need.fileBytes());
    out.list(need.layerBytes(), ClusterProtocol.MAX_LAYERS, WireEncoder::number);
    out.number(need.cacheBytes()).number(need.local());
  }

  private static ModelRequirements need(WireDecoder in) {
    return new ModelRequirements(
        in.text(HASH),
        in.text(MODEL),
        in.number(),
        in.list(ClusterProtocol.MAX_LAYERS, WireDecoder::number),
        in.number(),
        in.integer());
  }

  private static void write(WireEncoder out, PipeState pipe) {
    out.text(pipe.sha256(), HASH).text(pipe.model(), MODEL).number(pipe.layers());
    out.number(pipe.number()).number(pipe.epoch());
    out.list(pipe.stretches(), ClusterProtocol.MAX_LAYERS, WireCodec::write);
    out.number(pipe.running())
        .number(pipe.tokensPerSecond())
        .truncatedText(pipe.waitingReason(), REASON);
  }

  private static PipeState pipeState(WireDecoder in) {
    return new PipeState(
        in.text(HASH),
        in.text(MODEL),
        in.integer(),
        in.integer(),
        in.number(),
        in.list(ClusterProtocol.MAX_LAYERS, WireCodec::stretch),
        in.integer(),
        in.real(),
        in.text(REASON));
  }

  private static Pipe pipe(WireDecoder in) {
    return new Pipe(
        in.number(),
        in.text(NAME),
        in.integer(),
        in.list(ClusterProtocol.MAX_LAYERS, WireCodec::nodeLayers));
  }

  private static void write(WireEncoder out, PipeStretch stretch) {
    out.text(stretch.node(), NAME).number(stretch.from()).number(stretch.to());
  }

  private static PipeStretch stretch(WireDecoder in) {
    return new PipeStretch(in.text(NAME), in.integer(), in.integer());
  }

  private static void write(WireEncoder out, Pipe.NodeLayers stretch) {
    out.text(stretch.node(), NAME).number(stretch.from()).number(stretch.to());
  }

  private static Pipe.NodeLayers nodeLayers(WireDecoder in) {
    return new Pipe.NodeLayers(in.text(NAME), in.integer(), in.integer());
  }

  private static <T> T read(String what, ByteBuffer bytes, Function<WireDecoder, T> value) {
    WireDecoder in = new WireDecoder(what, bytes);
    try {
      return in.requireEnd(value.apply(in));
    } catch (EngineException e) {
      throw new ClusterException("%s cannot be read: %s".formatted(what, e.getMessage()), e);
    }
  }
}
