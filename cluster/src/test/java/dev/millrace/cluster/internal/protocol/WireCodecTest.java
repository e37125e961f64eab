package dev.millrace.cluster.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.PipeStretch;
import dev.millrace.cluster.internal.protocol.SessionParameters.BatchShape;
import dev.millrace.cluster.internal.protocol.SessionParameters.CacheShape;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.numerics.NumericsVersion;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

final class WireCodecTest {
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  @Test
  void statesComeBackAsTheyWere() {
    for (int i = 0; i < 300; i++) {
      NodeState state = state();
      assertThat(WireCodec.state(WireCodec.encode(state))).as("seed %d", seed).isEqualTo(state);
    }
  }

  @Test
  void requestsComeBackAsTheyWere() {
    for (int i = 0; i < 300; i++) {
      OpenSessionRequest opening = opening();
      assertThat(WireCodec.decodeOpenRequest(WireCodec.encode(opening)))
          .as("seed %d", seed)
          .isEqualTo(opening);
      LoadLayersRequest request = assignment();
      assertThat(WireCodec.decodeLoadRequest(WireCodec.encode(request)))
          .as("seed %d", seed)
          .isEqualTo(request);
    }
  }

  @Test
  void theBytesOfAStateStayAsTheyAre() throws IOException {
    HeldLayers held = new HeldLayers("h", "m", 9, 1, 4, HeldLayers.State.LOADED, true, 7, 2.5, "p");
    ModelRequirements need = new ModelRequirements("h", "m", 70, List.of(8L, 9L), 10, 1);
    PipeState pipe =
        new PipeState("h", "m", 9, 2, 11, List.of(new PipeStretch("n", 1, 4)), 3, 1.5, "w");
    NodeState state =
        NodeState.of(
                "a",
                12,
                1,
                SupportedNumerics.parse("2,q8_0=1+3"),
                new HostPort("x", 5000),
                new HostPort("y", 5001))
            .withRevision(13)
            .withLayers(14, 15, List.of(held), List.of("f"))
            .withSessions(16, 17, 18)
            .withPipes(List.of(need), List.of(pipe), List.of("e"));
    WireBytes bytes =
        new WireBytes().text("a").number(12).number(13).integers(1).text("2,q8_0=1+3");
    bytes.text("x").integers(5000).text("y").integers(5001).number(14).number(15);
    bytes.integers(1).text("h").text("m").integers(9, 1, 4, 2, 1).number(7).real(2.5).text("p");
    bytes.integers(1).text("f").integers(16, 17).number(18);
    bytes.integers(1).text("h").text("m").number(70).integers(2).number(8).number(9);
    bytes.number(10).integers(1);
    bytes.integers(1).text("h").text("m").integers(9, 2).number(11);
    bytes.integers(1).text("n").integers(1, 4).integers(3).real(1.5).text("w");
    bytes.integers(1).text("e");
    assertThat(WireCodec.encode(state).array()).isEqualTo(bytes.toArray());
  }

  @Test
  void theBytesOfARequestToOpenASessionStayAsTheyAre() throws IOException {
    OpenSessionRequest request =
        new OpenSessionRequest(
            new SessionParameters(
                "h",
                "m",
                NumericsVersion.parse("3,q8_0=2"),
                new CacheShape(KvType.values()[1], 4, 5),
                new BatchShape(6, 7, 8)),
            new Pipe(9, "o", 2, List.of(new Pipe.NodeLayers("o", 0, 2))));
    WireBytes bytes = new WireBytes().text("h").text("m").text("3,q8_0=2").number(9).text("o");
    bytes.integers(2, 1).text("o").integers(0, 2).integers(1, 4, 5, 6, 7, 8);
    assertThat(WireCodec.encode(request).array()).isEqualTo(bytes.toArray());
  }

  /** Big-endian numbers, and texts with their length before them. */
  private static final class WireBytes {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    WireBytes integers(int... values) throws IOException {
      for (int value : values) {
        out.writeInt(value);
      }
      return this;
    }

    WireBytes number(long value) throws IOException {
      out.writeLong(value);
      return this;
    }

    WireBytes real(double value) throws IOException {
      out.writeDouble(value);
      return this;
    }

    WireBytes text(String value) throws IOException {
      out.writeInt(value.length());
      out.writeBytes(value);
      return this;
    }

    byte[] toArray() {
      return bytes.toByteArray();
    }
  }

  @Test
  void textsAndNumbersComeBackOnlyInTheirNumber() {
    ByteBuffer texts = WireCodec.encode("node-1", "kein Weg: größer");
    assertThat(WireCodec.decodeTexts(texts, 2)).containsExactly("node-1", "kein Weg: größer");
    assertRefused(() -> WireCodec.decodeTexts(texts, 1));
    assertRefused(() -> WireCodec.decodeTexts(texts, 3));
    ByteBuffer numbers = WireCodec.encode(Long.MIN_VALUE, 7L);
    assertThat(WireCodec.decodeNumbers(numbers, 2)).containsExactly(Long.MIN_VALUE, 7L);
    assertRefused(() -> WireCodec.decodeNumbers(numbers, 1));
    assertRefused(() -> WireCodec.decodeNumbers(numbers, 3));
  }

  @Test
  void bytesThatAreCutOffOrTooManyAreRefused() {
    assertStrict(WireCodec.encode(state()), WireCodec::state);
    assertStrict(WireCodec.encode(opening()), WireCodec::decodeOpenRequest);
    assertStrict(WireCodec.encode(assignment()), WireCodec::decodeLoadRequest);
  }

