package dev.millrace.cluster.internal.link;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A receiver that records messages and losses in their order. */
final class RecordingReceiver implements MessageReceiver {
  final List<NodeMessage> messages = new CopyOnWriteArrayList<>();

  /** Sender and body of each message. */
  final List<String> texts = new CopyOnWriteArrayList<>();

  final List<String> lost = new CopyOnWriteArrayList<>();

  /** Messages and losses, in their order. */
  final List<String> all = new CopyOnWriteArrayList<>();

  @Override
  public void received(String from, NodeMessage message) {
    byte[] body = new byte[message.body().remaining()];
    message.body().duplicate().get(body);
    String text = from + ": " + new String(body, StandardCharsets.UTF_8);
    messages.add(message);
    texts.add(text);
    all.add(text);
  }

  @Override
  public void lost(String node, String why) {
    lost.add(node + ": " + why);
    all.add("lost " + node);
  }
}
