package dev.millrace.engine.llamacpp;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** A {@code llama_batch}: tokens with their positions and sequences. */
final class LlamaBatch {
  /** n_tokens, then pointers to: token, embd, pos, n_seq_id, seq_id, logits. */
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
          JAVA_INT, MemoryLayout.paddingLayout(4), MemoryLayout.sequenceLayout(6, ADDRESS));

  private final int room;
  private final MemorySegment segment;
  private final MemorySegment tokens;
  private final MemorySegment positions;
  private final MemorySegment sequences;
  private final MemorySegment outputs;
  private int count;

  LlamaBatch(Arena arena, int room) {
    this.room = room;
    segment = arena.allocate(LAYOUT);
    tokens = arena.allocate(JAVA_INT, room);
    positions = arena.allocate(JAVA_INT, room);
    sequences = arena.allocate(JAVA_INT, room);
    outputs = arena.allocate(JAVA_BYTE, room);
    MemorySegment sequenceCounts = arena.allocate(JAVA_INT, room);
    MemorySegment sequenceLists = arena.allocate(ADDRESS, room);
    for (int i = 0; i < room; i++) {
      sequenceCounts.setAtIndex(JAVA_INT, i, 1);
      sequenceLists.setAtIndex(ADDRESS, i, sequences.asSlice(4L * i, 4));
    }
    MemorySegment[] arrays = {
      tokens, MemorySegment.NULL, positions, sequenceCounts, sequenceLists, outputs
    };
    for (int i = 0; i < arrays.length; i++) {
      segment.set(ADDRESS, 8 + 8L * i, arrays[i]);
    }
  }

  void clear() {
    count = 0;
  }

  void add(int token, int position, int sequence, boolean output) {
    if (count == room) {
      throw new IllegalStateException("the batch has room for " + room + " tokens");
    }
    tokens.setAtIndex(JAVA_INT, count, token);
    positions.setAtIndex(JAVA_INT, count, position);
    sequences.setAtIndex(JAVA_INT, count, sequence);
    outputs.set(JAVA_BYTE, count, (byte) (output ? 1 : 0));
    count++;
  }

  MemorySegment segment() {
    segment.set(JAVA_INT, 0, count);
    return segment;
  }
}
