package dev.millrace.http.transport;

import io.helidon.common.buffers.DataReader;
import io.helidon.http.http2.Http2ErrorCode;
import io.helidon.http.http2.Http2Exception;
import java.nio.ByteBuffer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * Reads along what a client of HTTP/2 sends (RFC 9113, 4.1) and counts the frames, the bytes and the
 * time of each header: the server below keeps frame after frame of one that never ends. It also says
 * which streams the client takes back: the server below notices, and goes on to answer them.
 */
final class Http2FrameInspector implements Supplier<byte[]> {
  private static final int PREFACE = 24;
  private static final int FRAME_HEAD = 9;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int CONTINUATION = 9;
  private static final int END_HEADERS = 4;
  private static final int MAX_CONTINUATIONS = 32;

  private final DataReader in;
  private final RequestHeadTimer clock;
  private final int maxHeader;
  private final IntConsumer resets;
  private final byte[] head = new byte[FRAME_HEAD];
  private int filled;
  private int payload = PREFACE;
  private boolean ends;
  private int continuations;
  private int headerBytes;

  /**
   * @param maxHeader bytes that a header may have, packed as it is
   * @param resets is told which streams the client takes back
   */
  Http2FrameInspector(DataReader in, RequestHeadTimer clock, int maxHeader, IntConsumer resets) {
    this.in = in;
    this.clock = clock;
    this.maxHeader = maxHeader;
    this.resets = resets;
  }

  @Override
  public byte[] get() {
    try {
      in.ensureAvailable();
    } catch (DataReader.InsufficientDataAvailableException e) {
      if (clock.stop()) {
        throw calmDown("a header took too long to arrive");
      }
      throw e;
    }
    byte[] bytes = in.readBytes(in.available());
    watch(bytes);
    return bytes;
  }

  private void watch(byte[] bytes) {
    int at = 0;
    while (at < bytes.length) {
      if (payload > 0) {
        int count = Math.min(payload, bytes.length - at);
        at += count;
        payload -= count;
      } else {
        head[filled++] = bytes[at++];
        if (filled == FRAME_HEAD) {
          filled = 0;
          frame();
        }
      }
      if (payload == 0 && filled == 0 && ends) {
        ends = false;
        clock.stop();
      }
    }
  }

  private void frame() {
    payload = number(0) >>> 8;
    int type = head[3];
    if (type == RST_STREAM) {
      resets.accept(number(5) & Integer.MAX_VALUE);
    }
    if (type == HEADERS) {
      clock.start();
      continuations = 0;
      headerBytes = 0;
    } else if (type != CONTINUATION) {
      return;
    } else if (++continuations > MAX_CONTINUATIONS) {
      throw calmDown("a header has more than " + MAX_CONTINUATIONS + " frames");
    }
    headerBytes += payload;
    if (headerBytes > maxHeader) {
      throw calmDown("a header has more than " + maxHeader + " bytes");
    }
    ends = (head[4] & END_HEADERS) != 0;
  }

  /** The four bytes from there on. */
  private int number(int from) {
    return ByteBuffer.wrap(head).getInt(from);
  }

  private static Http2Exception calmDown(String why) {
    return new Http2Exception(Http2ErrorCode.ENHANCE_YOUR_CALM, why);
  }
}
