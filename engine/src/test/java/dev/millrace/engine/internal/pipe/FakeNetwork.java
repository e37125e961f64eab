package dev.millrace.engine.internal.pipe;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Nodes in one process, each with a queue of frames; a seed decides which node works next. */
public final class FakeNetwork implements FrameTransport {
  private final Map<String, Queue<ByteBuffer>> queues = new TreeMap<>();
  private final Map<String, Consumer<ByteBuffer>> nodes = new TreeMap<>();
  private final Random random;

  public FakeNetwork(long seed) {
    random = new Random(seed);
  }

  public void join(String node, Consumer<ByteBuffer> receiver) {
    nodes.put(node, receiver);
    queues.putIfAbsent(node, new ArrayDeque<>());
  }

  @Override
  public void send(String node, ByteBuffer frame) {
    if (!queues.containsKey(node)) {
      throw new IllegalStateException("node " + node + " is gone");
    }
    // a copy, so that only bytes cross
    queues.get(node).add(ByteBuffer.wrap(java.util.Arrays.copyOf(frame.array(), frame.limit())));
  }

  /** Gives a forged frame a valid hash. */
  public static void seal(byte[] frame) {
    MessageDigest digest = RowHashRecorder.sha256();
    digest.update(frame, 0, frame.length - 32);
    System.arraycopy(digest.digest(), 0, frame, frame.length - 32, 32);
  }

  /** The frames that wait for a node. */
  public Queue<ByteBuffer> waiting(String node) {
    return queues.get(node);
  }

  public void leave(String node) {
    nodes.remove(node);
    queues.remove(node);
  }

  /** Lets one node take one frame; false if none waits. */
  public boolean step() {
    List<String> busy = new ArrayList<>();
    queues.forEach(
        (node, queue) -> {
          if (!queue.isEmpty()) busy.add(node);
        });
    if (busy.isEmpty()) {
      return false;
    }
    String node = busy.get(random.nextInt(busy.size()));
    nodes.get(node).accept(queues.get(node).remove());
    return true;
  }
}
