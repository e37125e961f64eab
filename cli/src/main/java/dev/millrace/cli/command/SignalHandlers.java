package dev.millrace.cli.command;

import dev.millrace.core.internal.thread.MonitoredThreads;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Calls a handler on SIGINT and SIGTERM. A shutdown hook is not enough: the JVM runs hooks at the
 * first signal and ignores a second. {@code sun.misc.Signal} is what the JDK offers; it is called
 * by reflection because its compiler warning cannot be suppressed. Where it is missing, a hook
 * handles the first signal.
 */
public final class SignalHandlers {
  private final AtomicInteger count = new AtomicInteger();
  private final IntConsumer handler;

  private SignalHandlers(IntConsumer handler) {
    this.handler = handler;
  }

  /**
   * Calls {@code handler} with 1 for the first signal, 2 for the second, each in its own thread.
   */
  public static void install(IntConsumer handler) {
    SignalHandlers signals = new SignalHandlers(handler);
    try {
      signals.on("INT");
      signals.on("TERM");
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      System.getLogger("dev.millrace.cli")
          .log(System.Logger.Level.DEBUG, "signals cannot be handled one by one", e);
      Runtime.getRuntime()
          .addShutdownHook(MonitoredThreads.work().name("signal").unstarted(signals::arrived));
    }
  }

  /** Calls {@code action} on SIGHUP, which would end the process otherwise. */
  public static void onHangup(Runnable action) {
    try {
      new SignalHandlers(_ -> action.run()).on("HUP");
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      System.getLogger("dev.millrace.cli")
          .log(System.Logger.Level.DEBUG, "SIGHUP is not handled", e);
    }
  }

  private void on(String name) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
    InvocationHandler call =
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "handle" -> {
                MonitoredThreads.work().name("signal").start(this::arrived);
                yield null;
              }
              case "equals" -> proxy == arguments[0];
              case "hashCode" -> System.identityHashCode(proxy);
              default -> "signal handler";
            };
    Object proxy =
        Proxy.newProxyInstance(
            SignalHandlers.class.getClassLoader(), new Class<?>[] {handlerType}, call);
    signal
        .getMethod("handle", signal, handlerType)
        .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
  }

  private void arrived() {
    handler.accept(count.incrementAndGet());
  }
}
