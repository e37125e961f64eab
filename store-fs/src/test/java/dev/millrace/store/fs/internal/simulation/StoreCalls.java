package dev.millrace.store.fs.internal.simulation;

import dev.millrace.core.store.JobStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Notes which methods of a store are called. */
final class StoreCalls {
  private final Set<String> called = new TreeSet<>();

  JobStore of(JobStore store) {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> call(store, method, arguments));
  }

  private Object call(JobStore store, Method method, Object[] arguments) throws Throwable {
    called.add(signature(method));
    try {
      return method.invoke(store, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static String signature(Method method) {
    return method.getName()
        + Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(", ", "(", ")"));
  }

  void add(StoreCalls others) {
    called.addAll(others.called);
  }

  /** The methods of a store that nobody called. */
  Set<String> missing() {
    Set<String> all = new TreeSet<>();
    Arrays.stream(JobStore.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .forEach(method -> all.add(signature(method)));
    all.removeAll(called);
    return all;
  }
}
