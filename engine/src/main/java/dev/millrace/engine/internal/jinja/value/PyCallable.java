package dev.millrace.engine.internal.jinja.value;

/** A value that a template can call: a global function, a macro, a method bound to its object. */
@FunctionalInterface
public interface PyCallable {
  Object call(PyArguments args);
}
