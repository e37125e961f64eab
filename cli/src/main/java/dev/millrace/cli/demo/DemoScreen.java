package dev.millrace.cli.demo;

/** Where the progress of the demo is shown. */
@FunctionalInterface
interface DemoScreen {
  /** For who reads a result only. */
  DemoScreen NONE = frame -> {};

  /** Shows a stage as it stands now. */
  void show(DemoProgress frame);

  /** The stage has ended, or shall not be shown any more; what was shown last stays. */
  default void end() {}
}
