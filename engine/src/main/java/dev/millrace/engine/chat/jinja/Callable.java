package dev.millrace.engine.chat.jinja;

/** A value that a template can call: a global function, a macro, a method bound to its object. */
@FunctionalInterface
interface Callable {
  Object call(Arguments args);
}
