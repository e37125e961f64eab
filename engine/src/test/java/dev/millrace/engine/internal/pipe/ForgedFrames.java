package dev.millrace.engine.internal.pipe;

import java.nio.ByteBuffer;
import java.util.Random;

/** Forged frames with a valid hash. */
public final class ForgedFrames {
  private static final int KIND = 12;
  private static final int GROUP = 21;
  private static final int BODY = 29;
  private static final int HASH = 32;

  private ForgedFrames() {}

  /** The frame with another step. */
  public static ByteBuffer step(ByteBuffer frame, NextComputation step) {
    byte[] forged = frame.array().clone();
    forged[stepAt(forged)] = (byte) step.ordinal();
    return sealed(forged);
  }

  /** The frame with other hidden states. */
  public static ByteBuffer hidden(ByteBuffer frame, Random random) {
    byte[] forged = frame.array().clone();
    ByteBuffer out = ByteBuffer.wrap(forged);
    for (int at = hiddenAt(forged); at < forged.length - HASH; at += 4) {
      out.putFloat(at, random.nextFloat());
    }
    return sealed(forged);
  }

  /** A node's message that the group of the frame is released. */
  public static ByteBuffer released(ByteBuffer frame, long epoch) {
    return ended(frame, epoch, new StepEnding(StepEnding.Kind.RELEASED, "later"));
  }

  /** A node's message that the group of the frame failed. */
  public static ByteBuffer failed(ByteBuffer frame, long epoch) {
    return ended(frame, epoch, new StepEnding(StepEnding.Kind.FAILED, "broken"));
  }

  private static ByteBuffer ended(ByteBuffer frame, long epoch, StepEnding ending) {
    return Frame.ended(ByteBuffer.wrap(frame.array()).getLong(GROUP), epoch, ending);
  }

  /** Flips a bit anywhere but in magic, version, length, hidden states and hash. */
  public static byte[] anyBit(byte[] frame, Random random) {
    byte[] forged = frame.clone();
    int at = KIND + random.nextInt(hiddenAt(forged) - KIND);
    forged[at] ^= (byte) (1 << random.nextInt(8));
    FakeNetwork.seal(forged);
    return forged;
  }

  private static ByteBuffer sealed(byte[] forged) {
    FakeNetwork.seal(forged);
    return ByteBuffer.wrap(forged);
  }

  private static int stepAt(byte[] frame) {
    return BODY + 4 + ByteBuffer.wrap(frame).getInt(BODY);
  }

  private static int hiddenAt(byte[] frame) {
    if (frame[KIND] != Frame.Kind.STEP.ordinal()) {
      return frame.length - HASH;
    }
    ByteBuffer in = ByteBuffer.wrap(frame);
    int counts = stepAt(frame) + 1 + 4;
    return frame.length - HASH - 4 * in.getInt(counts + 4) * in.getInt(counts + 8);
  }
}
