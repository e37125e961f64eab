package dev.millrace.http.jobnik;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Called before each call of a store in memory. */
@FunctionalInterface
interface InterceptedStore {

  /** May throw instead of the store. */
  void beforeCall(String method, Object @Nullable [] arguments);

  static JobStore memoryStore(InterceptedStore interceptor) {
    JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(new ManualClock()));
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              interceptor.beforeCall(method.getName(), arguments);
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
