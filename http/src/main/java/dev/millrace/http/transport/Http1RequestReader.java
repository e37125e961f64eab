package dev.millrace.http.transport;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a client of HTTP/1 sends, on its way to the server below, which asks for the first line of a
 * request and for the lines between chunks as told here. Chunks come out in pieces: the server
 * below would wait for all of each.
 */
final class Http1RequestReader extends DataReader {
  /** Of a first line. The server below asks for a line of at most this length where one begins. */
  static final int MAX_LINE = 8192;

  /** And extensions, of which we know none (RFC 9112, 7.1.1). */
  private static final Pattern CHUNK_SIZE = Pattern.compile("(\\p{XDigit}{1,15})(?:[ \t]*;.*)?");

  private static final int MAX_CHUNK_LINE = 1024;
  private static final int PIECE = 16 << 10;

  private final RequestHeadTimer clock;
  private final long maxBody;
  private boolean betweenRequests = true;
  private @Nullable RequestLine line;

  /** Whether the server below is about to read a piece of a chunk, or what comes after it. */
  private boolean inChunk;

  /** Whether the last chunk, which is empty, has been read. */
  private boolean afterLast;

  /** Bytes of the chunk that are still to come. */
  private long left;

  /**
   * @param maxBody bytes that any body may have
   */
  @SuppressWarnings("removal") // of the constructor: there is no other way to see where lines begin
  Http1RequestReader(DataReader in, RequestHeadTimer clock, long maxBody) {
    super(
        () -> {
          in.ensureAvailable();
          return in.readBytes(in.available());
        });
    this.clock = clock;
    this.maxBody = maxBody;
  }

  RequestHeadTimer clock() {
    return clock;
  }

  /** The header fields of a request are read. */
  void headComplete() {
    clock.stop();
    betweenRequests = true;
  }

  @Override
  public void pullData() {
    try {
      super.pullData();
    } catch (InsufficientDataAvailableException e) {
      if (clock.stop()) {
        throw RequestLine.tooSlow(line);
      }
      throw e;
    }
  }

  @Override
  public int findNewLine(int max) {
    if (max != MAX_LINE || !betweenRequests) {
      return super.findNewLine(max);
    }
    ensureAvailable();
    if (startsWithNewLine()) { // RFC 9112, 2.2: some clients end a body with one too many
      skip(2);
      ensureAvailable();
    }
    clock.start();
    betweenRequests = false;
    line = null;
    int end = endOfLine(max);
    if (end < max) {
      line = RequestLine.of(getBuffer(end).readString(end, StandardCharsets.ISO_8859_1));
    }
    return end;
  }

  private int endOfLine(int max) {
    try {
      return super.findNewLine(max);
    } catch (IncorrectNewLineException e) {
      throw RequestLine.refuse("its lines must end with CR LF");
    }
  }

  /** The size of a chunk without its extensions, or the empty line after the last one. */
  @Override
  public String readLine() {
    if (left > 0) {
      return piece();
    }
    String line = chunkLine();
    if (afterLast) {
      afterLast = false;
      if (!line.isEmpty()) {
        throw RequestLine.refuse("fields after the last chunk are not read");
      }
      return line;
    }
    Matcher size = CHUNK_SIZE.matcher(line);
    if (!size.matches()) {
      throw RequestLine.refuse("a chunk's size is broken");
    }
    left = Long.parseLong(size.group(1), 16);
    if (left > maxBody) {
      throw RequestLine.tooLarge();
    }
    afterLast = left == 0;
    return piece();
  }

  private String chunkLine() {
    int end = endOfLine(MAX_CHUNK_LINE);
    if (end == MAX_CHUNK_LINE) {
      throw RequestLine.refuse("the line with a chunk's size is too long");
    }
    String line = end == 0 ? "" : readAsciiString(end);
    skip(2);
    return line;
  }

  private String piece() {
    int size = (int) Math.min(left, PIECE);
    inChunk = size > 0;
    return Integer.toHexString(size);
  }

  @Override
  public BufferData readBuffer(int length) {
    BufferData buffer = getBuffer(length);
    super.skip(length);
    left -= inChunk ? length : 0;
    return buffer;
  }

  /** Also what comes after a chunk, which is there only once all of it was read. */
  @Override
  public void skip(int length) {
    if (inChunk && left == 0 && !startsWithNewLine()) {
      throw RequestLine.refuse("a chunk goes on after its end");
    }
    if (left == 0) {
      super.skip(length);
    }
    inChunk = false;
  }
}
