package dev.millrace.cluster.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.wire.HostPort;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.cache.KvType;
import dev.millrace.engine.pipe.Pipe;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/**
 * What nodes tell each other, as bytes. Reading is strict: what is cut off, too long, makes no
 * sense, or is followed by more is a {@link ClusterException}.
 */
public final class Codec {
  /** The most that a node may tell of itself. */
  public static final int MAX_STATE_BYTES = 1 << 20;

  /** The most layers of a model. */
  static final int MAX_LAYERS = 4_096;

  private static final int NAME = 64;
  private static final int HOST = 255;
  private static final int HASH = 128;
  private static final int MODEL = 1_024;
  private static final int REASON = 8_192;
  private static final int TEXT = 65_536;
  private static final int MANY = 8_192;
  private static final int FEW = 256;

  private Codec() {}

  /** At most {@value #MAX_STATE_BYTES} bytes; what would take more is refused. */
  public static ByteBuffer encode(NodeState state) {
    ByteBuffer bytes = write(new Encoder(), state).done();
    if (bytes.remaining() > MAX_STATE_BYTES) {
      throw new ClusterException(
          "what node \"%s\" tells of itself takes %d bytes, where %d is the limit: let it hold and give fewer models"
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
    return read("a node's state", bytes, Codec::state);
  }

  public static ByteBuffer encode(Opening opening) {
    Encoder out = new Encoder();
    out.text(opening.sha256(), HASH).text(opening.model(), MODEL).number(opening.numerics());
    Pipe pipe = opening.pipe();
    out.number(pipe.epoch()).text(pipe.origin(), NAME).number(pipe.layers());
    out.list(pipe.stretches(), MAX_LAYERS, Codec::write);
    out.number(opening.kvType().ordinal()).number(opening.context()).number(opening.pages());
    out.number(opening.maxRows()).number(opening.maxRuns()).number(opening.inFlight());
    return out.done();
  }

  public static Opening opening(ByteBuffer bytes) {
    return read(
        "an opening of a pipe",
        bytes,
        in ->
            new Opening(
                in.text(HASH),
                in.text(MODEL),
                in.integer(),
                pipe(in),
                in.oneOf(KvType.values()),
                in.integer(),
                in.integer(),
                in.integer(),
                in.integer(),
                in.integer()));
  }

  public static ByteBuffer encode(Assignment wish) {
    return new Encoder()
        .text(wish.sha256(), HASH)
        .text(wish.model(), MODEL)
        .number(wish.from())
        .number(wish.to())
        .number(wish.fileBytes())
        .number(wish.bytes())
        .done();
  }

  public static Assignment assignment(ByteBuffer bytes) {
    return read(
        "an assignment of layers",
        bytes,
        in ->
            new Assignment(
                in.text(HASH),
                in.text(MODEL),
                in.integer(),
                in.integer(),
                in.number(),
                in.number()));
  }

  /**
   * Texts: the reason of a REFUSED, node and reason of an UNREACHED. What is over 64 KiB loses its
   * end.
   */
  public static ByteBuffer encode(String... texts) {
    Encoder out = new Encoder();
    for (String text : texts) {
      out.reason(text, TEXT);
    }
    return out.done();
  }

  /** Exactly so many texts. */
  public static List<String> texts(ByteBuffer bytes, int count) {
    String[] texts = new String[count];
    return read(
        "a message of texts",
        bytes,
        in -> {
          for (int i = 0; i < count; i++) {
            texts[i] = in.text(TEXT);
          }
          return List.of(texts);
        });
  }

  /** Numbers: the passage of a RECORDS_ASKED, the groups of a PROBED. */
  public static ByteBuffer encode(long... numbers) {
    Encoder out = new Encoder();
    for (long number : numbers) {
      out.number(number);
    }
    return out.done();
  }

  /** Exactly so many numbers. */
  public static long[] numbers(ByteBuffer bytes, int count) {
    long[] numbers = new long[count];
    return read(
        "a message of numbers",
        bytes,
        in -> {
          for (int i = 0; i < count; i++) {
            numbers[i] = in.number();
          }
          return numbers;
        });
  }

  static Encoder write(Encoder out, NodeState state) {
    out.text(state.name(), NAME).number(state.incarnation()).number(state.number());
    out.number(state.protocol()).number(state.numerics());
    write(out, state.link());
    write(out, state.member());
    out.number(state.memory()).number(state.used());
    out.list(state.holdings(), MANY, Codec::write);
    out.list(state.files(), MANY, (each, hash) -> each.text(hash, HASH));
    out.number(state.sessions()).number(state.passages()).number(state.cacheBytes());
    out.list(state.needs(), FEW, Codec::write);
    out.list(state.pipes(), FEW, Codec::write);
    return out.list(state.expelled(), MANY, (each, name) -> each.text(name, NAME));
  }

  static NodeState state(Decoder in) {
    return new NodeState(
        in.text(NAME),
        in.number(),
        in.number(),
        in.integer(),
        in.integer(),
        address(in),
        address(in),
        in.number(),
        in.number(),
        in.list(MANY, Codec::holding),
        in.list(MANY, each -> each.text(HASH)),
        in.integer(),
        in.integer(),
        in.number(),
        in.list(FEW, Codec::need),
        in.list(FEW, Codec::pipeState),
        in.list(MANY, each -> each.text(NAME)));
  }

  static void write(Encoder out, HostPort address) {
    out.text(address.host(), HOST).number(address.port());
  }

  static HostPort address(Decoder in) {
    return new HostPort(in.text(HOST), in.integer());
  }

  private static void write(Encoder out, Holding holding) {
    out.text(holding.sha256(), HASH).text(holding.model(), MODEL).number(holding.layers());
    out.number(holding.from()).number(holding.to()).number(holding.state().ordinal());
    out.flag(holding.idle());
    out.number(holding.bytes()).number(holding.speed()).reason(holding.problem(), REASON);
  }

  private static Holding holding(Decoder in) {
    return new Holding(
        in.text(HASH),
        in.text(MODEL),
        in.integer(),
        in.integer(),
        in.integer(),
        in.oneOf(Holding.State.values()),
        in.flag(),
        in.number(),
        in.real(),
        in.text(REASON));
  }

  private static void write(Encoder out, ModelNeed need) {
    out.text(need.sha256(), HASH).text(need.model(), MODEL).number(need.fileBytes());
    out.list(need.layerBytes(), MAX_LAYERS, Encoder::number);
    out.number(need.cacheBytes()).number(need.local());
  }

  private static ModelNeed need(Decoder in) {
    return new ModelNeed(
        in.text(HASH),
        in.text(MODEL),
        in.number(),
        in.list(MAX_LAYERS, Decoder::number),
        in.number(),
        in.integer());
  }

  private static void write(Encoder out, PipeState pipe) {
    out.text(pipe.sha256(), HASH).text(pipe.model(), MODEL).number(pipe.layers());
    out.number(pipe.number()).number(pipe.epoch());
    out.list(pipe.stretches(), MAX_LAYERS, Codec::write);
    out.number(pipe.running()).number(pipe.tokensPerSecond()).reason(pipe.waiting(), REASON);
  }

  private static PipeState pipeState(Decoder in) {
    return new PipeState(
        in.text(HASH),
        in.text(MODEL),
        in.integer(),
        in.integer(),
        in.number(),
        in.list(MAX_LAYERS, Codec::stretch),
        in.integer(),
        in.real(),
        in.text(REASON));
  }

  private static Pipe pipe(Decoder in) {
    return new Pipe(in.number(), in.text(NAME), in.integer(), in.list(MAX_LAYERS, Codec::stretch));
  }

  private static void write(Encoder out, Pipe.Stretch stretch) {
    out.text(stretch.node(), NAME).number(stretch.from()).number(stretch.to());
  }

  private static Pipe.Stretch stretch(Decoder in) {
    return new Pipe.Stretch(in.text(NAME), in.integer(), in.integer());
  }

  private static <T> T read(String what, ByteBuffer bytes, Function<Decoder, T> value) {
    Decoder in = new Decoder(what, bytes);
    try {
      return in.done(value.apply(in));
    } catch (EngineException e) {
      throw new ClusterException("%s cannot be read: %s".formatted(what, e.getMessage()), e);
    }
  }
}
