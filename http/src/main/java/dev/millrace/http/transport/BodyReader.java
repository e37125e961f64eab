package dev.millrace.http.transport;

import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.limits.ParsedJsonSize;
import dev.millrace.http.limits.RequestMemoryBudget;
import dev.millrace.http.route.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Reads the whole body of a request within limits: of its size, of its transfer time, and of the
 * memory that all requests together use.
 */
public final class BodyReader {
  private static final int CHUNK = 16 << 10;

  /** Bodies that are being processed take at most this part of the heap. */
  private static final int HEAP_SHARE = 4;

  private static final int MAX_SKIP = 1 << 20;
  private static final long MAX_SKIP_TIME = 2_000_000_000L;
  private static final byte[] EMPTY = new byte[0];

  private final HttpLimits limits;
  private final RequestMemoryBudget memory;

  public BodyReader(HttpLimits limits) {
    this(
        limits,
        Math.max(2L * limits.sizes().maxBulkBody(), Runtime.getRuntime().maxMemory() / HEAP_SHARE));
  }

  /**
   * @param budget bytes that large bodies and their parsed values may use together
   */
  BodyReader(HttpLimits limits, long budget) {
    this.limits = limits;
    this.memory =
        new RequestMemoryBudget(
            budget, "too many large bodies are being processed at once; try again later");
  }

  /** A body and its parsed value; their memory counts until closed. */
  public final class Body implements AutoCloseable {
    private final RequestMemoryBudget.Reservation reservation = memory.newReservation();
    private byte[] bytes = EMPTY;
    private int size;

    /** The bytes that were read and are not parsed yet. */
    public int size() {
      return size;
    }

    /**
     * The text; call it once, because it releases the bytes. Reserves memory for the parsed value
     * first.
     *
     * @throws Problem if there is not enough memory
     * @throws CharacterCodingException if it is not UTF-8
     */
    public String text() throws CharacterCodingException {
      long parsedSize = ParsedJsonSize.of(bytes, size);
      if (!reservation.couldReserve(parsedSize)) {
        throw new Problem(
            Problem.Kind.TOO_LARGE,
            "the body has so many values that they need more memory than this server gives one"
                + " request; send it in parts");
      }
      reservation.reserve(parsedSize);
      String text = decode(bytes, size);
      bytes = EMPTY;
      size = 0;
      return text;
    }

    /** Grows the buffer to twice its size at most. */
    private void grow(int max) {
      int wanted = Math.min(max + 1, Math.max(CHUNK, bytes.length * 2));
      reservation.reserveAtLeast(wanted);
      bytes = Arrays.copyOf(bytes, wanted);
    }

    @Override
    public void close() {
      reservation.close();
      bytes = EMPTY;
      size = 0;
    }
  }

  /** Uses the strict decoder only if needed: it takes twice the memory of the text. */
  private static String decode(byte[] bytes, int size) throws CharacterCodingException {
    String text = new String(bytes, 0, size, StandardCharsets.UTF_8);
    return text.indexOf('\ufffd') < 0
        ? text
        : StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, size)).toString();
  }

  public Body empty() {
    return new Body();
  }

  /**
   * Reads a body.
   *
   * @param in opened when the body is needed: a client may wait for "100 Continue" before it sends
   * @param declared the {@code Content-Length}; -1: none
   * @param max the most bytes allowed
   */
  public Body read(Supplier<InputStream> in, long declared, int max, StallTimer stall) {
    if (declared > max) {
      throw tooLarge(max);
    }
    Body body = new Body();
    boolean whole = false;
    try {
      readInto(body, in.get(), max, stall);
      whole = declared < 0 || body.size == declared;
    } finally {
      if (!whole) {
        body.close();
      }
    }
    if (!whole) {
      throw new ClientGoneException(false, null); // the body is incomplete
    }
    return body;
  }

  private void readInto(Body body, InputStream in, int max, StallTimer stall) {
    long start = System.nanoTime();
    while (true) {
      if (body.size == body.bytes.length) {
        if (body.size > max) {
          throw tooLarge(max);
        }
        body.grow(max);
      }
      long deadline = start + limits.timeouts().request(body.size).toNanos();
      int count = more(body, in, deadline - System.nanoTime(), stall);
      if (count < 0) {
        break;
      }
      body.size += count;
      if (body.size > max) {
        throw tooLarge(max);
      }
    }
  }

  /**
   * Reads and drops some of what a client sends after a refusal: closing a connection with unread
   * data would lose the response.
   */
  public void skip(Supplier<InputStream> in, StallTimer stall) {
    long deadline = System.nanoTime() + MAX_SKIP_TIME;
    Body skippedBody = new Body();
    skippedBody.bytes = new byte[CHUNK];
    int skipped = 0;
    while (skipped < MAX_SKIP) {
      int count = more(skippedBody, in.get(), deadline - System.nanoTime(), stall);
      if (count < 0) {
        return;
      }
      skipped += count;
    }
  }

  private static int more(Body body, InputStream in, long timeoutNanos, StallTimer stall) {
    int[] count = new int[1];
    stall.whileReading(
        timeoutNanos,
        () -> {
          try {
            count[0] = in.read(body.bytes, body.size, body.bytes.length - body.size);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    return count[0];
  }

  private static Problem tooLarge(int max) {
    return new Problem(
        Problem.Kind.TOO_LARGE, "the body has more than the " + max + " bytes allowed here");
  }
}
