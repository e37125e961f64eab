package dev.millrace.store.fs.internal.files;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.fs.internal.disk.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a task's output so far. The first line names the log entry that it belongs to;
 * then comes one line for each chunk, and before the first chunk of each claim a line that names
 * the claim, also while it waits for its turn. It is never synced, so a power loss may leave any
 * part of it. Only the leading complete lines are valid, and nothing of a journal that names another
 * entry than the task's present one: output under different terms is never resumed.
 */
public final class TokenJournal {
  public static final String FILE = "journal.jsonl";
  private static final int CHUNK = 1 << 20;
  private static final int MAX_BYTES = 1 << 30;

  /**
   * A position has the offset in the file and the last digits of the entry's number, because files
   * are started again.
   */
  private static final int OFFSET_BITS = 40;

  private static final long OFFSET = (1L << OFFSET_BITS) - 1;
  private static final long ENTRY = Long.MAX_VALUE >> OFFSET_BITS;

  private TokenJournal() {}

  /**
   * The valid content of a journal.
   *
   * @param good the bytes of its complete lines with the first one; empty if it belongs to another
   *     entry
   * @param whole whether that is the whole file
   * @param last the last claim that wrote to it
   * @param grew whether that claim added tokens
   * @param waits whether that claim has said last that it waits
   */
  public record Content(
      List<OutputChunk> pieces,
      byte[] good,
      boolean whole,
      @Nullable FencingToken last,
      boolean grew,
      boolean waits) {
    static final Content NONE = none(true);

    private static Content none(boolean whole) {
      return new Content(List.of(), new byte[0], whole, null, false, false);
    }

    public List<Integer> tokens() {
      return OutputChunk.joined(pieces).tokens();
    }

    String text() {
      return pieces.stream().map(OutputChunk::text).collect(Collectors.joining());
    }
  }

  /** The first line of a journal that belongs to that entry. */
  static byte[] head(FencingToken of) {
    return StrictUtf8.bytes("{\"epoch\":" + of.epoch() + ",\"entry\":" + of.number() + "}\n");
  }

  /** The line that starts the part of a claim. */
  static byte[] mark(FencingToken claim) {
    return StrictUtf8.bytes("{\"claim\":" + claim.number() + ",\"epoch\":" + claim.epoch() + "}\n");
  }

  /** The line that says that a claim waits for its turn. */
  static byte[] waitMark(FencingToken claim) {
    return StrictUtf8.bytes(
        "{\"claim\":" + claim.number() + ",\"epoch\":" + claim.epoch() + ",\"waits\":true}\n");
  }

  /** A line has the text as a whole, for people, and the lengths of the texts of its tokens. */
  static byte[] line(OutputChunk piece) {
    JsonObject line = JsonObject.create().put("tokens", piece.tokens()).put("text", piece.text());
    if (piece.pieces().size() > 1) {
      line.put("lengths", piece.pieces().stream().map(String::length).toList());
    }
    return StrictUtf8.bytes(Json.write(line) + "\n");
  }

  /** The whole journal; {@link Content#NONE} if there is none. */
  static Content read(Disk disk, Path file, FencingToken of) throws IOException {
    byte[] bytes;
    try {
      bytes = disk.read(file, MAX_BYTES);
    } catch (NoSuchFileException e) {
      return Content.NONE;
    }
    byte[] head = head(of);
    if (!begins(bytes, head)) {
      return Content.none(false);
    }
    Lines lines = new Lines();
    int end = lines.read(bytes, head.length);
    return new Content(
        lines.pieces,
        Arrays.copyOf(bytes, end),
        end == bytes.length,
        lines.last,
        lines.grew,
        lines.waits);
  }

  private static boolean begins(byte[] bytes, byte[] head) {
    return bytes.length >= head.length
        && Arrays.equals(bytes, 0, head.length, head, 0, head.length);
  }

  /** The content of some lines. */
  private static final class Lines {
    final List<OutputChunk> pieces = new ArrayList<>();
    @Nullable FencingToken last;
    boolean grew;
    boolean waits;

    /** Reads complete lines up to the first incomplete one, and returns where that starts. */
    int read(byte[] bytes, int start) {
      int from = start;
      for (int i = start; i < bytes.length; i++) {
        if (bytes[i] == '\n') {
          if (!line(new String(bytes, from, i - from, StandardCharsets.UTF_8))) {
            return from;
          }
          from = i + 1;
        }
      }
      return from;
    }

    private boolean line(String text) {
      try {
        JsonObject in = Json.object(text);
        if (in.has("claim")) {
          claim(new FencingToken(in.integer("epoch"), in.integer("claim")));
          waits = in.flag("waits", false);
          return true;
        }
        OutputChunk piece = piece(in);
        if (piece != null) {
          pieces.add(piece);
          grew |= !piece.tokens().isEmpty();
        }
        return piece != null;
      } catch (JsonException e) {
        return false;
      }
    }

    private void claim(FencingToken claim) {
      grew &= claim.equals(last); // a claim may name itself twice
      last = claim;
    }
  }

  private static @Nullable OutputChunk piece(JsonObject in) {
    List<Integer> tokens = integers(in.list("tokens"));
    String text = in.string("text");
    if (tokens == null || !in.has("lengths")) {
      return tokens == null ? null : new OutputChunk(tokens, text);
    }
    List<Integer> lengths = integers(in.list("lengths"));
    List<String> pieces = lengths == null ? null : cut(text, lengths);
    return pieces == null || pieces.size() != tokens.size()
        ? null
        : new OutputChunk(tokens, pieces);
  }

  private static @Nullable List<Integer> integers(List<?> numbers) {
    List<Integer> integers = new ArrayList<>(numbers.size());
    for (Object number : numbers) {
      if (!(number instanceof Long value) || value != value.intValue()) {
        return null;
      }
      integers.add(value.intValue());
    }
    return integers;
  }

  /** The parts of a text that have these lengths; null if they are not those of the whole text. */
  private static @Nullable List<String> cut(String text, List<Integer> lengths) {
    List<String> parts = new ArrayList<>(lengths.size());
    int from = 0;
    for (int length : lengths) {
      if (length < 0 || length > text.length() - from) {
        return null;
      }
      parts.add(text.substring(from, from + length));
      from += length;
    }
    return from == text.length() ? parts : null;
  }

  /** The content from a position on; from the start, if the position is of another journal. */
  public static OutputSoFar outputSoFar(Disk disk, Path file, FencingToken of, long position)
      throws IOException {
    byte[] head = head(of);
    long mark = (of.number() & ENTRY) << OFFSET_BITS;
    try {
      if (!begins(disk.read(file, 0, head.length), head)) {
        return new OutputSoFar(0, 0, List.of());
      }
      long from = (position & ~OFFSET) == mark ? position & OFFSET : 0;
      byte[] bytes = from < head.length ? new byte[0] : lines(disk, file, from - 1);
      if (bytes.length == 0 || bytes[0] != '\n') {
        from = 0;
        bytes = lines(disk, file, head.length - 1);
      }
      Lines lines = new Lines();
      int end = lines.read(bytes, 1);
      return new OutputSoFar(
          from == 0 ? 0 : position, mark | (Math.max(from, head.length) - 1 + end), lines.pieces);
    } catch (NoSuchFileException e) {
      return new OutputSoFar(0, 0, List.of());
    }
  }

  /** A part of the file that has a complete line after its first byte, unless it is the end. */
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
