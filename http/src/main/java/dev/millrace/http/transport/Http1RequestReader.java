package dev.millrace.http.transport;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what an HTTP/1 client sends and passes it on to Helidon, after strict checks of the request
 * line and of the lines between chunks. It recognizes both by how Helidon asks for them. Chunks are
 * passed on in pieces, because Helidon would wait for the whole chunk.
 */
final class Http1RequestReader extends DataReader {
  /** The longest request line. Helidon asks for a line of this length where a request begins. */
  static final int MAX_LINE = 8192;

  /** The size of a chunk; extensions are ignored (RFC 9112, 7.1.1). */
  private static final Pattern CHUNK_SIZE = Pattern.compile("(\\p{XDigit}{1,15})(?:[ \t]*;.*)?");

  private static final int MAX_CHUNK_LINE = 1024;
  private static final int PIECE = 16 << 10;

  private final RequestHeadTimer timer;
  private final long maxBody;
  private boolean betweenRequests = true;
  private @Nullable RequestLine line;

  /** Whether Helidon is about to read a piece of a chunk, or the line end after it. */
  private boolean inChunk;

  /** Whether the last, empty chunk has been read. */
  private boolean afterLast;

  /** Bytes of the chunk that are not read yet. */
  private long left;

  /**
   * @param maxBody the most bytes of any body
   */
  @SuppressWarnings("removal") // no other constructor lets us see where lines begin
  Http1RequestReader(DataReader in, RequestHeadTimer timer, long maxBody) {
    super(
        () -> {
          in.ensureAvailable();
          return in.readBytes(in.available());
        });
    this.timer = timer;
    this.maxBody = maxBody;
  }

  RequestHeadTimer timer() {
    return timer;
  }

  /** All header fields of a request are read. */
  void headComplete() {
    timer.stop();
    betweenRequests = true;
  }

  @Override
  public void pullData() {
    try {
      super.pullData();
    } catch (InsufficientDataAvailableException e) {
      if (timer.stop()) {
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
    if (startsWithNewLine()) { // RFC 9112, 2.2: some clients send an extra line end after a body
      skip(2);
      ensureAvailable();
    }
    timer.start();
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

  /** Skips the line end after a chunk, but only after the chunk's last piece. */
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
