package dev.millrace.server;

import dev.millrace.core.store.JobStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Intercepts every call of a store. */
@FunctionalInterface
public interface StoreInterceptor {

  /** The call that was made; {@link #proceed} passes it on. */
  record Call(JobStore store, Method method, Object @Nullable [] arguments) {
    public String name() {
      return method.getName();
    }

    public @Nullable Object proceed() throws Throwable {
      try {
        return method.invoke(store, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }

  @Nullable Object intercept(Call call) throws Throwable;

  /** Wraps the store of an {@link InMemoryServer}. */
  static UnaryOperator<JobStore> intercepting(StoreInterceptor interposed) {
    return store ->
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (proxy, method, arguments) ->
                    interposed.intercept(new Call(store, method, arguments)));
  }
}
