package dev.millrace.store.fs;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Reading.Draft;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.Token;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task's output so far: a line that names the log entry it belongs to, then a line for each piece.
 * It is never synced, so a power loss may leave any of it. What is believed is the longest beginning
 * that is whole lines, and nothing at all of one that names another entry than the task's present
 * one: output under other terms is never taken up.
 */
final class Journal {
  static final String FILE = "journal.jsonl";
  private static final int CHUNK = 1 << 20;
  private static final int MAX_BYTES = 1 << 30;

  /** A position is where in the file, and the end of the entry's number: files are begun anew. */
  private static final int OFFSET_BITS = 40;

  private static final long OFFSET = (1L << OFFSET_BITS) - 1;
  private static final long ENTRY = Long.MAX_VALUE >> OFFSET_BITS;

  private Journal() {}

  /**
   * What can be believed of a journal.
   *
   * @param good the bytes of its whole lines, the first one included; empty if it is another's
   * @param whole whether that is all there is
   */
  record Content(List<Piece> pieces, byte[] good, boolean whole) {
    static final Content NONE = new Content(List.of(), new byte[0], true);

    List<Integer> tokens() {
      List<Integer> tokens = new ArrayList<>();
      pieces.forEach(piece -> tokens.addAll(piece.tokens()));
      return tokens;
    }
  }

  /** The first line of a journal that belongs to that entry. */
  static byte[] head(Token of) {
    return Text.bytes("{\"epoch\":" + of.epoch() + ",\"entry\":" + of.number() + "}\n");
  }

  static byte[] line(Piece piece) {
    return Text.bytes(
        Json.write(JsonObject.create().put("tokens", piece.tokens()).put("text", piece.text()))
            + "\n");
  }

  /** The whole journal; {@link Content#NONE} if there is none. */
  static Content read(Disk disk, Path file, Token of) throws IOException {
    byte[] bytes;
    try {
      bytes = disk.read(file, MAX_BYTES);
    } catch (NoSuchFileException e) {
      return Content.NONE;
    }
    byte[] head = head(of);
    if (!begins(bytes, head)) {
      return new Content(List.of(), new byte[0], false);
    }
    List<Piece> pieces = new ArrayList<>();
    int end = pieces(bytes, head.length, pieces);
    return new Content(pieces, Arrays.copyOf(bytes, end), end == bytes.length);
  }

  private static boolean begins(byte[] bytes, byte[] head) {
    return bytes.length >= head.length
        && Arrays.equals(bytes, 0, head.length, head, 0, head.length);
  }

  /** Reads whole lines up to the first that is none, and answers where that is. */
  private static int pieces(byte[] bytes, int start, List<Piece> into) {
    int from = start;
    for (int i = start; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        Piece piece = piece(bytes, from, i);
        if (piece == null) {
          return from;
        }
        into.add(piece);
        from = i + 1;
      }
    }
    return from;
  }

  private static @Nullable Piece piece(byte[] bytes, int from, int end) {
    try {
      JsonObject in = Json.object(new String(bytes, from, end - from, StandardCharsets.UTF_8));
      List<Integer> tokens = new ArrayList<>();
      for (Object token : in.list("tokens")) {
        if (!(token instanceof Long id) || id != id.intValue()) {
          return null;
        }
        tokens.add(id.intValue());
      }
      return new Piece(tokens, in.string("text"));
    } catch (JsonException e) {
      return null;
    }
  }

  /** What stands there from a position on; the beginning, where that position is of another one. */
  static Draft draft(Disk disk, Path file, Token of, long position) throws IOException {
    byte[] head = head(of);
    long mark = (of.number() & ENTRY) << OFFSET_BITS;
    try {
      if (!begins(disk.read(file, 0, head.length), head)) {
        return new Draft(0, 0, List.of());
      }
      long from = (position & ~OFFSET) == mark ? position & OFFSET : 0;
      byte[] bytes = from < head.length ? new byte[0] : lines(disk, file, from - 1);
      if (bytes.length == 0 || bytes[0] != '\n') {
        from = 0;
        bytes = lines(disk, file, head.length - 1);
      }
      List<Piece> pieces = new ArrayList<>();
      int end = pieces(bytes, 1, pieces);
      return new Draft(
          from == 0 ? 0 : position, mark | (Math.max(from, head.length) - 1 + end), pieces);
    } catch (NoSuchFileException e) {
      return new Draft(0, 0, List.of());
    }
  }

  /** A stretch of the file that, if it is not its end, has a whole line after its first byte. */
  private static byte[] lines(Disk disk, Path file, long from) throws IOException {
    for (int length = CHUNK; ; length *= 2) {
      byte[] bytes = disk.read(file, from, length);
      if (bytes.length < length || length >= MAX_BYTES || hasLine(bytes)) {
        return bytes;
      }
    }
  }

  private static boolean hasLine(byte[] bytes) {
    for (int i = 1; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        return true;
      }
    }
    return false;
  }
}
