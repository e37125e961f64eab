/**
 * Decides which models are in memory. The shelf loads a model when it is requested, lends it with a
 * lease, unloads it after it was idle, and evicts the least recently used models when another needs
 * their memory; all together stay within a memory budget. A slot is one model's place and its
 * state; it holds an item while the model is loaded. Start at {@link ModelShelf}.
 */
@NullMarked
package dev.millrace.server.infer.shelf;

import org.jspecify.annotations.NullMarked;