  @Test
  void aChangedByteBreaksOnlyItsMessage() {
    for (int i = 0; i < 3_000; i++) {
      byte[] bytes = WireCodec.encode(i % 2 == 0 ? state() : state().withSessions(1, 1, 1)).array();
      byte[] opening = WireCodec.encode(opening()).array();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      opening[random.nextInt(opening.length)] = (byte) random.nextInt();
      assertReadOrRefused(bytes, WireCodec::state);
      assertReadOrRefused(opening, WireCodec::decodeOpenRequest);
    }
  }

  @Test
  void lengthsThatAreNotThereAllocateNothing() {
    ByteBuffer huge = ByteBuffer.allocate(4).putInt(0, Integer.MAX_VALUE);
    assertThatThrownBy(() -> WireCodec.decodeTexts(huge, 1))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("a text of 2147483647 bytes, where 65536 is the limit");
  }

  @Test
  void statesOverTheLimitAreRefusedByBothSides() {
    List<String> files = Collections.nCopies(8_192, "a".repeat(128));
    NodeState large = state().withLayers(0, 0, List.of(), files);
    assertThatThrownBy(() -> WireCodec.encode(large))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("1048576 is the limit");
    assertThatThrownBy(() -> WireCodec.state(ByteBuffer.allocate((1 << 20) + 1)))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("1048576 is the limit");
  }

  @Test
  void controlCharactersAreReplaced() {
    ByteBuffer bytes = WireCodec.encode("two\nlines\u001b[2J");
    assertThat(WireCodec.decodeTexts(bytes, 1)).containsExactly("two lines [2J");
    bytes.put(4, (byte) 27);
    assertThatThrownBy(() -> WireCodec.decodeTexts(bytes, 1))
        .hasMessageContaining("control characters");
  }

  @Test
  void longReasonsAreCut() {
    String reason = WireCodec.decodeTexts(WireCodec.encode("x".repeat(100_000)), 1).getFirst();
    assertThat(reason).startsWith("xxx").endsWith("…").hasSizeLessThan(65_536);
  }

  private static <T> void assertStrict(ByteBuffer bytes, Function<ByteBuffer, T> read) {
    for (int length = 0; length < bytes.remaining(); length++) {
      ByteBuffer cut = bytes.slice(0, length);
      assertRefused(() -> read.apply(cut));
    }
    ByteBuffer longer = ByteBuffer.allocate(bytes.remaining() + 1).put(bytes.duplicate()).rewind();
    assertRefused(() -> read.apply(longer));
  }

  private <T> void assertReadOrRefused(byte[] bytes, Function<ByteBuffer, T> read) {
    try {
      assertThat(read.apply(ByteBuffer.wrap(bytes))).isNotNull();
    } catch (ClusterException e) {
      assertThat(e).as("seed %d", seed).hasMessageNotContaining("null");
    }
  }

  private static void assertRefused(Supplier<?> reading) {
    assertThatThrownBy(reading::get).isInstanceOf(ClusterException.class);
  }

  private NodeState state() {
    return NodeState.of(
            text(), random.nextLong(), random.nextInt(), supported(), address(), address())
        .withRevision(random.nextLong())
        .withLayers(amount(), amount(), some(this::holding), some(this::text))
        .withSessions(random.nextInt(100), random.nextInt(100), amount())
        .withPipes(some(this::need), some(this::pipe), some(this::text));
  }

  private SupportedNumerics supported() {
    Set<Integer> versions = Set.of(1 + random.nextInt(3), 4);
    return SupportedNumerics.of(random.nextInt(99)).with("q8_0", versions);
  }

  private HeldLayers holding() {
    int from = random.nextInt(50);
    HeldLayers.State[] states = HeldLayers.State.values();
    return new HeldLayers(
        text(),
        text(),
        80,
        from,
        from + 1 + random.nextInt(20),
        states[random.nextInt(states.length)],
        random.nextBoolean(),
        amount(),
        random.nextDouble() * 1e12,
        text());
  }

  private ModelRequirements need() {
    return new ModelRequirements(
        text(), text(), amount(), List.of(amount(), amount()), amount(), random.nextInt(3));
  }

  private PipeState pipe() {
    return new PipeState(
        text(),
        text(),
        60,
        random.nextInt(4),
        random.nextLong(),
        stretches(),
        random.nextInt(9),
        random.nextDouble(),
        text());
  }

  private OpenSessionRequest opening() {
    KvType[] types = KvType.values();
    return new OpenSessionRequest(
        new SessionParameters(
            text(),
            text(),
            NumericsVersion.of(random.nextInt(99)).with("q6_k", 1 + random.nextInt(3)),
            new CacheShape(types[random.nextInt(types.length)], positive(), positive()),
            new BatchShape(positive(), positive(), positive())),
        new Pipe(random.nextLong(), text(), 60, nodeLayers()));
  }

  private int positive() {
    return 1 + random.nextInt(9_999);
  }

  private LoadLayersRequest assignment() {
    int from = random.nextInt(50);
    return new LoadLayersRequest(
        text(), text(), from, from + 1 + random.nextInt(9), amount(), amount());
  }

  private List<PipeStretch> stretches() {
    return List.of(new PipeStretch(text(), 0, 20), new PipeStretch(text(), 25, 60));
  }

  private List<Pipe.NodeLayers> nodeLayers() {
    return List.of(new Pipe.NodeLayers(text(), 0, 20), new Pipe.NodeLayers(text(), 25, 60));
  }

  private HostPort address() {
    return new HostPort("h" + text(), random.nextInt(65_536));
  }

  private long amount() {
    return random.nextLong() >>> 1;
  }

  private String text() {
    return "aZ0._-é€".substring(random.nextInt(8)).repeat(random.nextInt(3));
  }

  private <T> List<T> some(Supplier<T> one) {
    List<T> items = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      items.add(one.get());
    }
    return items;
  }
}
