package dev.millrace.http.jobnik;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Hears what a store in memory is asked before it answers. */
@FunctionalInterface
interface InterceptedStore {

  /** May throw instead. */
  void beforeCall(String method, Object @Nullable [] arguments);

  static JobStore memoryStore(InterceptedStore tap) {
    JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(new ManualClock()));
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              tap.beforeCall(method.getName(), arguments);
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
