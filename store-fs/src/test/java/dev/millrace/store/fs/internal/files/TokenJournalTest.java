package dev.millrace.store.fs.internal.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.fs.internal.disk.SimDisk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Which part of a journal is valid, whatever it contains. */
class TokenJournalTest {
  private static final Path FILE = Path.of("/journal.jsonl");
  private static final FencingToken CLAIM = new FencingToken(3, 5);
  private static final FencingToken ENTRY = new FencingToken(3, 7);
  private static final List<OutputChunk> PIECES =
      List.of(
          new OutputChunk(List.of(1, 2, 33), "one"),
          new OutputChunk(List.of(), "..."),
          new OutputChunk(List.of(6, 7, 8), List.of("a", "", "ß😀\"")),
          new OutputChunk(List.of(-4, Integer.MAX_VALUE), "zwö \"\n\t😀"),
          new OutputChunk(List.of(5), "last"));

  private final SimDisk disk = new SimDisk();

  private static byte[] bytes(FencingToken of, List<OutputChunk> pieces) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(TokenJournal.head(of));
    pieces.forEach(piece -> out.writeBytes(TokenJournal.line(piece)));
    return out.toByteArray();
  }

  private static byte[] bytes(FencingToken claim, FencingToken of, List<OutputChunk> pieces) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(TokenJournal.head(of));
    out.writeBytes(TokenJournal.mark(claim));
    pieces.forEach(piece -> out.writeBytes(TokenJournal.line(piece)));
    return out.toByteArray();
  }

  private List<OutputChunk> read() throws IOException {
    return TokenJournal.read(disk, FILE, ENTRY).pieces();
  }

  @Test
  void whatWasWrittenIsRead() throws IOException {
    TokenJournalWriter writer = new TokenJournalWriter(CLAIM, ENTRY);
    for (OutputChunk piece : PIECES) {
      writer.append(disk, FILE, piece);
    }
    assertThat(disk.read(FILE, 10_000)).isEqualTo(bytes(CLAIM, ENTRY, PIECES));
    assertThat(read()).isEqualTo(PIECES);
    assertThat(TokenJournal.read(disk, FILE, ENTRY).tokens())
        .containsExactly(1, 2, 33, 6, 7, 8, -4, Integer.MAX_VALUE, 5);
    assertThat(TokenJournal.outputSoFar(disk, FILE, ENTRY, 0).pieces()).isEqualTo(PIECES);
  }

  @Test
  void aLineOfAnOlderVersionHasOneTextForAllItsTokens() throws IOException {
    assertThat(chunks("{\"tokens\":[1,2],\"text\":\"ab\"}"))
        .containsExactly(new OutputChunk(List.of(1, 2), "ab"));
    assertThat(chunks("{\"tokens\":[1,2],\"text\":\"ab\",\"lengths\":[0,2]}"))
        .containsExactly(new OutputChunk(List.of(1, 2), List.of("", "ab")));
  }

  @Test
  void lengthsThatAreNotThoseOfTheTextEndAJournal() throws IOException {
    for (String lengths : List.of("[1,2]", "[1,1,0]", "[2]", "[-1,3]", "[\"1\",1]", "[3,0]", "1")) {
      assertThat(chunks("{\"tokens\":[1,2],\"text\":\"ab\",\"lengths\":" + lengths + "}"))
          .as(lengths)
          .isEmpty();
    }
  }

  private List<OutputChunk> chunks(String line) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(TokenJournal.head(ENTRY));
    out.writeBytes((line + "\n").getBytes(StandardCharsets.UTF_8));
    disk.write(FILE, out.toByteArray());
    return read();
  }

  @Test
  void aJournalOfAnotherEntryIsEmpty() throws IOException {
    for (FencingToken other :
        List.of(new FencingToken(3, 8), new FencingToken(4, 7), new FencingToken(3, 77))) {
      disk.write(FILE, bytes(other, PIECES));
      assertThat(read()).isEmpty();
      assertThat(TokenJournal.outputSoFar(disk, FILE, ENTRY, 0).pieces()).isEmpty();
    }
  }

  @Test
  void aJournalCutAtAnyByteHasItsCompleteLinesAndCanBeContinued() throws IOException {
    byte[] whole = bytes(ENTRY, PIECES);
    for (int length = 0; length <= whole.length; length++) {
      goesOn(Arrays.copyOf(whole, length), "cut at " + length);
      goesOn(Arrays.copyOf(Arrays.copyOf(whole, length), whole.length), "zeros from " + length);
    }
  }

  @Test
  void zerosInTheMiddleEndAJournal() throws IOException {
    byte[] whole = bytes(ENTRY, PIECES);
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 500; i++) {
      byte[] torn = whole.clone();
      int from = random.nextInt(torn.length);
      Arrays.fill(torn, from, Math.min(torn.length, from + 1 + random.nextInt(20)), (byte) 0);
      goesOn(torn, "seed " + seed + ", zeros from " + from);
    }
  }

  /** The remaining part of a journal is a prefix, and the next chunk comes right after it. */
  private void goesOn(byte[] left, String how) throws IOException {
    disk.write(FILE, left);
    List<OutputChunk> before = read();
    assertThat(before).as(how).isEqualTo(PIECES.subList(0, before.size()));
    assertThat(TokenJournal.outputSoFar(disk, FILE, ENTRY, 0).pieces()).as(how).isEqualTo(before);
    OutputChunk more = new OutputChunk(List.of(99), "more");
    new TokenJournalWriter(CLAIM, ENTRY).append(disk, FILE, more);
    List<OutputChunk> after = new ArrayList<>(before);
    after.add(more);
    assertThat(read()).as(how).isEqualTo(after);
    ByteArrayOutputStream good = new ByteArrayOutputStream();
    good.writeBytes(bytes(ENTRY, before));
    good.writeBytes(TokenJournal.mark(CLAIM));
    good.writeBytes(TokenJournal.line(more));
    assertThat(disk.read(FILE, 10_000)).as(how).isEqualTo(good.toByteArray());
  }

  @Test
  void whatAFailedWriteLeftIsCutOffByTheNextWriter() throws IOException {
    TokenJournalWriter writer = new TokenJournalWriter(CLAIM, ENTRY);
    writer.append(disk, FILE, PIECES.get(0));
    disk.failBy(
        op ->
            op.what() == SimDisk.What.PUT_BYTES ? new IOException("No space left on device") : null,
        300);
    assertThatThrownBy(() -> writer.append(disk, FILE, PIECES.get(1)))
        .hasMessage("No space left on device");
    disk.heal();
    assertThat(read()).containsExactly(PIECES.get(0));
    new TokenJournalWriter(new FencingToken(3, 9), ENTRY).append(disk, FILE, PIECES.get(3));
    assertThat(read()).containsExactly(PIECES.get(0), PIECES.get(3));
  }

  @Test
  void aPositionOfAnotherJournalMeansTheStart() throws IOException {
    disk.write(FILE, bytes(ENTRY, PIECES));
    OutputSoFar all = TokenJournal.outputSoFar(disk, FILE, ENTRY, 0);
    assertThat(TokenJournal.outputSoFar(disk, FILE, ENTRY, all.next()).pieces()).isEmpty();
    for (long odd : new long[] {-1, 1, 17, Long.MAX_VALUE, all.next() + 1, all.next() - 1}) {
      assertThat(TokenJournal.outputSoFar(disk, FILE, ENTRY, odd))
          .as("from %s", odd)
          .isEqualTo(all);
    }
    FencingToken later = new FencingToken(3, 12);
    disk.write(FILE, bytes(later, PIECES));
    OutputSoFar restarted = TokenJournal.outputSoFar(disk, FILE, later, all.next());
    assertThat(restarted.from()).isZero();
    assertThat(restarted.pieces()).isEqualTo(PIECES);
  }

  @Test
  void aLongJournalIsReadInPartsAndALongLineCompletely() throws IOException {
    List<OutputChunk> pieces = new ArrayList<>();
    for (int i = 0; i < 60_000; i++) {
      pieces.add(new OutputChunk(List.of(i), "some text"));
    }
    pieces.add(new OutputChunk(List.of(1), "x".repeat(3_000_000)));
    pieces.add(new OutputChunk(List.of(2), "end"));
    disk.write(FILE, bytes(ENTRY, pieces));
    List<OutputChunk> read = new ArrayList<>();
    int parts = 0;
    long from = 0;
    for (OutputSoFar next = TokenJournal.outputSoFar(disk, FILE, ENTRY, 0);
        !next.pieces().isEmpty();
        next = TokenJournal.outputSoFar(disk, FILE, ENTRY, next.next())) {
      assertThat(next.from()).isEqualTo(from);
      from = next.next();
      read.addAll(next.pieces());
      parts++;
    }
    assertThat(read).isEqualTo(pieces);
    assertThat(parts).isBetween(3, 20);
  }
}
