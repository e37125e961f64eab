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
 * TCP, where a message that is not understood costs nobody the ones after it, and where, with
 * certificates, a member speaks only under a name of its own certificate.
 */
final class JGroupsTransport extends TCP {
  JGroupsTransport(boolean namesFromCertificates) {
    setId(ClassConfigurator.getProtocolId(TCP.class));
    if (namesFromCertificates) {
      message_processing_policy = null; // the name of a policy would be preferred to the policy
      msg_processing_policy = new NameCheck();
    }
  }

  /** Whole, so that the next one begins where it does, however far this one is read. */
  @Override
  public void receive(Address sender, DataInput in, int length) throws Exception {
    byte[] message = new byte[length];
    in.readFully(message);
    receive(sender, message, 0, length);
  }

  /** Asked by the thread that reads a connection, for what came over it. */
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
