package dev.millrace.server.http.jobnik;

import dev.millrace.core.store.ContractSettings;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.ManualClock;
import dev.millrace.core.store.MemoryFixture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Hears what a store in memory is asked before it answers. */
@FunctionalInterface
interface Tapped {

  /** May throw instead. */
  void asked(String method, Object @Nullable [] arguments);

  static JobStore store(Tapped tap) {
    JobStore store = new MemoryFixture().open(ContractSettings.steady(new ManualClock()));
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              tap.asked(method.getName(), arguments);
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
