package dev.millrace.cluster.internal.link;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A receiver that keeps what it was told, in order. */
final class RecordingReceiver implements MessageReceiver {
  final List<String> texts = new CopyOnWriteArrayList<>();
  final List<String> lost = new CopyOnWriteArrayList<>();

  /** Both, as they came. */
  final List<String> all = new CopyOnWriteArrayList<>();

  @Override
  public void received(String from, NodeMessage message) {
    byte[] body = new byte[message.body().remaining()];
    message.body().get(body);
    String text = from + ": " + new String(body, StandardCharsets.UTF_8);
    texts.add(text);
    all.add(text);
  }

  @Override
  public void lost(String node, String why) {
    lost.add(node + ": " + why);
    all.add("lost " + node);
  }
}
