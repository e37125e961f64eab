package dev.millrace.http.transport;

import io.helidon.common.buffers.DataReader;
import io.helidon.http.http2.Http2ErrorCode;
import io.helidon.http.http2.Http2Exception;
import java.nio.ByteBuffer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * Inspects the frames of an HTTP/2 client (RFC 9113, 4.1) before Helidon reads them. It limits the
 * frames, bytes and time of a header block, because Helidon collects CONTINUATION frames without
 * end. It also reports streams that the client resets, because Helidon still answers them.
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
  private final RequestHeadTimer timer;
  private final int maxHeader;
  private final IntConsumer resets;
  private final byte[] head = new byte[FRAME_HEAD];
  private int filled;
  private int payload = PREFACE;
  private boolean endOfHeader;
  private int continuations;
  private int headerBytes;

  /**
   * @param maxHeader the most bytes of a compressed header block
   * @param resets receives the streams that the client resets
   */
  Http2FrameInspector(DataReader in, RequestHeadTimer timer, int maxHeader, IntConsumer resets) {
    this.in = in;
    this.timer = timer;
    this.maxHeader = maxHeader;
    this.resets = resets;
  }

  @Override
  public byte[] get() {
    try {
      in.ensureAvailable();
    } catch (DataReader.InsufficientDataAvailableException e) {
      if (timer.stop()) {
        throw calmDown("a header took too long to arrive");
      }
      throw e;
    }
    byte[] bytes = in.readBytes(in.available());
    inspect(bytes);
    return bytes;
  }

  private void inspect(byte[] bytes) {
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
      if (payload == 0 && filled == 0 && endOfHeader) {
        endOfHeader = false;
        timer.stop();
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
      timer.start();
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
    endOfHeader = (head[4] & END_HEADERS) != 0;
  }

  /** The four bytes at that position. */
  private int number(int from) {
    return ByteBuffer.wrap(head).getInt(from);
  }

  private static Http2Exception calmDown(String why) {
    return new Http2Exception(Http2ErrorCode.ENHANCE_YOUR_CALM, why);
  }
}
