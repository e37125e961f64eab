package dev.millrace.cluster.internal.member;

import java.io.DataInput;
import java.util.Set;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCP;
import org.jgroups.util.MaxOneThreadPerSender;
import org.jgroups.util.MessageBatch;

/**
 * TCP for JGroups in which an unreadable message does not disturb the following ones. With
 * certificates, a member may only use a name in its own certificate.
 */
final class JGroupsTransport extends TCP {
  JGroupsTransport(boolean namesFromCertificates) {
    setId(ClassConfigurator.getProtocolId(TCP.class));
    if (namesFromCertificates) {
      message_processing_policy =
          null; // otherwise JGroups prefers the name of a policy to the policy
      msg_processing_policy = new NameCheck();
    }
  }

  /**
   * Reads the whole message first, so that the next one is found even if this one cannot be read.
   */
  @Override
  public void receive(Address sender, DataInput in, int length) throws Exception {
    byte[] message = new byte[length];
    in.readFully(message);
    receive(sender, message, 0, length);
  }

  /** Called by the thread that reads a connection, for its messages. */
  private static final class NameCheck extends MaxOneThreadPerSender {
    @Override
    public boolean process(Message message, boolean oob) {
      return names(message, TlsSocket.namesBeingRead()) && super.process(message, oob);
    }

    @Override
    public boolean process(MessageBatch batch, boolean oob) {
      Set<String> names = TlsSocket.namesBeingRead();
      return names.contains(JGroupsStack.name(batch.sender()))
          && !batch.anyMatch(message -> !names(message, names))
          && super.process(batch, oob);
    }

    private static boolean names(Message message, Set<String> names) {
      return names.contains(JGroupsStack.name(message.getSrc()));
    }
  }
}
