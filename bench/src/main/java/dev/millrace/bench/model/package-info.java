/**
 * Workloads for a model: random weights and prompts, and the ways to run them: the engine alone,
 * the whole serving system, and llama.cpp. Start at {@link WorkloadRunner}.
 */
@NullMarked
package dev.millrace.bench.model;

import org.jspecify.annotations.NullMarked;
