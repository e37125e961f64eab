package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.store.Reading.Draft;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.Token;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What is believed of a journal, whatever stands in it. */
class JournalTest {
  private static final Path FILE = Path.of("/journal.jsonl");
  private static final Token CLAIM = new Token(3, 5);
  private static final Token ENTRY = new Token(3, 7);
  private static final List<Piece> PIECES =
      List.of(
          new Piece(List.of(1, 2, 33), "one"),
          new Piece(List.of(), "..."),
          new Piece(List.of(-4, Integer.MAX_VALUE), "zwö \"\n\t😀"),
          new Piece(List.of(5), "last"));

  private final SimDisk disk = new SimDisk();

  private static byte[] bytes(Token of, List<Piece> pieces) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(Journal.head(of));
    pieces.forEach(piece -> out.writeBytes(Journal.line(piece)));
    return out.toByteArray();
  }

  private static byte[] bytes(Token claim, Token of, List<Piece> pieces) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(Journal.head(of));
    out.writeBytes(Journal.mark(claim));
    pieces.forEach(piece -> out.writeBytes(Journal.line(piece)));
    return out.toByteArray();
  }

  private List<Piece> read() throws IOException {
    return Journal.read(disk, FILE, ENTRY).pieces();
  }

  @Test
  void whatWasWrittenIsRead() throws IOException {
    JournalWriter writer = new JournalWriter(CLAIM, ENTRY);
    for (Piece piece : PIECES) {
      writer.append(disk, FILE, piece);
    }
    assertThat(disk.read(FILE, 10_000)).isEqualTo(bytes(CLAIM, ENTRY, PIECES));
    assertThat(read()).isEqualTo(PIECES);
    assertThat(Journal.read(disk, FILE, ENTRY).tokens())
        .containsExactly(1, 2, 33, -4, Integer.MAX_VALUE, 5);
    assertThat(Journal.draft(disk, FILE, ENTRY, 0).pieces()).isEqualTo(PIECES);
  }

  @Test
  void aJournalOfAnotherEntryIsNone() throws IOException {
    for (Token other : List.of(new Token(3, 8), new Token(4, 7), new Token(3, 77))) {
      disk.write(FILE, bytes(other, PIECES));
      assertThat(read()).isEmpty();
      assertThat(Journal.draft(disk, FILE, ENTRY, 0).pieces()).isEmpty();
    }
  }

  @Test
  void cutAtAnyByteItIsItsWholeLinesAndCanBeGoneOnWith() throws IOException {
    byte[] whole = bytes(ENTRY, PIECES);
    for (int length = 0; length <= whole.length; length++) {
      goesOn(Arrays.copyOf(whole, length), "cut at " + length);
      goesOn(Arrays.copyOf(Arrays.copyOf(whole, length), whole.length), "zeros from " + length);
    }
  }

  @Test
  void zerosInTheMiddleEndIt() throws IOException {
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

  /** What is left of a journal is a beginning of it, and a piece more comes right after that. */
  private void goesOn(byte[] left, String how) throws IOException {
    disk.write(FILE, left);
    List<Piece> before = read();
    assertThat(before).as(how).isEqualTo(PIECES.subList(0, before.size()));
    assertThat(Journal.draft(disk, FILE, ENTRY, 0).pieces()).as(how).isEqualTo(before);
    Piece more = new Piece(List.of(99), "more");
    new JournalWriter(CLAIM, ENTRY).append(disk, FILE, more);
    List<Piece> after = new ArrayList<>(before);
    after.add(more);
    assertThat(read()).as(how).isEqualTo(after);
    ByteArrayOutputStream good = new ByteArrayOutputStream();
    good.writeBytes(bytes(ENTRY, before));
    good.writeBytes(Journal.mark(CLAIM));
    good.writeBytes(Journal.line(more));
    assertThat(disk.read(FILE, 10_000)).as(how).isEqualTo(good.toByteArray());
  }

  @Test
  void whatAFailedWriteLeftIsCutOffByTheNextWriter() throws IOException {
    JournalWriter writer = new JournalWriter(CLAIM, ENTRY);
    writer.append(disk, FILE, PIECES.get(0));
    disk.failBy(
        op ->
            op.what() == SimDisk.What.PUT_BYTES ? new IOException("No space left on device") : null,
        300);
    assertThatThrownBy(() -> writer.append(disk, FILE, PIECES.get(1)))
        .hasMessage("No space left on device");
    disk.heal();
    assertThat(read()).containsExactly(PIECES.get(0));
    new JournalWriter(new Token(3, 9), ENTRY).append(disk, FILE, PIECES.get(3));
    assertThat(read()).containsExactly(PIECES.get(0), PIECES.get(3));
  }

  @Test
  void aPositionOfAnotherJournalOrNowhereIsTheBeginning() throws IOException {
    disk.write(FILE, bytes(ENTRY, PIECES));
    Draft all = Journal.draft(disk, FILE, ENTRY, 0);
    assertThat(Journal.draft(disk, FILE, ENTRY, all.next()).pieces()).isEmpty();
    for (long odd : new long[] {-1, 1, 17, Long.MAX_VALUE, all.next() + 1, all.next() - 1}) {
      assertThat(Journal.draft(disk, FILE, ENTRY, odd)).as("from %s", odd).isEqualTo(all);
    }
    Token later = new Token(3, 12);
    disk.write(FILE, bytes(later, PIECES));
    Draft anew = Journal.draft(disk, FILE, later, all.next());
    assertThat(anew.from()).isZero();
    assertThat(anew.pieces()).isEqualTo(PIECES);
  }

  @Test
  void aLongJournalIsReadInPartsAndALongLineWhole() throws IOException {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < 60_000; i++) {
      pieces.add(new Piece(List.of(i), "some text"));
    }
    pieces.add(new Piece(List.of(1), "x".repeat(3_000_000)));
    pieces.add(new Piece(List.of(2), "end"));
    disk.write(FILE, bytes(ENTRY, pieces));
    List<Piece> read = new ArrayList<>();
    int parts = 0;
    long from = 0;
    for (Draft next = Journal.draft(disk, FILE, ENTRY, 0);
        !next.pieces().isEmpty();
        next = Journal.draft(disk, FILE, ENTRY, next.next())) {
      assertThat(next.from()).isEqualTo(from);
      from = next.next();
      read.addAll(next.pieces());
      parts++;
    }
    assertThat(read).isEqualTo(pieces);
    assertThat(parts).isBetween(3, 20);
  }
}
