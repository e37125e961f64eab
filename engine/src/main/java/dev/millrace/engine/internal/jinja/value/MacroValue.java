package dev.millrace.engine.internal.jinja.value;

/** A macro as a value: it can be called and has a name. */
public interface MacroValue extends PyCallable {
  String name();
}
