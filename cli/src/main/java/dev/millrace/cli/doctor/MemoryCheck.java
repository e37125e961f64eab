package dev.millrace.cli.doctor;

import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.model.MachineMemory;
import dev.millrace.cli.terminal.NumberText;

/** Checks the memory of the machine, of its container and of Java. */
public final class MemoryCheck {
  /** Less than this is too little for all but the smallest models. */
  private static final long LITTLE = 1L << 30;

  private final MachineMemory memory;

  public MemoryCheck(MachineMemory memory) {
    this.memory = memory;
  }

  public void run(Findings findings) {
    String text =
        NumberText.bytes(memory.installed())
            + (memory.limit().isPresent()
                ? ", limited to " + NumberText.bytes(memory.limit().getAsLong()) + " by its cgroup"
                : "")
            + ", "
            + NumberText.bytes(memory.available())
            + " available; models may take "
            + NumberText.bytes(memory.total() / 2)
            + " by default, Java's heap "
            + NumberText.bytes(Runtime.getRuntime().maxMemory());
    if (memory.available() < LITTLE) {
      findings.warn(
          "memory",
          text,
          "end other programs, or give the container more; "
              + SuggestedCommand.of("models").to("says which models fit"));
    } else {
      findings.ok("memory", text);
    }
  }
}
