package dev.millrace.core.store.memory;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.StoreFixture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Two stores at once on the same jobs, as two servers on one database: each call goes to the other
 * one than the last. Nothing that a store keeps in memory may count without looking.
 */
public final class TwoServersFixture implements StoreFixture {
  private final MemoryContents contents = new MemoryContents();

  @Override
  public JobStore open(ContractSettings settings) {
    contents.restart();
    long epoch = contents.join(); // the same, so that tokens can be compared with another store's
    List<MemoryStore> servers =
        List.of(
            MemoryStore.open(settings, contents, epoch),
            MemoryStore.open(settings, contents, epoch));
    AtomicLong calls = new AtomicLong();
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              try {
                boolean both =
                    method.getName().startsWith("on") || method.getName().equals("close");
                int turn = (int) (calls.getAndIncrement() % 2);
                Object answer = method.invoke(servers.get(turn), arguments);
                if (both) { // by its own turn: others call meanwhile
                  Object other = method.invoke(servers.get(1 - turn), arguments);
                  return answer instanceof Subscription one
                      ? both(one, (Subscription) other)
                      : answer;
                }
                return answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Override
  public boolean isOneProcess() {
    return false;
  }

  private static Subscription both(Subscription one, Subscription other) {
    return () -> {
      one.close();
      other.close();
    };
  }

  @Override
  public Damage damage(JobId id) {
    synchronized (contents) {
      contents.damaged.add(id);
    }
    return () -> {
      synchronized (contents) {
        contents.damaged.remove(id);
      }
    };
  }
}
