package dev.millrace.store.postgres.internal.server;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.contract.StoreContract;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.db.Database;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/** The contract holds where two servers share the database: each call goes to the other one. */
class TwoPostgresServersTest extends StoreContract {
  private final Database database = EmbeddedDatabase.emptied("two_servers");

  /** Two servers, whose tokens have the same epoch so that they can be compared. */
  private record Servers(PostgresStore first, PostgresStore second) {
    static Servers open(Database database, ContractSettings settings, long epoch) {
      StoreOptions options = PostgresStoreFixture.options(settings);
      return new Servers(
          PostgresStore.open(database, options, OptionalLong.of(epoch)),
          PostgresStore.open(database, options, OptionalLong.of(epoch)));
    }
  }

  private long epoch = 1_000_000_000; // not of any row: both servers have it
  private Servers servers;

  @Override
  public JobStore open(ContractSettings settings) {
    Servers both = Servers.open(database, settings, ++epoch);
    servers = both;
    AtomicLong calls = new AtomicLong();
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              List<PostgresStore> all = List.of(both.first(), both.second());
              try {
                if (method.getName().equals("awaitWork")) { // each server counts for itself
                  return method.invoke(both.first(), arguments);
                }
                int turn = (int) (calls.getAndIncrement() % 2);
                Object answer = method.invoke(all.get(turn), arguments);
                all.get(1 - turn).workElsewhere(); // a listener would say so a moment later
                boolean atBoth =
                    method.getName().startsWith("on") || method.getName().equals("close");
                if (atBoth) {
                  Object other = method.invoke(all.get(1 - turn), arguments);
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

  private static Subscription both(Subscription one, Subscription other) {
    return () -> {
      one.close();
      other.close();
    };
  }

  @Override
  public void abandon(JobStore store) {
    servers.first().abandon();
    servers.second().abandon();
  }

  @Override
  public boolean isOneProcess() {
    return false;
  }

  @Override
  public Damage damage(JobId id) {
    return PostgresStoreFixture.damage(database, id);
  }
}
