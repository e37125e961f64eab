package dev.millrace.server;

import dev.millrace.core.store.JobStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Stands before a store and sees every call first. */
@FunctionalInterface
interface Interposed {

  /** The call that was made; {@link #proceed} passes it on. */
  record Call(JobStore store, Method method, Object @Nullable [] arguments) {
    String name() {
      return method.getName();
    }

    @Nullable Object proceed() throws Throwable {
      try {
        return method.invoke(store, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }

  @Nullable Object answer(Call call) throws Throwable;

  /** The way between a store and a {@link Mill}. */
  static UnaryOperator<JobStore> before(Interposed interposed) {
    return store ->
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (proxy, method, arguments) ->
                    interposed.answer(new Call(store, method, arguments)));
  }
}
