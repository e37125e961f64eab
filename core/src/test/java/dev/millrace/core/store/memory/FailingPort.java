package dev.millrace.core.store.memory;

import dev.millrace.core.internal.lease.Leases;
import dev.millrace.core.internal.store.ClaimIndex;
import dev.millrace.core.internal.store.JobRepository;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Counts the calls that a store makes to its repository, its index, its leases and its random
 * numbers, and throws an Error at one of them, before or after its effect.
 */
final class FailingPort {
  private final List<String> calls = new ArrayList<>();
  private int at;
  private boolean after;
  private @Nullable Error error;

  /** The same repository, with every call counted. */
  @SuppressWarnings("unchecked") // a proxy of the interface is of any type of job
  JobRepository<MemoryStoredJob> over(MemoryRepository repository) {
    return (JobRepository<MemoryStoredJob>) counted(JobRepository.class, repository);
  }

  RandomGenerator over(RandomGenerator random) {
    return () -> (Long) call("nextLong", random::nextLong);
  }

  private Object counted(Class<?> type, Object real) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (_, method, arguments) ->
            call(
                method.getName(),
                () -> {
                  try {
                    return part(method.getReturnType(), method.invoke(real, arguments));
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                }));
  }

  private @Nullable Object part(Class<?> type, @Nullable Object answer) {
    return answer != null && (type == ClaimIndex.class || type == Leases.class)
        ? counted(type, answer)
        : answer;
  }

  private interface Call {
    @Nullable Object run() throws Throwable;
  }

  private @Nullable Object call(String name, Call call) throws RuntimeException {
    calls.add(name);
    boolean fails = error != null && calls.size() == at;
    if (fails && !after) {
      throw error;
    }
    Object answer = answer(call);
    if (fails) {
      throw error;
    }
    return answer;
  }

  private static @Nullable Object answer(Call call) {
    try {
      return call.run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Forgets the calls so far; call number {@code number} from here on throws, 0: none. */
  void failAt(int number, boolean afterEffect, Error thrown) {
    calls.clear();
    at = number;
    after = afterEffect;
    error = thrown;
  }

  List<String> calls() {
    return List.copyOf(calls);
  }
}
