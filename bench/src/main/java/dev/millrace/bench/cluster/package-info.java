/**
 * A model whose layers are spread over processes of this machine: how layers are divided, the node
 * processes, the pipe through them, and llama.cpp's RPC for comparison. Start at {@link
 * ProcessPipe}.
 */
@NullMarked
package dev.millrace.bench.cluster;

import org.jspecify.annotations.NullMarked;
