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
 * Reads a request's body whole, or not at all: never more than it may have, never slower than it
 * must be, and never so much for all requests together that memory runs out.
 */
public final class BodyReader {
  private static final int CHUNK = 16 << 10;
  private static final int MAX_SKIP = 1 << 20;
  private static final long MAX_SKIP_TIME = 2_000_000_000L;
  private static final byte[] NOTHING = new byte[0];

  private final HttpLimits limits;
  private final RequestMemoryBudget room;

  public BodyReader(HttpLimits limits) {
    this(limits, Math.max(2L * limits.maxBulkBody(), Runtime.getRuntime().maxMemory() / 4));
  }

  /**
   * @param most bytes that large bodies, and what is made of them, may take together
   */
  BodyReader(HttpLimits limits, long most) {
    this.limits = limits;
    this.room =
        new RequestMemoryBudget(
            most, "too many large bodies are being worked on at once; try again later");
  }

  /** A body and what is made of it, counted against the room for all until closed. */
  public final class Body implements AutoCloseable {
    private final RequestMemoryBudget.Reservation share = room.newReservation();
    private byte[] bytes = NOTHING;
    private int size;

    /** How many bytes were read and are not parsed yet. */
    public int size() {
      return size;
    }

    /**
     * Its text, once: the bytes are dropped. What the parsed text will take is counted beforehand.
     *
     * @throws Problem if there is no room for that
     * @throws CharacterCodingException if it is not UTF-8
     */
    public String text() throws CharacterCodingException {
      long cost = ParsedJsonSize.of(bytes, size);
      if (!share.couldReserve(cost)) {
        throw new Problem(
            Problem.Kind.TOO_LARGE,
            "the body has so many values that they take more memory than this server gives one"
                + " request; send it in parts");
      }
      share.reserve(cost);
      String text = decode(bytes, size);
      bytes = NOTHING;
      size = 0;
      return text;
    }

    /** Makes room for some more, at most twice what was there. */
    private void grow(int max) {
      int wanted = Math.min(max + 1, Math.max(CHUNK, bytes.length * 2));
      share.reserveAtLeast(wanted);
      bytes = Arrays.copyOf(bytes, wanted);
    }

    @Override
    public void close() {
      share.close();
      bytes = NOTHING;
      size = 0;
    }
  }

  /** The strict decoder takes twice the text's memory, so it is asked only about doubtful ones. */
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
   * @param in asked only once the body is wanted: a client may wait to be told so
   * @param declared what {@code Content-Length} says; -1: nothing
   * @param max bytes that it may have
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
      throw new ClientGoneException(false, null); // half a body is none
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
      long deadline = start + limits.slowest(body.size).toNanos();
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
   * Throws away some of what a client goes on to send after it was refused: if the connection were
   * closed under what is unread, the answer would be lost with it.
   */
  public void skip(Supplier<InputStream> in, StallTimer stall) {
    long deadline = System.nanoTime() + MAX_SKIP_TIME;
    Body scrap = new Body();
    scrap.bytes = new byte[CHUNK];
    int skipped = 0;
    while (skipped < MAX_SKIP) {
      int count = more(scrap, in.get(), deadline - System.nanoTime(), stall);
      if (count < 0) {
        return;
      }
      skipped += count;
    }
  }

  private static int more(Body body, InputStream in, long atMost, StallTimer stall) {
    int[] count = new int[1];
    stall.whileReading(
        atMost,
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
