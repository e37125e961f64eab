package dev.millrace.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Reads a request's body whole, or not at all: never more than it may have, never slower than it
 * must be, and never so much for all requests together that memory runs out.
 */
final class BodyReader {
  private static final int CHUNK = 16 << 10;
  private static final int MAX_SKIP = 1 << 20;
  private static final long MAX_SKIP_TIME = 2_000_000_000L;
  private static final double NANOS_PER_BYTE = 1e9 / Limits.MIN_BODY_RATE;

  private final Limits limits;
  private final long room;
  private final AtomicLong held = new AtomicLong();

  BodyReader(Limits limits) {
    this.limits = limits;
    this.room = Math.max(limits.maxBulkBody(), Runtime.getRuntime().maxMemory() / 8);
  }

  /** The bytes of a body, counted against the room for all until closed. */
  final class Body implements AutoCloseable {
    private byte[] bytes = new byte[0];
    private int size;

    byte[] bytes() {
      return size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
    }

    /** Makes room for some more, at most twice what was there. */
    private void grow(int max) {
      int wanted = Math.min(max + 1, Math.max(CHUNK, bytes.length * 2));
      int more = wanted - bytes.length;
      if (held.addAndGet(more) > room) {
        held.addAndGet(-more);
        throw new Problem(
            Problem.Kind.UNAVAILABLE,
            null,
            "too many large bodies are being read at once; try again later",
            null,
            Map.of("Retry-After", "1"));
      }
      bytes = Arrays.copyOf(bytes, wanted);
    }

    @Override
    public void close() {
      held.addAndGet(-bytes.length);
      bytes = new byte[0];
      size = 0;
    }
  }

  Body empty() {
    return new Body();
  }

  /**
   * Reads a body.
   *
   * @param in asked only once the body is wanted: a client may wait to be told so
   * @param declared what {@code Content-Length} says; -1: nothing
   * @param max bytes that it may have
   */
  Body read(Supplier<InputStream> in, long declared, int max, Stall stall) {
    if (declared > max) {
      throw tooLarge(max);
    }
    Body body = new Body();
    try {
      readInto(body, in.get(), max, stall);
      if (declared >= 0 && body.size != declared) {
        throw new ClientGone(false, null); // half a body is none
      }
      return body;
    } catch (RuntimeException e) {
      body.close();
      throw e;
    }
  }

  private void readInto(Body body, InputStream in, int max, Stall stall) {
    long start = System.nanoTime();
    while (true) {
      if (body.size == body.bytes.length) {
        if (body.size > max) {
          throw tooLarge(max);
        }
        body.grow(max);
      }
      long deadline =
          start + limits.slowest().toNanos() + (long) (body.size * NANOS_PER_BYTE);
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
  void skip(Supplier<InputStream> in, Stall stall) {
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

  private static int more(Body body, InputStream in, long atMost, Stall stall) {
    int[] count = new int[1];
    stall.during(
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
