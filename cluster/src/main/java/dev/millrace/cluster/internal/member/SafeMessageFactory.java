package dev.millrace.cluster.internal.member;

import java.io.DataInput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Supplier;
import org.jgroups.BytesMessage;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.MessageFactory;
import org.jgroups.ObjectMessage;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.util.Digest;
import org.jgroups.util.MutableDigest;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.SizeStreamable;

/**
 * The message types that the protocols of a membership need. JGroups would deserialize any Java
 * object that a message names. This factory accepts only bytes, empty messages, and two kinds of
 * number lists. It applies to the whole process.
 */
final class SafeMessageFactory extends MessageFactory {
  private static final Set<Short> LISTS =
      Set.of(
          ClassConfigurator.getMagicNumber(Digest.class),
          ClassConfigurator.getMagicNumber(MutableDigest.class),
          ClassConfigurator.getMagicNumber(SeqnoList.class));

  private SafeMessageFactory() {}

  /** Must run before the first membership listens. */
  static void install() {
    Arrays.fill(creators, (Supplier<Message>) SafeMessageFactory::unknown);
    creators[Message.BYTES_MSG] = Bytes::new;
    creators[Message.EMPTY_MSG] = EmptyMessage::new;
    creators[Message.OBJ_MSG] = Numbers::new;
  }

  private static Message unknown() {
    throw new IllegalArgumentException("a message of a type that no member sends");
  }

  /** Bytes that are never deserialized, whatever their flags say. */
  static final class Bytes extends BytesMessage {
    @Override
    public Supplier<Message> create() {
      return Bytes::new;
    }

    @Override
    public <T> T getObject(ClassLoader loader) {
      throw new IllegalArgumentException("an object in a message that can have none");
    }
  }

  /** Lists of message numbers that protocols lack or have seen. */
  static final class Numbers extends ObjectMessage {
    @Override
    public Supplier<Message> create() {
      return Numbers::new;
    }

    @Override
    public void readPayload(DataInput in) throws IOException, ClassNotFoundException {
      if (in.readByte() == 0) {
        return;
      }
      short type = in.readShort();
      if (!LISTS.contains(type)) {
        throw new IOException("an object that no member sends");
      }
      SizeStreamable list = ClassConfigurator.create(type);
      list.readFrom(in);
      setObject(list);
    }
  }
}
